// SPDX-License-Identifier: Apache-2.0
#include "seal.h"

#include "engine/base/system/descriptor.h"
#include "engine/launcher/landlock.h"

#include "seccompfilters.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sched.h>

namespace glovebox::launcher {

namespace {

constexpr int lockedSecurebits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP
                                 | SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE
                                 | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;

constexpr std::uint64_t lockedMemory = 8 * 1024 * 1024; // the kernel's default since Linux 5.16

// A stricter limit that was inherited stays.
std::string setLimit(int resource, const char *name, std::uint64_t soft, std::uint64_t hard)
{
    const auto kind = static_cast<__rlimit_resource_t>(resource);
    rlimit inherited{};
    ::getrlimit(kind, &inherited);
    const rlimit wanted{std::min<rlim_t>(soft, inherited.rlim_max), std::min<rlim_t>(hard, inherited.rlim_max)};
    rlimit found{};
    if (::setrlimit(kind, &wanted) < 0)
        return std::string("setrlimit ") + name + ": " + errnoName(errno);
    if (::getrlimit(kind, &found) < 0 || found.rlim_cur != wanted.rlim_cur || found.rlim_max != wanted.rlim_max)
        return std::string("getrlimit ") + name + ": " + std::to_string(found.rlim_cur);
    return {};
}

// As many of the processors that this process may use, from anywhere among them: runs shall not all meet on the first.
std::string takeProcessors(std::uint64_t count)
{
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) < 0)
        return "sched_getaffinity: " + errnoName(errno);
    std::vector<int> processors;
    for (int i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(i, &allowed))
            processors.push_back(i);
    }
    unsigned first = 0;
    [[maybe_unused]] const ssize_t random = ::getrandom(&first, sizeof first, GRND_NONBLOCK);
    cpu_set_t taken;
    CPU_ZERO(&taken);
    for (std::size_t i = 0; i < std::min<std::size_t>(count, processors.size()); ++i)
        CPU_SET(processors[(first + i) % processors.size()], &taken);
    return ::syscall(SYS_sched_setaffinity, 0, sizeof taken, &taken) < 0 ? "sched_setaffinity: " + errnoName(errno)
                                                                         : std::string();
}

template<std::size_t count> sock_fprog programOf(const sock_filter (&steps)[count])
{
    return {count, const_cast<sock_filter *>(steps)};
}

template<std::size_t count> std::string loadFilter(const sock_filter (&steps)[count], const char *name)
{
    const sock_fprog program = programOf(steps);
    if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0)
        return std::string("seccomp ") + name + ": " + errnoName(errno);
    return {};
}

// Invalid where there can't be a listener: one may be above us already (EBUSY).
UniqueFd loadReportFilter(const Plan &plan)
{
    // bwrap gives nobody the port of a name server: there the questions tell what was asked.
    const bool withNames = plan.builder == Builder::Bubblewrap && !plan.hasEgress;
    const sock_fprog program = withNames ? programOf(nameReportFilter) : programOf(reportFilter);
    const auto load = [&program](unsigned long flags) {
        return UniqueFd(static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program)));
    };
    // A caller whose question was taken waits for the answer through signals (Linux 5.19): else a runtime that interrupts
    // itself by signals would ask again and again.
    UniqueFd listener = load(SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
    if (!listener && errno == EINVAL)
        listener = load(SECCOMP_FILTER_FLAG_NEW_LISTENER);
    return listener;
}

} // namespace

