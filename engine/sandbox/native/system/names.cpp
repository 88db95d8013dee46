// SPDX-License-Identifier: Apache-2.0
#include "engine/base/base.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace glovebox {

UniqueFd openNameless(int folder, const char *path, int access)
{
    UniqueFd file(::openat(folder, path, O_TMPFILE | access | O_CLOEXEC, 0600));
    if (!file && (errno == EISDIR || errno == EINVAL)) // so say those of before, and some of FUSE, open(2)
        errno = EOPNOTSUPP;
    return file;
}

int nameFile(int nameless, int folder, const char *name)
{
    const QByteArray file = pathOfDescriptor(nameless);
    return ::linkat(AT_FDCWD, file.constData(), folder, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

// Not every file system can rename so (some of FUSE), or has hard links (vfat, exfat, some of FUSE).
int renameToNew(int folder, const char *from, const char *to)
{
    if (::renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    return renameByLink(folder, from, to);
}

int exchangeNames(const char *one, const char *other)
{
    return ::renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0 ? 0 : errno;
}

} // namespace glovebox
