// SPDX-License-Identifier: Apache-2.0
#include "mountcheck.h"

#include "engine/launcher/bubblewraplayout.h"
#include "engine/launcher/landlock.h"
#include "engine/launcher/mountinfo.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace glovebox::launcher {

namespace {

struct Expected
{
    std::string point;
    const char *type; // nullptr: the host's, whatever it is
    std::vector<const char *> options; // that must be there
    const char *forbidden; // that must not
    std::uint64_t device = 0; // 0: not checked
    std::uint64_t inode = 0;
    bool mayBeMissing = false;
    bool seen = false;
};

// bwrap's folder with devpts.
void expectBubblewrapDevices(std::vector<Expected> &all)
{
    const std::string folder = bubblewrapDevices;
    all.push_back({folder, "tmpfs", {"ro", "nosuid", "nodev"}, "rw"});
    for (const char *node : bubblewrapNodes)
        all.push_back({folder + "/" + node, nullptr, {"nosuid"}, "nodev"});
    all.push_back({folder + "/pts", "devpts", {"nosuid", "noexec"}, ""});
}

std::vector<Expected> expectedMounts(const Plan &plan)
{
    const bool bubblewrap = plan.builder == Builder::Bubblewrap;
    const auto place = [&](const std::string &target) { return bubblewrap ? bubblewrapPlace(plan, target) : target; };
    std::vector<Expected> all{{"/", "tmpfs", {"ro", "nosuid", "nodev"}, "rw"}};
    if (bubblewrap)
        all.push_back({bubblewrapScratch, "tmpfs", {"rw", "nosuid", "nodev"}, ""});
    for (const MountStep &step : plan.steps) {
        switch (step.kind) {
        case MountStep::Kind::Folder:
        case MountStep::Kind::Symlink:
        case MountStep::Kind::File:
        case MountStep::Kind::WatchedLink:
            break;
        case MountStep::Kind::Watched:
            if (!bubblewrap) {
                all.push_back({step.target, "fuse", {"nosuid", "nodev", "noexec"}, ""});
                all.back().mayBeMissing = true; // isWatched() tells
            }
            break;
        case MountStep::Kind::Bind:
        case MountStep::Kind::Granted:
            all.push_back({place(step.target), nullptr, {"ro", "nosuid", "nodev"}, "rw", step.device, step.inode});
            break;
        case MountStep::Kind::GrantedWritable:
            all.push_back({place(step.target), nullptr, {"rw", "nosuid", "nodev"}, "", step.device, step.inode});
            break;
        case MountStep::Kind::Device:
        case MountStep::Kind::EmptyFile:
            all.push_back({step.target, nullptr, {"nosuid"}, "nodev", step.device, step.inode});
            if (!bubblewrap) // which never sets it; a device can't be executed anyway
                all.back().options.push_back("noexec");
            break;
        case MountStep::Kind::Proc:
            all.push_back({step.target, "proc", {"nosuid", "nodev", "noexec"}, ""});
            break;
        case MountStep::Kind::EmptyFolder:
            all.push_back({step.target, "tmpfs", {"ro", "nosuid", "nodev"}, "rw"});
            break;
        case MountStep::Kind::Pts:
            if (bubblewrap)
                expectBubblewrapDevices(all);
            else
                all.push_back({step.target, "devpts", {"nosuid", "noexec"}, ""});
            break;
        case MountStep::Kind::Scratch:
            if (!bubblewrap)
                all.push_back({step.target, "tmpfs", {"rw", "nosuid", "nodev"}, ""});
            break;
        }
    }
    for (const std::string &point : plan.submounts)
        all.push_back({place(point), nullptr, {"ro", "nosuid", "nodev"}, "rw"});
    for (const std::string &point : plan.writableSubmounts) // read-only where the host's are
        all.push_back({place(point), nullptr, {"nosuid", "nodev"}, ""});
    return all;
}

bool hasOption(std::string_view options, std::string_view wanted)
{
    while (!options.empty()) {
        if (takeWord(options, ',') == wanted)
            return true;
    }
    return false;
}

std::string checkOne(Expected &expected, std::string_view type, std::string_view options)
{
    if (expected.seen)
        return expected.point + " is mounted twice";
    expected.seen = true;
    if (expected.type && type != expected.type)
        return expected.point + " is " + std::string(type) + " instead of " + expected.type;
    for (const char *option : expected.options) {
        if (!hasOption(options, option))
            return expected.point + " lacks " + option;
    }
    if (*expected.forbidden && hasOption(options, expected.forbidden))
        return expected.point + " has " + expected.forbidden;
    if (expected.inode == 0)
        return {};
    struct stat info = {};
    if (::stat(expected.point.c_str(), &info) < 0)
        return expected.point + ": " + errnoName(errno);
    if (info.st_dev != expected.device || info.st_ino != expected.inode)
        return expected.point + " is not the folder that was planned";
    return {};
}

} // namespace

std::string checkMounts(const Plan &plan, const std::string &mountinfo)
{
    std::vector<Expected> all = expectedMounts(plan);
    for (const Mount &mount : parseMountinfo(mountinfo)) {
        // The host may have mounted several over each other (automounts do).
        auto expected = std::ranges::find_if(all, [&](const Expected &e) { return e.point == mount.point && !e.seen; });
        if (expected == all.end())
            expected = std::ranges::find_if(all, [&](const Expected &e) { return e.point == mount.point; });
        if (expected == all.end())
            return mount.point + " was not planned";
        if (std::string problem = checkOne(*expected, mount.type, mount.options); !problem.empty())
            return problem;
    }
    const auto missing = std::ranges::find_if(all, [](const Expected &e) { return !e.seen && !e.mayBeMissing; });
    return missing == all.end() ? std::string() : missing->point + " is not mounted";
}

// By what is known without asking who answers for it.
bool isWatched(const Plan &plan)
{
    bool isMounted = false;
    for (const MountStep &step : plan.steps) {
        if (step.kind == MountStep::Kind::Watched) {
            struct statx info = {};
            isMounted = ::statx(AT_FDCWD, step.target.c_str(), AT_STATX_DONT_SYNC, STATX_TYPE, &info) == 0
                        && (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
        }
        if (step.kind != MountStep::Kind::WatchedLink)
            continue;
        std::array<char, 256> target{};
        const ssize_t length = ::readlink(step.target.c_str(), target.data(), target.size());
        if (length < 0 || std::string_view(target.data(), static_cast<std::size_t>(length)) != step.content)
            return false;
    }
    return isMounted;
}

} // namespace glovebox::launcher
