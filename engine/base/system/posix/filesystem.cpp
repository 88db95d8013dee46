// SPDX-License-Identifier: Apache-2.0
#include "engine/base/system/places/filesystem.h"

#include "engine/base/system/files/tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

namespace glovebox {

namespace {

bool syncEntry(int parent, const char *name, int flags)
{
    const UniqueFd entry(::openat(parent, name, flags));
    return entry && ::fsync(entry.get()) == 0;
}

} // namespace

bool syncBelow(int folder)
{
    int error = 0;
    const auto sync = [&error](const QByteArray &, int parent, const char *name, const struct stat &info) {
        const bool isFolder = S_ISDIR(info.st_mode);
        if ((isFolder || S_ISREG(info.st_mode)) && !syncEntry(parent, name, isFolder ? folderFlags : fileFlags)
            && errno != ENOENT && error == 0)
            error = errno;
        return true;
    };
    const WalkEnd end = walkTree(folder, std::numeric_limits<qint64>::max(), sync);
    if (error == 0 && !syncEntry(folder, ".", folderFlags))
        error = errno;
    if (error == 0 && end != WalkEnd::Whole)
        error = EACCES;
    errno = error;
    return error == 0;
}

qint64 copyRange(int, qint64, int, qint64, std::size_t)
{
    errno = ENOTSUP;
    return -1;
}

} // namespace glovebox
