// SPDX-License-Identifier: Apache-2.0
#include "rootfs.h"

#include "engine/base/system/descriptor.h"
#include "engine/launcher/landlock.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

// <sys/mount.h> and <linux/mount.h> can't be included together before glibc 2.37.
extern "C" int mount(const char *, const char *, const char *, unsigned long, const void *) noexcept;
extern "C" int umount2(const char *, int) noexcept;

namespace glovebox::launcher {

namespace {

constexpr unsigned long recursivePrivate = 0x4000 | (1UL << 18); // MS_REC | MS_PRIVATE
constexpr unsigned long bindMount = 0x1000; // MS_BIND
constexpr int detach = 2; // MNT_DETACH
constexpr const char *staging = "/tmp"; // any folder of the old root that surely exists; it is covered, not written to
constexpr std::uint64_t noPropagation = 1UL << 18; // MS_PRIVATE, for mount_attr.propagation

int openTree(int folder, const char *path, unsigned flags)
{
    return static_cast<int>(::syscall(SYS_open_tree, folder, path, flags | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
}

int setAttributes(int mountFd, std::uint64_t attributes, bool recursive)
{
    mount_attr attr{};
    attr.attr_set = attributes;
    attr.propagation = noPropagation;
    return static_cast<int>(
        ::syscall(SYS_mount_setattr, mountFd, "", AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0), &attr, sizeof attr));
}

[[noreturn]] void tellFailed(GiveUp giveUp, Stage stage, const std::string &subject, int error = errno)
{
    giveUp(stage, subject, error);
    ::_exit(1);
}

UniqueFd newFileSystem(GiveUp giveUp, const char *type,
                       std::initializer_list<std::pair<const char *, std::string>> options, unsigned attributes)
{
    const UniqueFd context(static_cast<int>(::syscall(SYS_fsopen, type, FSOPEN_CLOEXEC)));
    if (!context)
        tellFailed(giveUp, Stage::Fsopen, type);
    for (const auto &[key, value] : options) {
        if (::syscall(SYS_fsconfig, context.get(), FSCONFIG_SET_STRING, key, value.c_str(), 0) < 0)
            tellFailed(giveUp, Stage::Fsconfig, std::string(type) + " " + key + "=" + value);
    }
    if (::syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) < 0)
        tellFailed(giveUp, Stage::Fsconfig, std::string(type) + " create");
    UniqueFd made(static_cast<int>(::syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, attributes)));
    if (!made)
        tellFailed(giveUp, std::string_view(type) == "proc" ? Stage::Procfs : Stage::Fsmount, type);
    return made;
}

class RootBuilder
{
public:
    RootBuilder(const Plan &plan, OwnFileSystems own, GiveUp giveUp)
        : m_plan(plan)
        , m_giveUp(giveUp)
        , m_own(std::move(own))
    {
    }

    void build()
    {
        if (mount("none", "/", nullptr, recursivePrivate, nullptr) < 0)
            failed(Stage::MountNamespace, "/");
        // Everything of the host's is cloned before the staging folder covers a part of it.
        openSources();
        makeScratch();
        moveTo(root(), AT_FDCWD, staging);
        if (::fchdir(root()) < 0)
            failed(Stage::Chdir, staging);
        for (std::size_t i = 0; i < m_plan.steps.size(); ++i)
            apply(m_plan.steps[i], m_sources[i]);
        enter();
    }

private:
    [[noreturn]] void failed(Stage stage, const std::string &subject, int error = errno) const
    {
        tellFailed(m_giveUp, stage, subject, error);
    }

    int root() const { return m_own.root.get(); }

    struct Source
    {
        UniqueFd tree;
        bool isFolder = false;
    };

