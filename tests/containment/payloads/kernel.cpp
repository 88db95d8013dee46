// SPDX-License-Identifier: Apache-2.0
#include "attack.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>

extern "C" int unshare(int) noexcept;
extern "C" int setns(int, int) noexcept;

namespace attack {
namespace {

// Each in a child of its own that stays: the host compares whose namespaces they are in.
void nestNamespaces(Words)
{
    constexpr unsigned long userNamespace = CLONE_NEWUSER;
    for (int way = 0; way < 5; ++way) {
        if (way < 2) {
            const pid_t child = ::fork();
            if (child == 0) {
                unshare(way == 0 ? CLONE_NEWUSER : CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET);
                stay();
            }
        } else {
            long child = -1;
            if (way == 2)
                child = ::syscall(SYS_clone, userNamespace | SIGCHLD, 0, 0, 0, 0);
            else if (way == 3)
                child = ::syscall(SYS_clone, userNamespace | SIGCHLD | (0xffUL << 32), 0, 0, 0, 0);
            else {
                clone_args arguments{};
                arguments.flags = userNamespace | CLONE_NEWNS;
                arguments.exit_signal = SIGCHLD;
                child = ::syscall(SYS_clone3, &arguments, sizeof arguments);
            }
            if (child == 0)
                stay();
        }
    }
    ::usleep(50'000);
}

// Into the namespaces of a child that may make them, or of whoever is named.
void enterNamespaces(Words words)
{
    const pid_t witness = ::fork();
    if (witness == 0)
        stay();
    pid_t child = words.count > 0 ? static_cast<pid_t>(words.number(0)) : ::fork();
    if (child == 0) {
        unshare(CLONE_NEWUSER | CLONE_NEWUTS);
        stay();
    }
    ::usleep(50'000);
    for (const char *name : {"user", "mnt", "net", "uts", "pid"}) {
        const std::string path = "/proc/" + std::to_string(child) + "/ns/" + name;
        setns(::open(path.c_str(), O_RDONLY), 0);
    }
    setns(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)), CLONE_NEWUSER);
}

void useMountApi(Words)
{
    const int context = static_cast<int>(::syscall(SYS_fsopen, "tmpfs", 0));
    ::syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0);
    const int made = static_cast<int>(::syscall(SYS_fsmount, context, 0, 0));
    ::syscall(SYS_move_mount, made, "", AT_FDCWD, "/tmp", MOVE_MOUNT_F_EMPTY_PATH);
    const int tree = static_cast<int>(::syscall(SYS_open_tree, AT_FDCWD, "/usr", OPEN_TREE_CLONE));
    mount_attr writable{};
    writable.attr_clr = MOUNT_ATTR_RDONLY;
    ::syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &writable, sizeof writable);
    ::syscall(SYS_move_mount, tree, "", AT_FDCWD, "/var/tmp", MOVE_MOUNT_F_EMPTY_PATH);
}

// open_tree_attr came with Linux 6.15, and there will be others.
void useNewCalls(Words)
{
    mount_attr writable{};
    writable.attr_clr = MOUNT_ATTR_RDONLY;
    ::syscall(467, AT_FDCWD, "/usr", OPEN_TREE_CLONE, &writable, sizeof writable);
    for (long number = 469; number < 480; ++number)
        ::syscall(number, -1, -1, -1, -1, -1, -1);
    ::syscall(4095, 0);
}

void traceProcesses(Words words)
{
    for (int i = 0; i < words.count; ++i) {
        const auto pid = static_cast<pid_t>(words.number(i));
        if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) < 0)
            ::ptrace(PTRACE_ATTACH, pid, nullptr, nullptr);
    }
}

// ADDRESS SIZE PID...
void readMemory(Words words)
{
    char part[4096];
    const auto size = std::min<std::size_t>(sizeof part, static_cast<std::size_t>(words.number(1)));
    for (int i = 2; i < words.count; ++i) {
        const auto pid = static_cast<pid_t>(words.number(i));
        iovec here{part, size};
        iovec there{reinterpret_cast<void *>(std::strtoul(words.at(0), nullptr, 0)), size};
        if (::process_vm_readv(pid, &here, 1, &there, 1, 0) > 0)
            say(part, size);
        const std::string path = "/proc/" + std::to_string(pid) + "/mem";
        const int fd = ::open(path.c_str(), O_RDWR);
        if (::pread(fd, part, size, static_cast<off_t>(words.number(0))) > 0)
            say(part, size);
    }
}

