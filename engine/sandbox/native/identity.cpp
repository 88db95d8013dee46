// SPDX-License-Identifier: Apache-2.0
// Whom runs belong to on this machine.
#include "engine/sandbox/sandbox.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <array>

namespace glovebox {

namespace {

// systemd's dynamic users (systemd.io/UIDS-GIDS): never a person, and never shared with "nobody", to whom other things belong.
constexpr quint32 firstFreeId = 61184;
constexpr quint32 lastFreeId = 65519;

std::optional<HostIdentity> lookForIdentity()
{
    if (::geteuid() != 0)
        return HostIdentity{::geteuid(), ::getegid()};
    std::array<char, 16384> names{}; // what it points to; a longer entry counts as one that is there
    passwd user{};
    passwd *foundUser = nullptr;
    if (::getpwnam_r("glovebox", &user, names.data(), names.size(), &foundUser) == 0 && foundUser && user.pw_uid != 0)
        return HostIdentity{user.pw_uid, user.pw_gid};
    group userGroup{};
    group *foundGroup = nullptr;
    // The first that nobody has: the same for every engine, so that one's runs can be found by all.
    for (quint32 id = firstFreeId; id <= lastFreeId; ++id) {
        if (::getpwuid_r(id, &user, names.data(), names.size(), &foundUser) == 0 && !foundUser
            && ::getgrgid_r(id, &userGroup, names.data(), names.size(), &foundGroup) == 0 && !foundGroup)
            return HostIdentity{id, id};
    }
    return std::nullopt;
}

} // namespace

// Once a program: the lookups may ask services over the network, and what is decided stays the same for all its runs.
std::optional<HostIdentity> runIdentity()
{
    static const std::optional<HostIdentity> identity = lookForIdentity();
    return identity;
}

} // namespace glovebox
