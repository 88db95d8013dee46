// SPDX-License-Identifier: Apache-2.0
#include "engine/base/base.h"

#include <QtEndian>

#include <sys/xattr.h>

#include <cerrno>

namespace glovebox {

namespace {

constexpr const char *accessListName = "system.posix_acl_access";
constexpr const char *madeMark = "user.glovebox.made";

} // namespace

bool copyAttributes(int from, int to)
{
    QByteArray names(65536, Qt::Uninitialized); // XATTR_LIST_MAX
    QByteArray value(65536, Qt::Uninitialized); // XATTR_SIZE_MAX
    const ssize_t size = ::flistxattr(from, names.data(), std::size_t(names.size()));
    if (size < 0)
        return errno == ENOTSUP || errno == ENOSYS;
    bool hasAccessList = false;
    for (const QByteArray &name : names.first(size).split('\0')) {
        const bool isAccessList = name == accessListName;
        hasAccessList = hasAccessList || isAccessList;
        if (!isAccessList && !name.startsWith("user."))
            continue;
        const ssize_t length = ::fgetxattr(from, name.constData(), value.data(), std::size_t(value.size()));
        const bool isCopied =
            length >= 0 && ::fsetxattr(to, name.constData(), value.constData(), std::size_t(length), 0) == 0;
        if (!isCopied && isAccessList)
            return false;
    }
    return hasAccessList || removeAccessList(to);
}

bool removeAccessList(int file)
{
    return ::fremovexattr(file, accessListName) == 0 || errno == ENODATA || errno == ENOTSUP || errno == ENOSYS;
}

quint32 plainPermissions(int folder, const char *name, quint32 permissions)
{
    constexpr qsizetype headBytes = 4, entryBytes = 8; // acl(5): a tag, permissions and an id, of 2, 2 and 4 bytes
    constexpr quint16 owningGroup = 4;
    const QByteArray path = pathOfDescriptor(folder) + '/' + name;
    QByteArray list(65536, Qt::Uninitialized);
    const ssize_t size = ::lgetxattr(path.constData(), accessListName, list.data(), std::size_t(list.size()));
    for (qsizetype at = headBytes; at + entryBytes <= size; at += entryBytes) {
        if (qFromLittleEndian<quint16>(list.constData() + at) == owningGroup)
            // The list's mask, which the group's bits are, bounds that entry, too.
            return permissions & (~070U | ((qFromLittleEndian<quint16>(list.constData() + at + 2) & 7U) << 3));
    }
    return permissions;
}

bool markAsMade(const char *folder)
{
    return ::setxattr(folder, madeMark, "1", 1, XATTR_CREATE) == 0;
}

bool isMarkedAsMade(const char *folder)
{
    char mark = 0;
    return ::lgetxattr(folder, madeMark, &mark, 1) == 1;
}

} // namespace glovebox