// What the host sees in /proc/PID/fd.
void openKernelObjects(Words)
{
    std::uint64_t parameters[32] = {};
    ::syscall(SYS_io_uring_setup, 1, parameters);
    bpf_attr map{};
    map.map_type = BPF_MAP_TYPE_ARRAY;
    map.key_size = 4;
    map.value_size = 4;
    map.max_entries = 1;
    ::syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof map);
    perf_event_attr event{};
    event.type = PERF_TYPE_SOFTWARE;
    event.size = sizeof event;
    event.config = PERF_COUNT_SW_CPU_CLOCK;
    event.exclude_kernel = 1;
    ::syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
    ::syscall(SYS_userfaultfd, 1); // user mode only
    ::syscall(SYS_memfd_secret, 0);
    ::syscall(SYS_fanotify_init, 0x200, 0); // by file handle: the unprivileged form
    ::syscall(SYS_open_by_handle_at, AT_FDCWD, nullptr, 0);
}

void addKey(Words words)
{
    for (int ring : {KEY_SPEC_USER_KEYRING, KEY_SPEC_USER_SESSION_KEYRING, KEY_SPEC_SESSION_KEYRING})
        ::syscall(SYS_add_key, "user", words.at(0), words.at(1), std::strlen(words.at(1)), ring);
}

void readKey(Words words)
{
    for (int ring : {KEY_SPEC_USER_KEYRING, KEY_SPEC_USER_SESSION_KEYRING, KEY_SPEC_SESSION_KEYRING}) {
        const long key = ::syscall(SYS_keyctl, KEYCTL_SEARCH, ring, "user", words.at(0), 0);
        char part[256];
        const long size = key > 0 ? ::syscall(SYS_keyctl, KEYCTL_READ, key, part, sizeof part) : -1;
        if (size > 0)
            say(part, std::min<std::size_t>(sizeof part, static_cast<std::size_t>(size)));
        if (words.count > 1 && key > 0)
            ::syscall(SYS_keyctl, KEYCTL_UNLINK, key, ring);
    }
}

void changePersonality(Words)
{
    ::personality(ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC);
}

#ifdef __x86_64__
// What they write is in the output only if the call of the other table did it.
void write32(Words words)
{
    void *low = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    std::strncpy(static_cast<char *>(low), words.at(0), 4095);
    long result = 0;
    asm volatile("int $0x80"
                 : "=a"(result)
                 : "a"(4L), "b"(1L), "c"(low), "d"(std::strlen(words.at(0)))
                 : "memory", "r8", "r9", "r10", "r11");
}

void writeX32(Words words)
{
    ::syscall(0x40000000L | SYS_write, 1, words.at(0), std::strlen(words.at(0)));
}
#else
void write32(Words) { }
void writeX32(Words) { }
#endif

void gainPrivileges(Words)
{
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct all[2] = {{~0U, ~0U, ~0U}, {~0U, ~0U, ~0U}};
    ::syscall(SYS_capset, &header, all);
    ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0);
    ::prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
    ::prctl(PR_SET_SECCOMP, 0, 0, 0, 0);
    ::prctl(PR_SET_SECUREBITS, 0, 0, 0, 0);
    static_cast<void>(::syscall(SYS_setresuid, 0, 0, 0));
    static_cast<void>(::syscall(SYS_setresgid, 0, 0, 0));
}

// The program again, from memory or from a file without a name.
void executeFromMemory(Words)
{
    const int self = ::open("/proc/self/exe", O_RDONLY);
    for (int way = 0; way < 2; ++way) {
        const int copy = way == 0 ? static_cast<int>(::syscall(SYS_memfd_create, "x", 0))
                                  : ::open("/dev/shm", O_TMPFILE | O_RDWR, 0700);
        struct stat info = {};
        off_t from = 0;
        if (copy < 0 || ::fstat(self, &info) < 0)
            continue;
        while (from < info.st_size && ::syscall(SYS_sendfile, copy, self, &from, info.st_size - from) > 0) { }
        const std::string path = "/proc/self/fd/" + std::to_string(copy);
        const int readable = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        ::close(copy);
        if (::fork() == 0) {
            char name[] = "attack";
            char deed[] = "privileges";
            char *argv[] = {name, const_cast<char *>(token), deed, nullptr};
            char *none[] = {nullptr};
            ::syscall(SYS_execveat, readable, "", argv, none, AT_EMPTY_PATH);
            ::_exit(1);
        }
    }
    ::usleep(50'000);
}

} // namespace

const Deed kernelDeeds[] = {
    {"nest", nestNamespaces},
    {"enter", enterNamespaces},
    {"mount-api", useMountApi},
    {"new-calls", useNewCalls},
    {"trace", traceProcesses},
    {"read-memory", readMemory},
    {"kernel-objects", openKernelObjects},
    {"add-key", addKey},
    {"read-key", readKey},
    {"personality", changePersonality},
    {"write-32", write32},
    {"write-x32", writeX32},
    {"privileges", gainPrivileges},
    {"execute-from-memory", executeFromMemory},
    {nullptr, nullptr},
};

} // namespace attack
