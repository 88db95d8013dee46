// SPDX-License-Identifier: Apache-2.0
#include "engine/base/base.h"

#include <QFile>

#include <fcntl.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace glovebox {

using namespace Qt::StringLiterals;

std::optional<Peer> peerOf(int socket)
{
    ucred credentials{};
    socklen_t length = sizeof credentials;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0)
        return {};
    return Peer{credentials.pid, credentials.uid};
}

bool isInUserNamespace()
{
    QFile map(u"/proc/self/uid_map"_s);
    if (!map.open(QIODevice::ReadOnly))
        return false;
    return map.readAll().simplified() != "0 0 4294967295"; // every user, as the machine has it
}

std::optional<uid_t> uidOfUnmapped()
{
    QFile overflow(u"/proc/sys/fs/overflowuid"_s);
    return overflow.open(QIODevice::ReadOnly) ? std::optional(overflow.readAll().trimmed().toUInt()) : std::nullopt;
}

// There the rights over files of the users in it go beyond modes (CAP_DAC_READ_SEARCH, user_namespaces(7)).
bool enterUserNamespaceOfOne()
{
    char users[64], groups[64];
    std::snprintf(users, sizeof users, "%u %u 1", ::geteuid(), ::geteuid());
    std::snprintf(groups, sizeof groups, "%u %u 1", ::getegid(), ::getegid());
    return ::unshare(CLONE_NEWUSER) == 0 && writeAtOnce(AT_FDCWD, "/proc/self/setgroups", "deny")
           && writeAtOnce(AT_FDCWD, "/proc/self/uid_map", users) && writeAtOnce(AT_FDCWD, "/proc/self/gid_map", groups);
}

namespace {

void makeFilesAs(uid_t uid, gid_t gid)
{
    ::setfsuid(0); // else the group can't be changed
    ::setfsgid(gid);
    ::setfsuid(uid);
}

} // namespace

MakingAs::MakingAs(const std::optional<HostIdentity> &owner)
    : m_isOther(owner.has_value())
{
    if (m_isOther)
        makeFilesAs(owner->uid, owner->gid);
}

MakingAs::~MakingAs()
{
    const int error = errno;
    if (m_isOther)
        makeFilesAs(::geteuid(), ::getegid());
    errno = error;
}

} // namespace glovebox