std::string applyLimits(const Plan &plan)
{
    std::string problem;
    const auto set = [&problem](int resource, const char *name, std::uint64_t soft, std::uint64_t hard) {
        if (problem.empty())
            problem = setLimit(resource, name, soft, hard);
    };
    struct
    {
        int resource;
        const char *name;
        std::uint64_t value;
    } const planned[] = {
        {RLIMIT_NPROC, "NPROC", plan.processes},
        {RLIMIT_FSIZE, "FSIZE", plan.fileSize},
        {RLIMIT_NOFILE, "NOFILE", plan.openFiles},
        {RLIMIT_DATA, "DATA", plan.dataSegment},
        {RLIMIT_SIGPENDING, "SIGPENDING", plan.pendingSignals},
        {RLIMIT_MSGQUEUE, "MSGQUEUE", plan.messageQueues},
    };
    for (const auto &limit : planned) {
        if (limit.value != 0)
            set(limit.resource, limit.name, limit.value, limit.value);
    }
    if (problem.empty() && plan.processors != 0)
        problem = takeProcessors(plan.processors);
    // SIGXCPU first, SIGKILL a second later for whoever ignores it.
    if (plan.cpuSeconds != 0)
        set(RLIMIT_CPU, "CPU", plan.cpuSeconds, plan.cpuSeconds + 1);
    // A desktop's user may have been given these for sound: a run with real-time priority starves the machine.
    set(RLIMIT_RTPRIO, "RTPRIO", 0, 0);
    set(RLIMIT_NICE, "NICE", 0, 0);
    set(RLIMIT_MEMLOCK, "MEMLOCK", lockedMemory, lockedMemory);
    // 1 and not 0: a piped core_pattern handler ignores 0 (core(5)).
    set(RLIMIT_CORE, "CORE", 1, 1);
    return problem;
}

// In this order: capset before securebits and the bounding set is EPERM, and exec in a new user namespace leaves a full
// bounding set.
std::string leavePrivileges()
{
    for (int capability = 0; capability < 64; ++capability) {
        if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0)
            continue;
        if (errno != EINVAL)
            return "bounding set: " + errnoName(errno);
        break; // the kernel knows neither that number nor a higher one
    }
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
        return "ambient set: " + errnoName(errno);
    if (::prctl(PR_SET_SECUREBITS, lockedSecurebits, 0, 0, 0) < 0)
        return "securebits: " + errnoName(errno);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[2]{};
    if (::syscall(SYS_capset, &header, none) < 0)
        return "capset: " + errnoName(errno);
    return {};
}

bool hasLockedSecurebits()
{
    return ::prctl(PR_GET_SECUREBITS, 0, 0, 0, 0) == lockedSecurebits;
}

std::string becomeUntouchable()
{
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return "no_new_privs: " + errnoName(errno);
    if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 || ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
        return "dumpable: " + errnoName(errno);
    return {};
}

std::string leaveKeyring()
{
    if (::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) < 0 && errno != ENOSYS)
        return "session keyring: " + errnoName(errno);
    return {};
}

int tryNestedUserNamespace()
{
    return ::unshare(CLONE_NEWUSER) == 0 ? 0 : errno;
}

std::string applyFirstFilters(const Plan &plan, UniqueFd &listener)
{
    std::string problem;
    if (plan.refuseUnixSockets)
        problem = loadFilter(unixSocketFilter, "sockets");
    if (problem.empty() && plan.refuseUncountedMemory)
        problem = loadFilter(uncountedMemoryFilter, "memory");
    if (problem.empty() && plan.refuseSetId)
        problem = loadFilter(setIdFilter, "set-id");
    if (problem.empty() && plan.refuseAllocation)
        problem = loadFilter(allocationFilter, "allocation");
    if (problem.empty() && plan.refuseInotify)
        problem = loadFilter(inotifyFilter, "inotify");
    if (problem.empty() && plan.processors != 0)
        problem = loadFilter(affinityFilter, "affinity");
    if (problem.empty())
        listener = loadReportFilter(plan);
    return problem;
}

std::string applyLastFilters(bool reports)
{
    // The calls last: each filter must still allow seccomp(2) for the next.
    std::string problem =
        reports ? loadFilter(unreportedArgumentFilter, "arguments") : loadFilter(argumentFilter, "arguments");
    if (!problem.empty())
        return problem;
    return reports ? loadFilter(unreportedCallFilter, "calls") : loadFilter(callFilter, "calls");
}

} // namespace glovebox::launcher
