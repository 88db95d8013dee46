// SPDX-License-Identifier: Apache-2.0
#include "readback.h"

#include "mountcheck.h"
#include "seal.h"

#include "engine/base/system/descriptor.h"
#include "engine/launcher/landlock.h"
#include "engine/launcher/reportedcalls.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <sched.h>

namespace glovebox::launcher {

namespace {

std::string readText(const char *path)
{
    return readWhole(UniqueFd(::open(path, O_RDONLY | O_CLOEXEC)).get());
}

// The value behind "Name:" of /proc/self/status, without white space.
std::string statusField(const std::string &status, const std::string &name)
{
    const std::size_t at = status.find("\n" + name + ":");
    if (at == std::string::npos)
        return {};
    const std::size_t begin = status.find_first_not_of(" \t", at + name.size() + 2);
    return status.substr(begin, status.find('\n', begin) - begin);
}

Finding finding(ControlId control, bool ok, std::string detail)
{
    return {control, ok ? Finding::State::AsPlanned : Finding::State::Missing, std::move(detail)};
}

// Of each process by itself.
Finding approximately(ControlId control, bool ok, std::string detail)
{
    return {control, ok ? Finding::State::Weaker : Finding::State::Missing, std::move(detail)};
}

void checkNamespaces(const Plan &plan, std::vector<Finding> &findings)
{
    static constexpr std::array controls{
        ControlId::UserNamespace, ControlId::MountNamespace, ControlId::PidNamespace,   ControlId::NetworkNamespace,
        ControlId::IpcNamespace,  ControlId::UtsNamespace,   ControlId::CgroupNamespace};
    static_assert(controls.size() == namespaceNames.size());
    const UniqueFd folder(::open("/proc/self/ns", O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (std::size_t i = 0; i < controls.size(); ++i) {
        struct stat info = {};
        const bool read = ::fstatat(folder.get(), namespaceNames[i], &info, 0) == 0;
        const bool own = read && plan.hostNamespaces[i] != 0 && info.st_ino != plan.hostNamespaces[i];
        findings.push_back(finding(controls[i], own,
                                   !read ? errnoName(errno)
                                   : own ? std::string()
                                         : "the host's namespace"));
    }
}

void checkIdentity(const Plan &plan, std::vector<Finding> &findings)
{
    const std::string map = readText("/proc/self/uid_map");
    char *end = nullptr; // the kernel writes numbers and blanks only (user_namespaces(7))
    const unsigned long inside = std::strtoul(map.c_str(), &end, 10);
    const unsigned long outside = std::strtoul(end, &end, 10);
    const unsigned long count = std::strtoul(end, &end, 10);
    const bool parsed = *end == '\n';
    // bwrap maps twice, and only the second is seen here; the spawner, whose user it is, is never root.
    const bool twice = plan.builder == Builder::Bubblewrap;
    const bool ok = parsed && map.find('\n') == map.size() - 1 && count == 1 && inside == insideUid
                    && (outside != 0 || twice) && ::getuid() == insideUid && ::geteuid() == insideUid
                    && ::getgid() == insideUid && ::getegid() == insideUid;
    findings.push_back(finding(ControlId::UnprivilegedUser, ok,
                               !ok     ? map
                               : twice ? "uid 1000, mapped twice"
                                       : "uid " + std::to_string(outside)));
}

void checkNetwork(std::vector<Finding> &findings)
{
    // Two header lines, then one line an interface.
    const std::string text = readText("/proc/self/net/dev");
    std::size_t interfaces = 0;
    bool onlyLoopback = true;
    std::size_t line = 0;
    for (std::size_t at = 0; at < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (line >= 2) {
            const std::size_t name = text.find_first_not_of(' ', at);
            onlyLoopback = onlyLoopback && text.compare(name, 3, "lo:") == 0;
            ++interfaces;
        }
        at = end + 1;
    }
    const bool ok = interfaces == 1 && onlyLoopback;
    findings.push_back(finding(ControlId::Network, ok, ok ? "no interface but its own loopback" : text));
}

// One call of each group of the filter, chosen so that without the filter the answer would be another.
void checkSystemCalls(const Plan &plan, const std::string &status, const SealFacts &facts,
                      std::vector<Finding> &findings)
{
    struct Probe
    {
        const char *name;
        long result;
        int error;
        int expected;
    };
    const auto probe = [](const char *name, int expected, auto... arguments) {
        errno = 0;
        const long result = ::syscall(arguments...);
        return Probe{name, result, errno, expected};
    };
    std::vector<Probe> probes{
        probe("unshare", EPERM, SYS_unshare, 0), // else 0
        probe("clone", EPERM, SYS_clone, CLONE_NEWUSER | CLONE_SIGHAND, 0, 0, 0, 0), // else EINVAL
        probe("clone3", ENOSYS, SYS_clone3, nullptr, 0), // else EINVAL
        probe("open_tree", EPERM, SYS_open_tree, -1, nullptr, ~0U), // else EINVAL
        probe("ptrace", EPERM, SYS_ptrace, 0x9999, 1 << 22, nullptr, nullptr), // else ESRCH
        probe("process_vm_readv", EPERM, SYS_process_vm_readv, 1 << 22, nullptr, 0, nullptr, 0, 0), // else 0 or ESRCH
        probe("keyctl", EPERM, SYS_keyctl, 0x9999, 0, 0, 0, 0), // else EOPNOTSUPP
        probe("io_uring_setup", EPERM, SYS_io_uring_setup, 0, nullptr), // else EFAULT, EINVAL
        probe("name_to_handle_at", EPERM, SYS_name_to_handle_at, -1, nullptr, nullptr, nullptr, ~0), // else EINVAL
        probe("socket AF_NETLINK", EAFNOSUPPORT, SYS_socket, AF_NETLINK, SOCK_DGRAM, 0), // else a descriptor
        probe("socket ICMP", EPERM, SYS_socket, AF_INET, SOCK_DGRAM, 1), // else EACCES or a descriptor
        probe("ioctl TIOCSTI", EPERM, SYS_ioctl, -1, (1UL << 32) | 0x5412, nullptr), // else EBADF
        probe("fcntl F_SETPIPE_SZ", EPERM, SYS_fcntl, -1, F_SETPIPE_SZ, 65537), // else EBADF
        probe("shmctl SHM_LOCK", EPERM, SYS_shmctl, -1, SHM_LOCK, nullptr), // else EINVAL
        probe("setsockopt SO_ZEROCOPY", EOPNOTSUPP, SYS_setsockopt, -1, SOL_SOCKET, SO_ZEROCOPY, nullptr,
              0), // else EBADF
        probe("sendmsg MSG_EOR", EOPNOTSUPP, SYS_sendmsg, -1, nullptr, packetFlag), // else EBADF
        probe("fcntl F_SETLEASE", EPERM, SYS_fcntl, -1, F_SETLEASE, 0), // else EBADF
        probe("ioctl FS_IOC_REMOVE_ENCRYPTION_KEY", EPERM, SYS_ioctl, -1, FS_IOC_REMOVE_ENCRYPTION_KEY,
              nullptr), // else EBADF
        probe("prlimit64 of PID 1", EPERM, SYS_prlimit64, 1, RLIMIT_NOFILE, nullptr, nullptr), // else 0
        probe("personality", EPERM, SYS_personality, 0), // else 0
        probe("personality as it is", 0, SYS_personality, 0xffffffff), // else the flags of whoever started Glovebox
        probe("prlimit64 RLIMIT_CORE", 0, SYS_prlimit64, 0, RLIMIT_CORE, 1, nullptr), // as if done; else EFAULT
        probe("prlimit64", EPERM, SYS_prlimit64, 0, RLIMIT_CORE, 1, 1), // else EFAULT
        probe("mmap MAP_HUGETLB", ENOMEM, SYS_mmap, nullptr, 0, 0, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1,
              0), // else EINVAL
        probe("shmget SHM_HUGETLB", ENOMEM, SYS_shmget, IPC_PRIVATE, 0, SHM_HUGETLB), // else EINVAL
        probe("memfd_create MFD_HUGETLB", ENOSYS, SYS_memfd_create, nullptr, MFD_HUGETLB), // else EFAULT
        probe("setuid", EPERM, SYS_setuid, 0), // else EINVAL
        probe("fchown", EPERM, SYS_fchown, -1, -1, 0), // else EBADF
        probe("fchown to itself", EBADF, SYS_fchown, -1, insideUid, -1),
        probe("seccomp", ENOSYS, SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, nullptr), // else EFAULT
        probe("prctl PR_SET_SECCOMP", EINVAL, SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr), // the same
        probe("unknown", ENOSYS, 4095L),
    };
    if (plan.refuseUnixSockets)
        probes.push_back(probe("socket AF_UNIX", EPERM, SYS_socket, AF_UNIX, SOCK_STREAM, 0)); // else a descriptor
    if (plan.refuseUnixSockets)
        probes.push_back(
            probe("socketpair AF_UNIX", EPERM, SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, nullptr)); // else EFAULT
    if (plan.refuseSetId) {
        probes.push_back(probe("chmod set-id", EPERM, SYS_fchmod, -1, S_ISUID)); // else EBADF
        probes.push_back(probe("open set-id", EPERM, SYS_openat, -1, "x", O_CREAT, S_ISGID)); // else EBADF
        probes.push_back(probe("mknod", EPERM, SYS_mknod, nullptr, S_IFCHR, 0)); // else EFAULT
        probes.push_back(probe("openat2", ENOSYS, SYS_openat2, -1, nullptr, nullptr, 0)); // else EINVAL
    }
    if (plan.refuseAllocation) {
        constexpr long reserveSpace = 0x40305828; // FS_IOC_RESVSP, which no header of every machine has
        probes.push_back(probe("fallocate", EOPNOTSUPP, SYS_fallocate, -1, 0, 0, 1)); // else EBADF
        probes.push_back(
            probe("copy_file_range", EOPNOTSUPP, SYS_copy_file_range, -1, nullptr, -1, nullptr, 1, 0)); // the same
        probes.push_back(probe("ioctl FICLONE", EOPNOTSUPP, SYS_ioctl, -1, FICLONE, -1)); // the same
        probes.push_back(probe("ioctl FS_IOC_RESVSP", EOPNOTSUPP, SYS_ioctl, -1, reserveSpace, nullptr)); // the same
    }
    if (plan.refuseUncountedMemory) {
        probes.push_back(probe("memfd_create", EPERM, SYS_memfd_create, nullptr, 0)); // else EFAULT
        probes.push_back(probe("setsockopt", 0, SYS_setsockopt, -1, SOL_SOCKET, SO_SNDBUF, nullptr, 0)); // else EBADF
        probes.push_back(probe("vmsplice", EINVAL, SYS_vmsplice, -1, nullptr, 0, 0)); // the same
        probes.push_back(probe("splice", EINVAL, SYS_splice, -1, nullptr, -1, nullptr, 1, 0)); // the same
        probes.push_back(probe("tee", EINVAL, SYS_tee, -1, -1, 1, 0)); // the same
        probes.push_back(probe("sendfile", EINVAL, SYS_sendfile, -1, -1, nullptr, 1)); // the same
        probes.push_back(
            probe("landlock_create_ruleset", EOPNOTSUPP, SYS_landlock_create_ruleset, nullptr, 1, 0)); // else EINVAL
    }
    if (plan.processors != 0)
        probes.push_back(
            probe("sched_setaffinity", EPERM, SYS_sched_setaffinity, 0, 0, nullptr)); // else EFAULT, EINVAL
    if (plan.refuseInotify)
        probes.push_back(probe("inotify_init1", EMFILE, SYS_inotify_init1, 0)); // else a descriptor
    std::string wrong;
    for (const Probe &p : probes) {
        if (p.result != (p.expected == 0 ? 0 : -1) || p.error != p.expected)
            wrong += std::string(wrong.empty() ? "" : ", ") + p.name + " gave "
                     + (p.result == -1 ? errnoName(p.error) : "0") + " instead of "
                     + (p.expected == 0 ? "0" : errnoName(p.expected));
    }
    const bool filtering = statusField(status, "Seccomp") == "2";
    const std::string filters = statusField(status, "Seccomp_filters"); // since Linux 5.9
    const int expected = facts.inheritedFilters + plan.filters() + facts.reports;
    findings.push_back(finding(ControlId::Seccomp, filtering && wrong.empty() && filters == std::to_string(expected),
                               !wrong.empty() ? wrong
                               : filtering
                                   ? filters + " filters, " + std::to_string(std::size(probes)) + " calls probed"
                                   : "not in filter mode"));
    findings.push_back(
        finding(ControlId::DenialEvents, facts.reports, facts.reports ? "" : "this kernel gives no listener"));
}

void checkPrivileges(const std::string &status, int nestedError, std::vector<Finding> &findings)
{
    findings.push_back(finding(ControlId::NoNewPrivileges, statusField(status, "NoNewPrivs") == "1",
                               "NoNewPrivs " + statusField(status, "NoNewPrivs")));
    std::string left;
    for (const char *set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
        if (statusField(status, set) != "0000000000000000")
            left += std::string(set) + " " + statusField(status, set) + " ";
    }
    if (!hasLockedSecurebits())
        left += "securebits that are not locked";
    findings.push_back(finding(ControlId::Capabilities, left.empty(), left.empty() ? "none" : left));
    // EPERM and EACCES: the machine's own rule (AppArmor, kernel.unprivileged_userns_clone).
    const bool refused = nestedError == ENOSPC || nestedError == EPERM || nestedError == EACCES;
    findings.push_back(
        finding(ControlId::NestedUserNamespaces, refused,
                refused ? "the kernel refuses them (" + errnoName(nestedError) + ")" : "one could be made"));
}

void checkLandlock(const Plan &plan, int abi, std::vector<Finding> &findings)
{
    if (abi == 0) {
        // A FIFO may be written to also where it lies on a read-only mount.
        const bool isGranted = plan.refuseSetId;
        findings.push_back(finding(ControlId::Landlock, false,
                                   isGranted
                                       ? "this kernel has none; FIFOs in the folders that are shown can be written to"
                                       : "this kernel has none"));
        return;
    }
    const UniqueFd fd(::open(plan.canary.c_str(), O_RDONLY | O_CLOEXEC));
    const int error = fd ? 0 : errno;
    findings.push_back(finding(ControlId::Landlock, error == EACCES,
                               error == EACCES ? "ABI " + std::to_string(abi) : "the canary gave " + errnoName(error)));
}

void checkLimits(const Plan &plan, const std::string &limitsProblem, std::vector<Finding> &findings)
{
    if (!limitsProblem.empty())
        findings.push_back(finding(ControlId::ProcessLimits, false, limitsProblem));
    // What is not set here is counted from outside.
    if (plan.processes != 0) {
        rlimit processes{};
        ::getrlimit(RLIMIT_NPROC, &processes);
        findings.push_back(finding(ControlId::Processes, processes.rlim_cur <= plan.processes,
                                   "RLIMIT_NPROC in its own user namespace"));
    }
    if (plan.dataSegment != 0) {
        rlimit memory{};
        ::getrlimit(RLIMIT_DATA, &memory);
        findings.push_back(approximately(ControlId::Memory, memory.rlim_cur <= plan.dataSegment,
                                         "RLIMIT_DATA of " + std::to_string(plan.dataSegment >> 20U) + " MB"));
    }
    if (plan.leaf == LeafKind::None && plan.cpuSeconds != 0) {
        rlimit cpu{};
        ::getrlimit(RLIMIT_CPU, &cpu);
        findings.push_back(approximately(ControlId::CpuTime, cpu.rlim_cur <= plan.cpuSeconds, "RLIMIT_CPU"));
    }
    if (plan.processors != 0) {
        cpu_set_t processors;
        CPU_ZERO(&processors);
        const bool bounded = ::sched_getaffinity(0, sizeof processors, &processors) == 0
                             && static_cast<std::uint64_t>(CPU_COUNT(&processors)) <= plan.processors;
        findings.push_back(approximately(ControlId::CpuShare, bounded, std::to_string(CPU_COUNT(&processors))));
    }
    // tmpfs rounds up to pages.
    struct statvfs disk = {};
    const bool read = ::statvfs("/work", &disk) == 0;
    const std::uint64_t bytes = std::uint64_t(disk.f_blocks) * disk.f_frsize;
    const bool sized = read && bytes >= plan.scratchBytes && bytes < plan.scratchBytes + 65536;
    const std::string megabytes = std::to_string(bytes / 1048576) + " MB, ";
    const std::string inodes = std::to_string(disk.f_files) + " inodes";
    if (!sized || disk.f_files == plan.scratchInodes)
        findings.push_back(finding(ControlId::Disk, sized, megabytes + inodes));
    else if (plan.builder == Builder::Bubblewrap)
        findings.push_back({ControlId::Disk, Finding::State::Weaker, megabytes + "no limit on the number of files"});
    else
        findings.push_back({ControlId::Disk, Finding::State::Weaker,
                            megabytes + "files: " + inodes + " instead of " + std::to_string(plan.scratchInodes)});
}

// Instances and watches count against the person, who has few (inotify(7)).
void checkInotify(const Plan &plan, std::vector<Finding> &findings)
{
    if (plan.refuseInotify) { // with the system calls
        findings.push_back(finding(ControlId::Inotify, true, "refused, since it can't be bounded"));
        return;
    }
    const std::string instances = readText("/proc/sys/user/max_inotify_instances");
    const std::string watches = readText("/proc/sys/user/max_inotify_watches");
    const std::string wanted = std::to_string(plan.inotifyInstances);
    const std::string wantedWatches = std::to_string(plan.inotifyWatches);
    const bool bounded = instances == wanted + "\n" && watches == wantedWatches + "\n";
    findings.push_back(
        finding(ControlId::Inotify, bounded,
                bounded ? wanted + " instances and " + wantedWatches + " watches of its user's" : instances + watches));
}

void checkTreeKill(std::vector<Finding> &findings)
{
    int signal = 0;
    const bool ok =
        ::getpid() == 1 && ::prctl(PR_GET_PDEATHSIG, &signal, 0, 0, 0) == 0 && signal == SIGKILL && ::getsid(0) == 1;
    findings.push_back(finding(ControlId::TreeKill, ok, "PID 1 of its namespace, dies with the launcher"));
}

} // namespace

int countFilters()
{
    return static_cast<int>(
        std::strtol(statusField(readText("/proc/self/status"), "Seccomp_filters").c_str(), nullptr, 10));
}

std::vector<Finding> readBack(const Plan &plan, const SealFacts &facts)
{
    std::vector<Finding> findings;
    const std::string status = readText("/proc/self/status");
    checkNamespaces(plan, findings);
    const std::string mounts = checkMounts(plan, readText("/proc/self/mountinfo"));
    findings.push_back(
        finding(ControlId::RootFilesystem, mounts.empty(), mounts.empty() ? "exactly the planned mounts" : mounts));
    struct stat own = {};
    const bool ownProc = ::stat("/proc/1", &own) == 0 && statusField(status, "NSpid") == "1";
    findings.push_back(finding(ControlId::OwnProc, ownProc, ownProc ? "shows only the run" : "not this namespace's"));
    checkIdentity(plan, findings);
    checkPrivileges(status, facts.nestedError, findings);
    checkSystemCalls(plan, status, facts, findings);
    checkLandlock(plan, facts.landlockAbi, findings);
    checkNetwork(findings);
    checkTreeKill(findings);
    checkInotify(plan, findings);
    std::ranges::move(readBackLimits(plan, facts.limitsProblem), std::back_inserter(findings));
    return findings;
}

std::vector<Finding> readBackLimits(const Plan &plan, const std::string &limitsProblem)
{
    std::vector<Finding> findings;
    checkLimits(plan, limitsProblem, findings);
    return findings;
}

} // namespace glovebox::launcher
