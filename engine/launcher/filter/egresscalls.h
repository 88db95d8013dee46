// SPDX-License-Identifier: Apache-2.0
// The system calls that glovebox-egress and glovebox-port need once they are sealed: of sockets, threads, and the files by which names
// are resolved, which the second can't open. What else there is, is refused; arguments are bounded in seccompgen.cpp.
#pragma once

namespace glovebox::launcher {

inline constexpr const char *egressCalls[] = {
    // connections
    "accept4",
    "bind", // of the socket that tells this machine's addresses
    "connect",
    "getpeername",
    "getsockname",
    "getsockopt",
    "pipe2",
    "poll",
    "ppoll",
    "recvfrom",
    "recvmmsg",
    "recvmsg",
    "sendmmsg",
    "sendmsg",
    "sendto",
    "setsockopt",
    "shutdown",
    "splice",
    // descriptors and files
    "access",
    "close",
    "faccessat",
    "faccessat2",
    "fcntl",
    "fstat",
    "lseek",
    "lstat",
    "newfstatat",
    "pread64",
    "read",
    "readv",
    "stat",
    "statx",
    "write",
    "writev",
    // memory
    "brk",
    "madvise",
    "mmap",
    "mprotect",
    "mremap",
    "munmap",
    // threads and time
    "clock_gettime",
    "clock_nanosleep",
    "exit",
    "exit_group",
    "futex",
    "getpid",
    "getrandom",
    "gettid",
    "gettimeofday",
    "nanosleep",
    "restart_syscall",
    "rseq",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "sched_getaffinity",
    "sched_yield",
    "set_robust_list",
    "sigaltstack",
    "sysinfo",
    "time",
    "uname",
    // who it is
    "getegid",
    "geteuid",
    "getgid",
    "getuid",
};

} // namespace glovebox::launcher
