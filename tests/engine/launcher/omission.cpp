// SPDX-License-Identifier: Apache-2.0
// Leaves out one step of building and sealing a sandbox: the one that the run's environment names as GLOVEBOX_OMIT. The linker
// puts these functions before the real ones (ld --wrap); the launcher's own code is untouched.
#include "engine/launcher/plan.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <string>
#include <string_view>

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's names

namespace {

std::string omitted; // NOLINT(cert-err58-cpp)
int timesCounted = 0; // how often the processor time of this run's leaf was read

bool omits(std::string_view step)
{
    return omitted == step;
}

// Files below /proc/sys/user.
bool leavesBound(const char *path, int flags)
{
    return (flags & O_WRONLY) != 0
           && ((omits("bound of user namespaces") && std::strstr(path, "max_user_namespaces"))
               || (omits("bounds of inotify") && std::strstr(path, "inotify"))
               || (omits("own proc") && std::strstr(path, "/proc/sys/user/")));
}

} // namespace

extern "C" {

int __real_prctl(int option, ...);
int __real__ZN8glovebox8launcher16readSealedMemoryEiRNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    int fd, std::string &bytes);
int __wrap__ZN8glovebox8launcher16readSealedMemoryEiRNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    int fd, std::string &bytes)
{
    const int error =
        __real__ZN8glovebox8launcher16readSealedMemoryEiRNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(fd,
                                                                                                              bytes);
    glovebox::launcher::Plan plan; // an assignment is none
    if (error == 0 && plan.decode(bytes)) {
        omitted.clear();
        timesCounted = 0;
        for (const std::string &variable : plan.environment) {
            if (variable.starts_with("GLOVEBOX_OMIT="))
                omitted = variable.substr(variable.find('=') + 1);
        }
    }
    if (omits("death with the launcher")) // which init sets before it reads the plan
        __real_prctl(PR_SET_PDEATHSIG, 0);
    return error;
}

int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    if ((option == PR_CAPBSET_DROP && omits("bounding set")) || (option == PR_SET_SECUREBITS && omits("securebits"))
        || (option == PR_SET_NO_NEW_PRIVS && omits("no new privileges"))
        || (option == PR_SET_PDEATHSIG && omits("death with the launcher")))
        return 0;
    return __real_prctl(option, a, b, c, d);
}

int __real_setrlimit(__rlimit_resource_t resource, const rlimit *limit);
int __wrap_setrlimit(__rlimit_resource_t resource, const rlimit *limit)
{
    if (resource == RLIMIT_NPROC && omits("limit of processes"))
        return 0;
    return __real_setrlimit(resource, limit);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, mode_t mode)
{
    return __real_open(leavesBound(path, flags) ? "/dev/null" : path, flags, mode);
}

// The files of a leaf, of cgroup v1 or v2.
int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, mode_t mode)
{
    const struct
    {
        const char *step;
        const char *files[2];
    } limits[] = {{"memory of the tree", {"memory.limit_in_bytes", "memory.max"}},
                  {"memory of the tree", {"memory.memsw.limit_in_bytes", "memory.max"}}, // v1 wants it larger
                  {"swap of the tree", {"memory.memsw.limit_in_bytes", "memory.swap.max"}},
                  {"processes of the tree", {"pids.max", "pids.max"}},
                  {"share of the tree", {"cpu.cfs_quota_us", "cpu.max"}},
                  {"the leaf", {"tasks", "tasks"}}};
    for (const auto &limit : limits) {
        const bool isIt = std::string_view(path) == limit.files[0] || std::string_view(path) == limit.files[1];
        if (isIt && (flags & O_WRONLY) != 0 && omits(limit.step))
            path = "/dev/null";
    }
    if (leavesBound(path, flags))
        path = "/dev/null";
    if (std::string_view(path) == "memory.stat" && omits("count of memory"))
        return errno = EMFILE, -1;
    if (omits("own proc") && std::string_view(path).starts_with("proc/")) // what covers files of /proc finds none
        return __real_open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (std::string_view(path) == "cpuacct.usage" || std::string_view(path) == "cpu.stat") {
        ++timesCounted; // first when it is read back, then when the run starts
        if ((omits("count of processor time") && timesCounted > 2)
            || (omits("count at the start") && timesCounted == 2))
            return errno = EMFILE, -1;
    }
    return __real_openat(folder, path, flags, mode);
}

ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    const std::string_view text(static_cast<const char *>(data), size);
    if (omits("user of the run") && text.starts_with("1000 ") && text.ends_with(" 1")) {
        const std::string root = "0" + std::string(text.substr(4));
        return __real_write(fd, root.data(), root.size()) < 0 ? -1 : static_cast<ssize_t>(size);
    }
    return __real_write(fd, data, size);
}

