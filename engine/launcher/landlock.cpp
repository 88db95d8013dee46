// SPDX-License-Identifier: Apache-2.0
#include "landlock.h"

#include "engine/base/system/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace glovebox::launcher {

namespace {

// From linux/landlock.h; spelt out because the header of an older kernel lacks the newer rights (Documentation/userspace-api/
// landlock.rst).
struct RulesetAttributes
{
    std::uint64_t filesystem;
    std::uint64_t network;
    std::uint64_t scoped;
};
struct [[gnu::packed]] PathBeneath
{
    std::uint64_t access;
    std::int32_t parent;
};
enum : std::uint64_t {
    Execute = 1 << 0,
    WriteFile = 1 << 1,
    ReadFile = 1 << 2,
    ReadDir = 1 << 3,
    MakeCharDevice = 1 << 6,
    MakeSocket = 1 << 9,
    MakeFifo = 1 << 10,
    MakeBlockDevice = 1 << 11,
    FirstAbiRights = (1 << 13) - 1,
    Refer = 1 << 13, // ABI 2
    Truncate = 1 << 14, // ABI 3
    IoctlDevice = 1 << 15, // ABI 5
};
struct NetPort
{
    std::uint64_t access;
    std::uint64_t port;
};
constexpr std::uint64_t bindTcp = 1, connectTcp = 2; // landlockWithPorts
constexpr std::uint64_t scopeAbstractUnixAndSignal = 3; // ABI 6

std::uint64_t rightsOfAbi(int abi)
{
    std::uint64_t rights = FirstAbiRights;
    if (abi >= 2)
        rights |= Refer;
    if (abi >= 3)
        rights |= Truncate;
    if (abi >= 5)
        rights |= IoctlDevice;
    return rights;
}

std::uint64_t rightsOf(PathRule::Access access)
{
    switch (access) {
    case PathRule::Access::List:
        return ReadDir;
    case PathRule::Access::Read:
        return ReadFile | ReadDir;
    case PathRule::Access::ReadExecute:
        return ReadFile | ReadDir | Execute;
    case PathRule::Access::Device:
        return ReadFile | WriteFile | Truncate | IoctlDevice;
    case PathRule::Access::Proc: // nothing to write: oom_score_adj could be taken back, clear_refs and the like used
        return ReadFile | ReadDir;
    case PathRule::Access::Folder:
        return ~(MakeCharDevice | MakeSocket | MakeFifo | MakeBlockDevice | IoctlDevice);
    case PathRule::Access::Full:
        return ~0ULL;
    }
    return 0;
}

} // namespace

std::string errnoName(int error)
{
    const char *name = ::strerrorname_np(error);
    return name ? name : std::to_string(error);
}

std::string applyLandlock(const std::vector<PathRule> &rules, Missing missing, int &landlockAbi,
                          std::optional<std::uint16_t> onlyPort)
{
    constexpr int askVersion = 1;
    constexpr int pathBeneathRule = 1, netPortRule = 2;
    landlockAbi = static_cast<int>(::syscall(SYS_landlock_create_ruleset, nullptr, 0, askVersion));
    if (landlockAbi < 1) {
        landlockAbi = 0;
        return {};
    }
    const std::uint64_t handled = rightsOfAbi(landlockAbi);
    const bool boundsPorts = onlyPort && landlockAbi >= landlockWithPorts;
    RulesetAttributes attributes{handled, boundsPorts ? bindTcp | connectTcp : 0,
                                 landlockAbi >= 6 ? scopeAbstractUnixAndSignal : 0};
    const std::size_t size = landlockAbi >= 6 ? sizeof attributes : landlockAbi >= 4 ? 16 : 8;
    const UniqueFd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0)));
    if (!ruleset)
        return "landlock ruleset: " + errnoName(errno);
    for (const PathRule &rule : rules) {
        const UniqueFd folder(::open(rule.path.c_str(), O_PATH | O_CLOEXEC));
        if (!folder && missing == Missing::Skip)
            continue;
        // Nobody is asked for what the kernel knows: of a file system that somebody answers for (FUSE), also one of ours.
        struct statx info = {};
        if (!folder || ::statx(folder.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &info) < 0)
            return "landlock rule " + rule.path + ": " + errnoName(errno);
        std::uint64_t rights = rightsOf(rule.access) & handled;
        if (!S_ISDIR(info.stx_mode))
            rights &= Execute | WriteFile | ReadFile | Truncate | IoctlDevice;
        const PathBeneath beneath{rights, folder.get()};
        if (::syscall(SYS_landlock_add_rule, ruleset.get(), pathBeneathRule, &beneath, 0) < 0)
            return "landlock rule " + rule.path + ": " + errnoName(errno);
    }
    if (boundsPorts) {
        const NetPort port{connectTcp, *onlyPort};
        if (::syscall(SYS_landlock_add_rule, ruleset.get(), netPortRule, &port, 0) < 0)
            return "landlock rule of a port: " + errnoName(errno);
    }
    if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) < 0)
        return "landlock: " + errnoName(errno);
    return {};
}

} // namespace glovebox::launcher
