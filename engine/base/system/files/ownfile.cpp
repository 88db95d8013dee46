// SPDX-License-Identifier: Apache-2.0
#include "ownfile.h"

#include "engine/base/system/descriptor.h"
#include "engine/base/system/oserror.h"
#include "engine/base/system/usernamespace.h"

#include <QFile>

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// In a user namespace root of the machine has no id, and its folders look like those of this user (proc(5), overflowuid).
bool isUnmapped(uid_t owner)
{
    return isInUserNamespace() && uidOfUnmapped() == owner;
}

bool isOurs(uid_t owner)
{
    return owner == ::geteuid() || owner == 0 || isUnmapped(owner);
}

// Whose first group it is, the list of its members doesn't say. Users of a directory service would take a question each.
bool isFirstGroupOfAnother(gid_t group, uid_t user)
{
    QFile accounts(u"/etc/passwd"_s);
    if (!accounts.open(QIODevice::ReadOnly))
        return true;
    for (const QByteArray &line : accounts.readAll().split('\n')) {
        const QByteArrayList fields = line.split(':'); // passwd(5)
        if (fields.size() > 3 && fields[3].toUInt() == group && fields[2].toUInt() != user)
            return true;
    }
    return false;
}

// A group that a user has alone: where those are usual, so is the right to write for them (umask 002).
bool isGroupOfOne(gid_t group, uid_t user)
{
    std::array<char, 16384> room;
    passwd account{};
    passwd *found = nullptr;
    if (::getpwuid_r(user, &account, room.data(), room.size(), &found) != 0 || !found || found->pw_gid != group)
        return false;
    const QByteArray name = found->pw_name;
    struct group members{};
    struct group *its = nullptr;
    if (::getgrgid_r(group, &members, room.data(), room.size(), &its) != 0 || !its)
        return false;
    for (char **member = its->gr_mem; *member; ++member) {
        if (name != *member)
            return false;
    }
    return !isFirstGroupOfAnother(group, user);
}

bool canOthersWrite(const struct stat &info)
{
    return (info.st_mode & S_IWOTH) != 0 || ((info.st_mode & S_IWGRP) != 0 && !isGroupOfOne(info.st_gid, info.st_uid));
}

std::unexpected<Error> ofAnother(const QString &path)
{
    return fail(ErrorCode::PermissionDenied,
                QT_TRANSLATE_NOOP("engine",
                                  "%1 belongs to another user, so Glovebox doesn't use it. Move it aside, or set "
                                  "GLOVEBOX_HOME to a folder of your own."),
                {path});
}

std::unexpected<Error> writtenByOthers(const QString &path)
{
    return fail(ErrorCode::PermissionDenied,
                QT_TRANSLATE_NOOP("engine", "Other users can write to %1. Take that right away with \"chmod go-w\" and "
                                            "try again."),
                {path});
}

std::unexpected<Error> unreadable(const QString &path, int error)
{
    if (error == EACCES || error == EPERM)
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "You may not read %1. Correct the permissions of the file and of its "
                                                "folder, or move it aside."),
                    {path}, errnoDetail(error, path));
    return fail(codeForErrno(error), QT_TRANSLATE_NOOP("engine", "%1 can't be read: %2. Move it aside."),
                {path, errnoText(error)});
}

using RealPath = std::unique_ptr<char, decltype(&std::free)>;

} // namespace

Status checkFoldersAbove(const QString &path)
{
    const RealPath real(::realpath(QFile::encodeName(path.section(u'/', 0, -2)).constData(), nullptr), &std::free);
    if (!real)
        return {}; // not there: what is made here is private
    for (QByteArray folder(real.get());; folder.truncate(std::max<qsizetype>(folder.lastIndexOf('/'), 1))) {
        struct stat info = {};
        if (::stat(folder.constData(), &info) != 0)
            return unreadable(QFile::decodeName(folder), errno);
        if (!isOurs(info.st_uid))
            return ofAnother(QFile::decodeName(folder));
        if (canOthersWrite(info) && (info.st_mode & S_ISVTX) == 0)
            return writtenByOthers(QFile::decodeName(folder));
        if (folder == "/")
            return {};
    }
}

Result<std::optional<QByteArray>> readOwnFile(const QString &path, qint64 mostBytes)
{
    const QByteArray name = QFile::encodeName(path);
    // Not blocking, and looked at before anything is read: to open a FIFO may wait for ever, and a device may do something.
    struct stat info = {};
    if (::stat(name.constData(), &info) != 0) {
        const int error = errno;
        if (error == ENOENT && ::lstat(name.constData(), &info) != 0)
            return std::nullopt;
        return unreadable(path, error);
    }
    UniqueFd file;
    if (S_ISREG(info.st_mode)) {
        file.reset(::open(name.constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
        if (!file || ::fstat(file.get(), &info) != 0)
            return unreadable(path, errno);
    }
    if (!S_ISREG(info.st_mode))
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "%1 is not a regular file. Move it aside."),
                    {path});
    if (!isOurs(info.st_uid))
        return ofAnother(path);
    if (canOthersWrite(info))
        return writtenByOthers(path);
    RETURN_IF_ERROR(checkFoldersAbove(path));
    // Where links lead to, other folders decide.
    const RealPath real(::realpath(name.constData(), nullptr), &std::free);
    if (real)
        RETURN_IF_ERROR(checkFoldersAbove(QFile::decodeName(real.get())));
    QByteArray bytes(qsizetype(std::min<qint64>(mostBytes, info.st_size)) + 1, '\0');
    qsizetype size = 0;
    while (size < bytes.size()) {
        const ssize_t count = ::read(file.get(), bytes.data() + size, size_t(bytes.size() - size));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return unreadable(path, errno);
        if (count == 0)
            break;
        size += count;
    }
    if (info.st_size > mostBytes || size > mostBytes)
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "%1 has more than %2 bytes. Move it aside."),
                    {path, QString::number(mostBytes)});
    bytes.truncate(size);
    return bytes;
}

} // namespace glovebox