    // The engine looked at each source; between then and now somebody may have put something else in its place.
    void openSources()
    {
        m_sources.resize(m_plan.steps.size());
        for (std::size_t i = 0; i < m_plan.steps.size(); ++i) {
            const MountStep &step = m_plan.steps[i];
            const bool device = step.kind == MountStep::Kind::Device;
            const bool granted = step.kind == MountStep::Kind::Granted || step.kind == MountStep::Kind::GrantedWritable;
            if (!device && !granted && step.kind != MountStep::Kind::Bind)
                continue;
            UniqueFd tree(openTree(AT_FDCWD, step.source.c_str(), AT_SYMLINK_NOFOLLOW | (device ? 0 : AT_RECURSIVE)));
            if (!tree)
                failed(Stage::OpenTree, step.source);
            struct stat info = {};
            if (::fstat(tree.get(), &info) < 0)
                failed(Stage::Stat, step.source);
            if (info.st_dev != step.device || info.st_ino != step.inode)
                failed(Stage::IdentityChanged, step.source, ESTALE);
            if (granted)
                requireAccess(step, tree.get(), S_ISDIR(info.st_mode));
            std::uint64_t attributes = MOUNT_ATTR_NOSUID | (device ? MOUNT_ATTR_NOEXEC : MOUNT_ATTR_NODEV);
            if (!device && step.kind != MountStep::Kind::GrantedWritable)
                attributes |= MOUNT_ATTR_RDONLY;
            if (setAttributes(tree.get(), attributes, !device) < 0)
                failed(Stage::MountSetattr, step.source);
            m_sources[i] = {std::move(tree), S_ISDIR(info.st_mode)};
        }
    }

    // The run's own user, not the builder's capabilities: better told now than by each open inside.
    void requireAccess(const MountStep &step, int tree, bool folder) const
    {
        const int wanted = R_OK | (folder ? X_OK : 0) | (step.kind == MountStep::Kind::GrantedWritable ? W_OK : 0);
        if (::syscall(SYS_faccessat2, tree, "", wanted, AT_EMPTY_PATH) < 0)
            failed(wanted & W_OK ? Stage::GrantedWrite : Stage::GrantedRead, step.source);
    }

