// SPDX-License-Identifier: Apache-2.0
#include "bubblewrap.h"

#include "engine/launcher/bubblewraplayout.h"
#include "engine/launcher/init/init.h"
#include "engine/launcher/packet.h"
#include "engine/launcher/protocol.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>

namespace glovebox::launcher {

namespace {

// Open over exec, at a number that bwrap is told.
std::string handOver(int fd)
{
    const int number = ::fcntl(fd, F_DUPFD, 64);
    if (number < 0)
        giveUp(Stage::Descriptors, "duplicate", errno);
    return std::to_string(number);
}

std::string handOver(const std::string &content)
{
    const UniqueFd fd = sealedMemory("glovebox-bwrap", content);
    if (!fd || ::lseek(fd.get(), 0, SEEK_SET) < 0)
        giveUp(Stage::Descriptors, "memfd", errno);
    return handOver(fd.get());
}

// Only the distribution's own: one that somebody else could have written, or that has more rights than its caller, is refused.
// A setuid bwrap would do its work as root (CVE-2020-5291).
UniqueFd openProgram(const std::string &path)
{
    UniqueFd program(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat info = {};
    if (!program || ::fstat(program.get(), &info) < 0)
        giveUp(Stage::BubblewrapMissing, path, errno);
    const bool capable = ::fgetxattr(program.get(), "security.capability", nullptr, 0) >= 0;
    if (!S_ISREG(info.st_mode) || info.st_uid != 0 || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        giveUp(Stage::BubblewrapForeign, path, 0);
    if ((info.st_mode & (S_ISUID | S_ISGID)) != 0 || capable)
        giveUp(Stage::BubblewrapSetuid, path, 0);
    // Whoever calls the spawner names the path. Another program that takes such arguments (gdb does), or one in a FUSE file system that
    // says that it is of root, would do as they say, with the user namespaces of the spawner's AppArmor profile.
    if (path != bubblewrapProgram)
        giveUp(Stage::BubblewrapForeign, path, 0);
    // Away from the low numbers, which arrangeDescriptors() gives to others.
    UniqueFd away(::fcntl(program.get(), F_DUPFD_CLOEXEC, 64));
    if (!away)
        giveUp(Stage::Descriptors, "duplicate", errno);
    return away;
}

class Arguments
{
public:
    explicit Arguments(const Plan &plan)
        : m_plan(plan)
    {
        add({"--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"});
        add({"--unshare-cgroup-try", "--disable-userns", "--die-with-parent", "--as-pid-1"});
        add({"--cap-drop", "ALL", "--cap-add", "CAP_SETPCAP"}); // with which init locks its securebits, and drops it
        add({"--uid", std::to_string(insideUid), "--gid", std::to_string(insideUid), "--hostname", "glovebox"});
        makeScratch();
        for (const MountStep &step : plan.steps)
            addStep(step);
        // Only what has been mounted by now stays writable.
        add({"--remount-ro", "/", "--chdir", "/work"});
    }

    // As --args wants it: each ends with a zero byte.
    const std::string &text() const { return m_text; }

private:
    void add(std::initializer_list<std::string> words)
    {
        for (const std::string &word : words)
            m_text.append(word).push_back('\0');
    }

    // First, since targets may lie below it.
    void makeScratch()
    {
        add({"--perms", "0755", "--size", std::to_string(m_plan.scratchBytes), "--tmpfs", bubblewrapScratch});
        for (const MountStep &step : m_plan.steps) {
            if (step.kind == MountStep::Kind::Scratch)
                add({"--perms", step.use == MountStep::Use::Shared ? "1777" : "0700", "--dir",
                     std::string(bubblewrapScratch) + "/" + step.content});
        }
    }

    void addStep(const MountStep &step)
    {
        const std::string place = bubblewrapPlace(m_plan, step.target);
        switch (step.kind) {
        case MountStep::Kind::Folder:
        case MountStep::Kind::Watched: // bwrap mounts none
            return add({"--dir", place});
        case MountStep::Kind::WatchedLink:
            return;
        case MountStep::Kind::Symlink:
            return add({"--symlink", step.content, place});
        case MountStep::Kind::File: // into the root, which becomes read-only: no mount of its own
            return add({"--perms", "0444", "--file", handOver(step.content), place});
        case MountStep::Kind::Granted:
            requireAccess(step, R_OK);
            [[fallthrough]];
        case MountStep::Kind::Bind:
            return add({"--ro-bind", step.source, place});
        case MountStep::Kind::GrantedWritable:
            requireAccess(step, R_OK | W_OK);
            return add({"--bind", step.source, place});
        case MountStep::Kind::Device:
        case MountStep::Kind::EmptyFile:
            return add({"--dev-bind", step.source, place});
        case MountStep::Kind::Proc:
            return add({"--proc", place});
        case MountStep::Kind::EmptyFolder:
            return add({"--tmpfs", place, "--remount-ro", place});
        case MountStep::Kind::Pts:
            add({"--dev", bubblewrapDevices, "--remount-ro", bubblewrapDevices});
            return add({"--symlink", std::string(bubblewrapDevices) + "/pts", place});
        case MountStep::Kind::Scratch:
            // A copy's place may lie behind another's link.
            return add({"--symlink", scratchPlace(step), place == scratchPlace(step) ? step.target : place});
        }
    }

    // The run's own user: better told now than by each open inside. That bwrap binds the same folder, init finds out.
    void requireAccess(const MountStep &step, int wanted) const
    {
        const UniqueFd folder(::open(step.source.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        struct stat info = {};
        if (!folder || ::fstat(folder.get(), &info) < 0)
            giveUp(errno == EACCES ? Stage::GrantedRead : Stage::Stat, step.source, errno);
        if (info.st_dev != step.device || info.st_ino != step.inode)
            giveUp(Stage::IdentityChanged, step.source, ESTALE);
        if (::syscall(SYS_faccessat2, folder.get(), "", wanted | (S_ISDIR(info.st_mode) ? X_OK : 0), AT_EMPTY_PATH) < 0)
            giveUp((wanted & W_OK) != 0 ? Stage::GrantedWrite : Stage::GrantedRead, step.source, errno);
    }

    static std::string scratchPlace(const MountStep &step)
    {
        return std::string(bubblewrapScratch) + "/" + step.content;
    }

    const Plan &m_plan;
    std::string m_text;
};

} // namespace

void execBubblewrap(const Plan &plan, const LaunchDescriptors &descriptors, int initProgram, int messages)
{
    // No PR_SET_PDEATHSIG yet: bwrap sets it (--die-with-parent) when it has cloned PID 1, and lets that one go on just after it.
    // Until PID 1 has set its own, the spawner's end kills both as their tracer's (tracer.h).
    beginChild(descriptors[ReportFd].get());
    const UniqueFd program = openProgram(plan.bubblewrap);
    const std::string init = "/proc/self/fd/" + handOver(initProgram);
    const std::string arguments = handOver(Arguments(plan).text());
    arrangeDescriptors(descriptors, initStandardFds, messages);
    const char *const argv[] = {"bwrap", "--args", arguments.c_str(), "--", init.c_str(), initArgument, nullptr};
    char *const environment[] = {nullptr};
    ::syscall(SYS_execveat, program.get(), "", argv, environment, AT_EMPTY_PATH);
    giveUp(Stage::BubblewrapMissing, plan.bubblewrap, errno);
}

} // namespace glovebox::launcher
