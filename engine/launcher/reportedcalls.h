// SPDX-License-Identifier: Apache-2.0
// The refused system calls that a person is told about: who makes one of these is up to something. The others are what
// ordinary runtimes try at their start. seccompgen.cpp checks that each is on the list of refused calls, too.
#pragma once

#include <sys/socket.h>
#include <sys/syscall.h>

namespace glovebox::launcher {

enum class Deed { Namespaces, Mounts, OtherProcesses, Kernel, Keys, Machine };

struct ReportedCall
{
    int number;
    const char *name;
    Deed deed;
};

inline constexpr ReportedCall reportedCalls[] = {
    {SYS_unshare, "unshare", Deed::Namespaces},
    {SYS_setns, "setns", Deed::Namespaces},
    {SYS_mount, "mount", Deed::Mounts},
    {SYS_umount2, "umount2", Deed::Mounts},
    {SYS_pivot_root, "pivot_root", Deed::Mounts},
    {SYS_chroot, "chroot", Deed::Mounts},
    {SYS_fsopen, "fsopen", Deed::Mounts},
    {SYS_fspick, "fspick", Deed::Mounts},
    {SYS_move_mount, "move_mount", Deed::Mounts},
    {SYS_open_tree, "open_tree", Deed::Mounts},
    {SYS_mount_setattr, "mount_setattr", Deed::Mounts},
    {SYS_open_by_handle_at, "open_by_handle_at", Deed::Mounts},
    {SYS_ptrace, "ptrace", Deed::OtherProcesses},
    {SYS_process_vm_readv, "process_vm_readv", Deed::OtherProcesses},
    {SYS_process_vm_writev, "process_vm_writev", Deed::OtherProcesses},
    {SYS_pidfd_getfd, "pidfd_getfd", Deed::OtherProcesses},
    {SYS_bpf, "bpf", Deed::Kernel},
    {SYS_perf_event_open, "perf_event_open", Deed::Kernel},
    {SYS_userfaultfd, "userfaultfd", Deed::Kernel},
    {SYS_init_module, "init_module", Deed::Kernel},
    {SYS_finit_module, "finit_module", Deed::Kernel},
    {SYS_kexec_load, "kexec_load", Deed::Kernel},
    {SYS_kexec_file_load, "kexec_file_load", Deed::Kernel},
    {SYS_keyctl, "keyctl", Deed::Keys},
    {SYS_add_key, "add_key", Deed::Keys},
    {SYS_request_key, "request_key", Deed::Keys},
    {SYS_reboot, "reboot", Deed::Machine},
    {SYS_swapon, "swapon", Deed::Machine},
    {SYS_syslog, "syslog", Deed::Machine},
    {SYS_settimeofday, "settimeofday", Deed::Machine},
    {SYS_clock_settime, "clock_settime", Deed::Machine},
};

// A flag of our own packets, without a meaning for their sockets: nobody is asked about a message that has it. PID 1 is under the
// filter, and who reads its reports can't answer it at that moment. Another filter refuses messages with the flag before the program
// starts.
inline constexpr int packetFlag = MSG_EOR;

} // namespace glovebox::launcher