int __real_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
    return omits("network namespace") ? 0 : __real_ioctl(fd, request, argument); // lo is not ours to bring up
}

int __real_sethostname(const char *name, size_t size);
int __wrap_sethostname(const char *name, size_t size)
{
    return omits("uts namespace") ? 0 : __real_sethostname(name, size);
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    va_list list;
    va_start(list, number);
    long a[6];
    for (long &argument : a)
        argument = va_arg(list, long);
    va_end(list);
    if (number == SYS_clone3) {
        auto *arguments = reinterpret_cast<clone_args *>(a[0]);
        const struct
        {
            const char *step;
            unsigned long long flag;
        } namespaces[] = {{"user namespace", CLONE_NEWUSER},    {"mount namespace", CLONE_NEWNS},
                          {"pid namespace", CLONE_NEWPID},      {"network namespace", CLONE_NEWNET},
                          {"ipc namespace", CLONE_NEWIPC},      {"uts namespace", CLONE_NEWUTS},
                          {"cgroup namespace", CLONE_NEWCGROUP}};
        for (const auto &one : namespaces) {
            if (arguments && omits(one.step)) // init's probe passes none
                arguments->flags &= ~one.flag;
        }
        if (arguments && omits("the leaf"))
            arguments->flags &= ~static_cast<std::uint64_t>(CLONE_INTO_CGROUP);
    }
    if (number == SYS_sched_setaffinity && omits("processors"))
        return 0;
    if (number == SYS_seccomp && a[0] == SECCOMP_SET_MODE_FILTER && (omits("filters") || omits("no new privileges")))
        return a[1] == 0 ? 0 : (errno = ENOSYS, -1);
    if (number == SYS_seccomp && a[1] != 0 && omits("listener"))
        return errno = ENOSYS, -1;
    if (number == SYS_landlock_restrict_self && (omits("landlock") || omits("no new privileges")))
        return 0;
    if (number == SYS_mount_setattr) {
        auto *attributes = reinterpret_cast<mount_attr *>(a[3]);
        if (omits("read-only root") && attributes->attr_set == MOUNT_ATTR_RDONLY)
            return 0;
        if (omits("read-only system"))
            attributes->attr_set &= ~static_cast<std::uint64_t>(MOUNT_ATTR_RDONLY);
        if (omits("no set-id programs"))
            attributes->attr_set &= ~static_cast<std::uint64_t>(MOUNT_ATTR_NOSUID);
    }
    const auto isInProc = [](long path) {
        return path != 0 && std::string_view(reinterpret_cast<char *>(path)).starts_with("proc/");
    };
    if (number == SYS_mount && isInProc(a[1])
        && (omits("own proc") || (omits("covers of files") && a[0] && !isInProc(a[0]))
            || (omits("covers of folders") && isInProc(a[0]))))
        return 0;
    if (number == SYS_move_mount && omits("watched places") && a[3] != 0
        && std::string_view(reinterpret_cast<char *>(a[3])) == "run/watched")
        return 0;
    if (number == SYS_move_mount && isInProc(a[3]) && (omits("own proc") || omits("covers of folders")))
        return 0;
    if (number == SYS_move_mount && omits("own proc") && a[3] != 0
        && std::string_view(reinterpret_cast<char *>(a[3])) == "proc") { // which was made before the plan was read
        const long context = __real_syscall(SYS_fsopen, "tmpfs", 0);
        __real_syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0);
        a[0] = __real_syscall(SYS_fsmount, context, 0, 0);
    }
    if (number == SYS_fsconfig && a[2] != 0) {
        const std::string_view key(reinterpret_cast<char *>(a[2]));
        if ((omits("size of the disk") && key == "size") || (omits("files of the disk") && key == "nr_inodes"))
            return 0;
    }
    return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

} // extern "C"

// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
