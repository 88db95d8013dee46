// SPDX-License-Identifier: Apache-2.0
#include "engine/base/system/places/place.h"

#include "engine/base/system/files/tree.h"

#include <QByteArrayList>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace glovebox {

// Looked at before it is opened, since opening may wait or do something, and held to that afterwards.
UniqueFd openPlace(int folder, const char *name)
{
    struct stat seen = {}, info = {};
    if (::fstatat(folder, name, &seen, AT_SYMLINK_NOFOLLOW) != 0)
        return {};
    if (!S_ISREG(seen.st_mode) && !S_ISDIR(seen.st_mode)) {
        errno = ENOTSUP;
        return {};
    }
    UniqueFd place(::openat(folder, name, S_ISDIR(seen.st_mode) ? folderFlags : fileFlags));
    if (place && (::fstat(place.get(), &info) != 0 || info.st_dev != seen.st_dev || info.st_ino != seen.st_ino)) {
        errno = EAGAIN;
        place.reset();
    }
    return place;
}

UniqueFd openFolderPlace(const char *path, int flags)
{
    return UniqueFd(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags));
}

UniqueFd openBeneath(int folder, const char *path, int flags)
{
    QByteArrayList parts = QByteArray(path).split('/');
    if (*path == '/' || parts.contains("..")) {
        errno = EXDEV;
        return {};
    }
    parts.removeIf([](const QByteArray &part) { return part.isEmpty() || part == "."; });
    return openBelow(folder, parts.isEmpty() ? QByteArray(*path ? "." : "") : parts.join('/'), flags | O_NOFOLLOW);
}

UniqueFd openHeld(int, int)
{
    errno = ENOTSUP;
    return {};
}

bool changeMode(int place, mode_t mode)
{
    return ::fchmod(place, mode) == 0;
}

bool changeOwner(int place, uid_t user, gid_t group)
{
    return ::fchown(place, user, group) == 0;
}

bool changeTimes(int place, const timespec (&times)[2])
{
    return ::futimens(place, times) == 0;
}

QByteArray pathOfDescriptor(int descriptor)
{
    return "/dev/fd/" + QByteArray::number(descriptor);
}

std::optional<int> descriptorOfPath(const QByteArray &path)
{
    bool isNumber = false;
    const int number = path.sliced(path.lastIndexOf('/') + 1).toInt(&isNumber);
    return isNumber && number >= 0 && path == pathOfDescriptor(number) ? std::optional(number) : std::nullopt;
}

} // namespace glovebox
