// SPDX-License-Identifier: Apache-2.0
#include "trappedcalls.h"

#include <QDeadlineTimer>

#include <linux/filter.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace glovebox::test {

namespace {

struct Trap
{
    FailingCall call;
    quint32 action; // SECCOMP_RET_...
};

// Every other call is allowed.
int trapCalls(const std::vector<Trap> &traps, unsigned flags = 0)
{
    std::vector<sock_filter> code;
    for (const auto &[call, action] : traps) {
        const bool looks = call.argument >= 0;
        code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
        code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, quint32(call.number), 0, quint8(looks ? 3 : 1)));
        if (looks) { // the lower half, as of a little-endian machine
            code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                    quint32(offsetof(seccomp_data, args) + sizeof(quint64) * size_t(call.argument))));
            code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call.value, 0, 1));
        }
        code.push_back(BPF_STMT(BPF_RET | BPF_K, action));
    }
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog program = {static_cast<unsigned short>(code.size()), code.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        qFatal("no_new_privs: %s", std::strerror(errno));
    const long result = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    if (result < 0)
        qFatal("seccomp: %s", std::strerror(errno));
    return int(result);
}

} // namespace

void failCalls(const std::vector<FailingCall> &calls)
{
    std::vector<Trap> traps;
    for (const FailingCall &call : calls)
        traps.push_back({call, SECCOMP_RET_ERRNO | quint32(call.error)});
    trapCalls(traps);
}

void dieAtCall(int number)
{
    trapCalls({{{.number = number}, SECCOMP_RET_KILL_PROCESS}});
}

StoppedCall::StoppedCall(int number)
    : m_listener(trapCalls({{{.number = number}, SECCOMP_RET_USER_NOTIF}}, SECCOMP_FILTER_FLAG_NEW_LISTENER))
{
}

StoppedCalls::StoppedCalls(const std::vector<FailingCall> &calls)
{
    std::vector<Trap> traps;
    for (const FailingCall &call : calls)
        traps.push_back({call, SECCOMP_RET_USER_NOTIF});
    m_listener.reset(trapCalls(traps, SECCOMP_FILTER_FLAG_NEW_LISTENER));
}

std::optional<StoppedCalls::Made> StoppedCalls::next(int milliseconds)
{
    const QDeadlineTimer patience(milliseconds);
    while (!m_isOver) {
        pollfd source{m_listener.get(), POLLIN, 0};
        const int ready = ::poll(&source, 1, int(patience.remainingTime()));
        if (ready == 0)
            return {};
        m_isOver = ready > 0 && (source.revents & POLLHUP) != 0;
        seccomp_notif made = {};
        if (ready > 0 && !m_isOver && ::ioctl(m_listener.get(), SECCOMP_IOCTL_NOTIF_RECV, &made) == 0)
            return Made{made.id, made.pid, made.data.nr};
    }
    return {};
}

void StoppedCalls::letGo(const Made &made)
{
    seccomp_notif_resp answer = {};
    answer.id = made.id;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    if (::ioctl(m_listener.get(), SECCOMP_IOCTL_NOTIF_SEND, &answer) != 0 && errno != ENOENT)
        qFatal("seccomp notification: %s", std::strerror(errno));
}

void StoppedCall::wait()
{
    while (::ioctl(m_listener.get(), SECCOMP_IOCTL_NOTIF_RECV, &m_made) != 0) {
        if (errno != EINTR && errno != ENOENT)
            qFatal("seccomp notification: %s", std::strerror(errno));
        m_made = {};
    }
}

void StoppedCall::letGo()
{
    seccomp_notif_resp answer = {};
    answer.id = m_made.id;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    if (::ioctl(m_listener.get(), SECCOMP_IOCTL_NOTIF_SEND, &answer) != 0)
        qFatal("seccomp notification: %s", std::strerror(errno));
    m_made = {};
}

} // namespace glovebox::test