    void moveTo(int mountFd, int folder, const char *path) const
    {
        if (::syscall(SYS_move_mount, mountFd, "", folder, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
            failed(Stage::MoveMount, path);
    }

    // One tmpfs holds all that a run can write, so that one size and one number of inodes bound it. Its own mount lies below the
    // new root and goes with the old one: each umount by itself waits for all processors (synchronize_rcu_expedited).
    void makeScratch()
    {
        m_scratch = newFileSystem(m_giveUp, "tmpfs",
                                  {{"size", std::to_string(m_plan.scratchBytes)},
                                   {"nr_inodes", std::to_string(m_plan.scratchInodes)},
                                   {"mode", "0755"}},
                                  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
        moveTo(m_scratch.get(), AT_FDCWD, staging);
    }

    void makeFile(const char *path, const std::string &content) const
    {
        if (!writeAtOnce(root(), path, content, O_CREAT | O_EXCL | O_NOFOLLOW, 0444))
            failed(Stage::File, path);
    }

    // For something to be mounted on.
    void makePlace(const char *path, bool isFolder) const
    {
        if (isFolder)
            return makeFolder(path);
        const UniqueFd fd(::openat(root(), path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444));
        if (!fd && errno != EEXIST)
            failed(Stage::File, path);
    }

    void makeFolder(const char *path, mode_t mode = 0755) const
    {
        if (::mkdirat(root(), path, mode) < 0 && errno != EEXIST)
            failed(Stage::Mkdir, path);
    }

    // What a cover lies over is there: a file or folder of /proc. By one call for each: there are many.
    void cover(const char *path, const char *by) const
    {
        if (::syscall(SYS_mount, by, path, nullptr, bindMount, nullptr) < 0)
            failed(Stage::MoveMount, path);
    }

    void coverFolder(const char *path)
    {
        if (!m_empty)
            moveTo(m_own.empty.get(), root(), path);
        else
            cover(path, m_empty);
        m_empty = path;
    }

    void apply(const MountStep &step, const Source &source)
    {
        const char *path = step.target.c_str() + 1; // relative to the new root
        switch (step.kind) {
        case MountStep::Kind::Folder:
            return makeFolder(path);
        case MountStep::Kind::Watched:
            makeFolder(path);
            if (m_own.watched)
                moveTo(m_own.watched.get(), root(), path);
            return;
        case MountStep::Kind::WatchedLink:
            if (!m_own.watched)
                return;
            [[fallthrough]];
        case MountStep::Kind::Symlink:
            if (::symlinkat(step.content.c_str(), root(), path) < 0)
                failed(Stage::Symlink, step.target);
            return;
        case MountStep::Kind::File:
            return makeFile(path, step.content);
        case MountStep::Kind::Bind:
        case MountStep::Kind::Granted:
        case MountStep::Kind::GrantedWritable:
        case MountStep::Kind::Device:
            makePlace(path, source.isFolder);
            return moveTo(source.tree.get(), root(), path);
        case MountStep::Kind::Proc:
            makeFolder(path);
            return moveTo(m_own.proc.get(), root(), path);
        case MountStep::Kind::EmptyFile:
            return cover(path, step.source.c_str() + 1);
        case MountStep::Kind::EmptyFolder:
            return coverFolder(path);
        case MountStep::Kind::Pts:
            makeFolder(path);
            return moveTo(m_own.terminals.get(), root(), path);
        case MountStep::Kind::Scratch: {
            const mode_t mode = step.use == MountStep::Use::Shared ? 01777 : 0700;
            if (::mkdirat(m_scratch.get(), step.content.c_str(), mode) < 0
                || ::fchmodat(m_scratch.get(), step.content.c_str(), mode, 0) < 0)
                failed(Stage::Mkdir, step.content);
            const UniqueFd tree(openTree(m_scratch.get(), step.content.c_str(), 0));
            if (!tree)
                failed(Stage::OpenTree, step.content);
            makeFolder(path);
            return moveTo(tree.get(), root(), path);
        }
        }
    }

    void enter() const
    {
        if (::syscall(SYS_pivot_root, ".", ".") < 0)
            failed(Stage::PivotRoot, "/");
        // The old root lies over the new one now; what is left after this is the new one alone.
        if (umount2(".", detach) < 0 || ::chdir("/") < 0)
            failed(Stage::Umount, "the host's root");
        const UniqueFd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!root || setAttributes(root.get(), MOUNT_ATTR_RDONLY, false) < 0)
            failed(Stage::MountSetattr, "/");
        if (::chdir("/work") < 0)
            failed(Stage::Chdir, "/work");
    }

    const Plan &m_plan;
    GiveUp m_giveUp;
    OwnFileSystems m_own;
    std::vector<Source> m_sources; // of the plan's steps; most have none
    UniqueFd m_scratch;
    const char *m_empty =
        nullptr; // where an empty folder lies over another, relative to the root; nullptr: nowhere yet
};

} // namespace

OwnFileSystems makeOwnFileSystems(GiveUp giveUp)
{
    OwnFileSystems own;
    own.root = newFileSystem(giveUp, "tmpfs", {{"size", "8m"}, {"nr_inodes", "1024"}, {"mode", "0755"}},
                             MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    own.proc = newFileSystem(giveUp, "proc", {}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    own.terminals = newFileSystem(giveUp, "devpts", {{"ptmxmode", "0666"}, {"mode", "0600"}, {"max", "64"}},
                                  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
    own.empty = newFileSystem(giveUp, "tmpfs", {{"size", "4k"}, {"nr_inodes", "1"}, {"mode", "0555"}},
                              MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    return own;
}

// A part of telling, not of sealing: a machine that gives none runs code all the same. Only whoever has this descriptor answers for the
// file system, and only processes of the mounting user, who is the run's, get through to it (fuse.rst, "allow_other").
void makeWatched(OwnFileSystems &own)
{
    const auto missing = [&own](const char *what) { own.watchedProblem = what + (": " + errnoName(errno)); };
    UniqueFd server(::open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK));
    if (!server)
        return missing("/dev/fuse");
    const UniqueFd context(static_cast<int>(::syscall(SYS_fsopen, "fuse", FSOPEN_CLOEXEC)));
    if (!context)
        return missing("fuse");
    const std::string user = std::to_string(insideUid);
    const std::pair<const char *, std::string> options[] = {
        {"fd", std::to_string(server.get())}, {"rootmode", "40000"}, {"user_id", user}, {"group_id", user}};
    for (const auto &[key, value] : options) {
        if (::syscall(SYS_fsconfig, context.get(), FSCONFIG_SET_STRING, key, value.c_str(), 0) < 0)
            return missing(key);
    }
    if (::syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) < 0)
        return missing("fuse");
    own.watched.reset(static_cast<int>(::syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC,
                                                 MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)));
    if (!own.watched)
        return missing("fuse");
    own.watchedServer = std::move(server);
}

void buildRootFileSystem(const Plan &plan, OwnFileSystems own, GiveUp giveUp)
{
    ::umask(0022);
    RootBuilder(plan, std::move(own), giveUp).build();
}

} // namespace glovebox::launcher
