// SPDX-License-Identifier: Apache-2.0
// Every protection that a run can have, by its id: what the launcher reports, the audit log keeps and the views show. No Qt, for
// the launcher.
#pragma once

#include "engine/base/enumnames.h"

#include <cstdint>

namespace glovebox {

enum class ControlId : std::uint8_t {
    Unknown, // on record by another version
    UserNamespace,
    MountNamespace,
    PidNamespace,
    NetworkNamespace,
    IpcNamespace,
    UtsNamespace,
    CgroupNamespace,
    RootFilesystem, // exactly the planned mounts
    OwnProc,
    UnprivilegedUser,
    NoNewPrivileges,
    Capabilities,
    NestedUserNamespaces,
    Seccomp,
    DenialEvents, // refused calls are told
    Landlock,
    Network,
    TreeKill,
    Inotify,
    ProcessLimits, // only when one of them could not be set
    Processes,
    Memory,
    CpuTime,
    CpuShare,
    Disk,
    FolderDisk, // what the run adds to granted folders
    EgressListeners,
    Egress,
    WallTime,
    Output,
};

template<>
inline constexpr auto enumNames<ControlId> = namesOf<ControlId>({
    {ControlId::Unknown, "unknown"},
    {ControlId::UserNamespace, "user-namespace"},
    {ControlId::MountNamespace, "mount-namespace"},
    {ControlId::PidNamespace, "pid-namespace"},
    {ControlId::NetworkNamespace, "network-namespace"},
    {ControlId::IpcNamespace, "ipc-namespace"},
    {ControlId::UtsNamespace, "uts-namespace"},
    {ControlId::CgroupNamespace, "cgroup-namespace"},
    {ControlId::RootFilesystem, "root-filesystem"},
    {ControlId::OwnProc, "own-proc"},
    {ControlId::UnprivilegedUser, "unprivileged-user"},
    {ControlId::NoNewPrivileges, "no-new-privileges"},
    {ControlId::Capabilities, "capabilities"},
    {ControlId::NestedUserNamespaces, "nested-user-namespaces"},
    {ControlId::Seccomp, "seccomp"},
    {ControlId::DenialEvents, "denial-events"},
    {ControlId::Landlock, "landlock"},
    {ControlId::Network, "network"},
    {ControlId::TreeKill, "tree-kill"},
    {ControlId::Inotify, "inotify"},
    {ControlId::ProcessLimits, "process-limits"},
    {ControlId::Processes, "processes"},
    {ControlId::Memory, "memory"},
    {ControlId::CpuTime, "cpu-time"},
    {ControlId::CpuShare, "cpu-share"},
    {ControlId::Disk, "disk"},
    {ControlId::FolderDisk, "folder-disk"},
    {ControlId::EgressListeners, "egress-listeners"},
    {ControlId::Egress, "egress"},
    {ControlId::WallTime, "wall-time"},
    {ControlId::Output, "output"},
});

constexpr bool isNamespace(ControlId id)
{
    return id >= ControlId::UserNamespace && id <= ControlId::CgroupNamespace;
}

} // namespace glovebox
