// SPDX-License-Identifier: Apache-2.0
#include "blank.h"

#include <linux/sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

namespace glovebox::launcher {

pid_t cloneInto(unsigned long long namespaces, const Leaf &leaf, UniqueFd &process)
{
    int pidfd = -1;
    clone_args arguments{};
    arguments.flags = namespaces | CLONE_PIDFD;
    if (leaf.kind() == LeafKind::Cgroup2) {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = static_cast<std::uint64_t>(leaf.folder());
    }
    arguments.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
    arguments.exit_signal = SIGCHLD;
    const auto pid = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
    if (pid > 0)
        process.reset(pidfd);
    return pid;
}

SetupError Blank::make(LeafKind kind, LeafStock &leaves, int initProgram, unsigned uid, unsigned gid)
{
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return {Stage::Descriptors, errno, {}};
    m_orders.reset(pair[0]);
    const UniqueFd inner(pair[1]);
    if (kind != LeafKind::None) {
        if (const std::string problem = leaves.take(kind, m_leaf); !problem.empty())
            return {Stage::Leaf, 0, problem};
    }
    m_pid = cloneInto(runNamespaces(), m_leaf, m_process);
    const int error = errno;
    if (m_pid == 0)
        buildWhenTold(inner.get(), initProgram, uid, gid);
    leaves.forked(m_leaf);
    if (m_pid > 0)
        return {};
    leaves.giveBack(m_leaf.take());
    return {Stage::Clone, error, {}};
}

SetupError Blank::begin(const LeafLimits &limits, const std::vector<UniqueFd> &descriptors)
{
    if (m_leaf) {
        if (const std::string problem = m_leaf.bound(limits); !problem.empty())
            return {Stage::Leaf, 0, problem};
    }
    if (const int error = sendPacket(m_orders.get(), "plan", numbers(descriptors), false))
        return {Stage::Descriptors, error, {}};
    return {};
}

void Blank::discard(LeafStock &leaves)
{
    if (m_pid <= 0)
        return;
    ::syscall(SYS_pidfd_send_signal, m_process.get(), SIGKILL, nullptr, 0);
    ::waitpid(m_pid, nullptr, 0); // it has done nothing yet that could keep it
    leaves.giveBack(m_leaf.take());
    *this = Blank();
}

} // namespace glovebox::launcher
