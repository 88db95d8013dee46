// SPDX-License-Identifier: Apache-2.0
// At which step building or sealing a sandbox failed. No Qt.
#pragma once

#include "wire.h"

namespace glovebox {
namespace launcher {

enum class Stage : std::uint8_t {
    None, // nothing failed
    Clone,
    Leaf, // the run's cgroup
    Plan,
    TooManyRuns,
    Descriptors,
    Parent, // death with the spawner
    Memory, // the run goes first when the machine runs out of memory
    Identity,
    Loopback,
    HostName,
    Routes,
    Listeners,
    MountNamespace,
    OpenTree,
    Stat,
    IdentityChanged, // a source is not the one that the engine looked at
    GrantedRead, // the run's user may not read what was granted
    GrantedWrite,
    MountSetattr,
    Fsopen,
    Fsconfig,
    Fsmount,
    Procfs, // a /proc of the run's own
    MoveMount,
    Mkdir,
    Symlink,
    File, // of the person's, or of the root file system
    PivotRoot,
    Umount,
    Chdir,
    NestedUserNamespaces,
    Inotify,
    Capabilities,
    Init, // PID 1 as a program
    Seal,
    Keyring,
    Landlock,
    Seccomp,
    Terminal,
    Signalfd,
    Go, // an order that makes no sense
    Assignment,
    Limits, // no longer as they were verified
    Standstill, // something ran while all was paused
    Secret,
    Fork,
    Exec, // of the program
    // The last are about bwrap itself (explainBubblewrap()).
    BubblewrapMissing,
    BubblewrapForeign, // somebody other than root could have changed it
    BubblewrapSetuid,
    Bubblewrap, // subject: its last words
};

struct SetupError
{
    Stage stage = Stage::None;
    std::int32_t error = 0; // an errno, or 0 when there is none
    std::string subject;

    explicit operator bool() const { return stage != Stage::None; }
    static void fields(auto &self, auto &archive) { archive(self.stage, self.error, self.subject); }
};

} // namespace launcher

template<>
inline constexpr auto enumNames<launcher::Stage> = namesOf<launcher::Stage>({
    {launcher::Stage::None, "none"},
    {launcher::Stage::Clone, "clone3"},
    {launcher::Stage::Leaf, "leaf"},
    {launcher::Stage::Plan, "plan"},
    {launcher::Stage::TooManyRuns, "too-many-runs"},
    {launcher::Stage::Descriptors, "descriptors"},
    {launcher::Stage::Parent, "parent"},
    {launcher::Stage::Memory, "memory"},
    {launcher::Stage::Identity, "identity"},
    {launcher::Stage::Loopback, "loopback"},
    {launcher::Stage::HostName, "hostname"},
    {launcher::Stage::Routes, "routes"},
    {launcher::Stage::Listeners, "listeners"},
    {launcher::Stage::MountNamespace, "mount-namespace"},
    {launcher::Stage::OpenTree, "open_tree"},
    {launcher::Stage::Stat, "stat"},
    {launcher::Stage::IdentityChanged, "identity-changed"},
    {launcher::Stage::GrantedRead, "granted-read"},
    {launcher::Stage::GrantedWrite, "granted-write"},
    {launcher::Stage::MountSetattr, "mount_setattr"},
    {launcher::Stage::Fsopen, "fsopen"},
    {launcher::Stage::Fsconfig, "fsconfig"},
    {launcher::Stage::Fsmount, "fsmount"},
    {launcher::Stage::Procfs, "procfs"},
    {launcher::Stage::MoveMount, "move_mount"},
    {launcher::Stage::Mkdir, "mkdir"},
    {launcher::Stage::Symlink, "symlink"},
    {launcher::Stage::File, "file"},
    {launcher::Stage::PivotRoot, "pivot_root"},
    {launcher::Stage::Umount, "umount"},
    {launcher::Stage::Chdir, "chdir"},
    {launcher::Stage::NestedUserNamespaces, "nested-user-namespaces"},
    {launcher::Stage::Inotify, "inotify"},
    {launcher::Stage::Capabilities, "capabilities"},
    {launcher::Stage::Init, "init"},
    {launcher::Stage::Seal, "seal"},
    {launcher::Stage::Keyring, "keyring"},
    {launcher::Stage::Landlock, "landlock"},
    {launcher::Stage::Seccomp, "seccomp"},
    {launcher::Stage::Terminal, "terminal"},
    {launcher::Stage::Signalfd, "signalfd"},
    {launcher::Stage::Go, "go"},
    {launcher::Stage::Assignment, "assignment"},
    {launcher::Stage::Limits, "limits"},
    {launcher::Stage::Standstill, "standstill"},
    {launcher::Stage::Secret, "secret"},
    {launcher::Stage::Fork, "fork"},
    {launcher::Stage::Exec, "exec"},
    {launcher::Stage::BubblewrapMissing, "bwrap-missing"},
    {launcher::Stage::BubblewrapForeign, "bwrap-foreign"},
    {launcher::Stage::BubblewrapSetuid, "bwrap-setuid"},
    {launcher::Stage::Bubblewrap, "bwrap"},
});

} // namespace glovebox
