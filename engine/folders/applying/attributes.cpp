// SPDX-License-Identifier: Apache-2.0
#include "attributes.h"

#include "naming.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace glovebox {

// A file system without permissions (vfat) refuses those it can't hold, and gives all its files the same. The bits that pass a folder's
// group on, or let nobody remove what others put there, are the folder's own: no run can set them.
bool takeMode(int fd, const KeptChange &kept, quint32 mode)
{
    const bool isFolder = kept.change.type == FolderChange::Type::Folder;
    struct stat info = {};
    if (isFolder && !kept.attributes && ::fstat(fd, &info) == 0)
        mode |= info.st_mode & (S_ISGID | S_ISVTX);
    return ::fchmod(fd, mode) == 0
           || (errno == EPERM && (!isFolder || kept.change.kind != FolderChange::Kind::Changed));
}

// A changed file keeps its owner and group; a new one gets those of its folder where root writes for others. Others can't
// give files away, but to groups that they are in.
bool takeOwner(int fd, int parent, const KeptChange &kept)
{
    struct stat info = {};
    const bool isKnown = kept.attributes || kept.change.kind == FolderChange::Kind::Changed;
    if (::geteuid() != 0 && !isKnown)
        return true;
    if (kept.attributes) {
        info.st_uid = kept.attributes->uid;
        info.st_gid = kept.attributes->gid;
    } else if ((!isKnown || ::fstatat(parent, nameOf(kept.change.path).constData(), &info, AT_SYMLINK_NOFOLLOW) != 0)
               && ::fstat(parent, &info) != 0) {
        return ::geteuid() != 0;
    }
    const bool isRoot = ::geteuid() == 0;
    const bool isDone = changeOwner(fd, isRoot ? info.st_uid : static_cast<uid_t>(-1), info.st_gid);
    return isDone || !isRoot;
}

// A file system that can't hold it gives its own.
void takeTime(int fd, const KeptChange &kept)
{
    if (!kept.attributes)
        return;
    constexpr qint64 second = 1'000'000'000;
    const qint64 time = kept.attributes->modifiedNs;
    const qint64 ns = (time % second + second) % second; // also before 1970
    const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                              {.tv_sec = static_cast<time_t>((time - ns) / second), .tv_nsec = static_cast<long>(ns)}};
    static_cast<void>(changeTimes(fd, times));
}

} // namespace glovebox
