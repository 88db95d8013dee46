// SPDX-License-Identifier: Apache-2.0
// flock(2): the lock belongs to the open file, so it goes when the last descriptor of it does.
#include "filelock.h"

#include "engine/base/system/oserror.h"

#include <QFile>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace glovebox {

namespace {

constexpr auto patience = std::chrono::seconds(2); // a recovering program holds a lock for one short transaction
constexpr auto pause = std::chrono::milliseconds(1);

enum class Attempt { Taken, Held, Unlinked };

// O_NOFOLLOW: a symbolic link in the folder is none of ours, and following it would lock a file of somebody's choice.
Result<UniqueFd> openLockFile(const QString &path, int flags)
{
    const QByteArray name = QFile::encodeName(path);
    for (;;) {
        UniqueFd fd(::open(name.constData(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
        if (fd)
            return fd;
        if (errno == EMFILE || errno == ENFILE)
            return fail(ErrorCode::Unavailable,
                        QT_TRANSLATE_NOOP("engine", "The lock file %1 can't be opened: too many files are open "
                                                    "already. Close other runs or programs and try again."),
                        {path}, errnoDetail(errno, path));
        if (errno == EROFS)
            return fail(ErrorCode::PermissionDenied,
                        QT_TRANSLATE_NOOP("engine", "The file %1 can't be written: the file system is read-only. Set "
                                                    "GLOVEBOX_HOME to a folder that you can write to."),
                        {path}, errnoDetail(errno, path));
        if (codeForErrno(errno) == ErrorCode::Full)
            return fail(ErrorCode::Full,
                        QT_TRANSLATE_NOOP("engine", "The lock file %1 can't be made: the disk is full. Make some space "
                                                    "and try again."),
                        {path});
        if (errno != EINTR)
            return fail(codeForErrno(errno),
                        QT_TRANSLATE_NOOP("engine", "The lock file %1 can't be opened. Check its folder's owner and "
                                                    "permissions."),
                        {path}, errnoDetail(errno, path));
    }
}

// A lock is worth something only while the path still names the locked file: whoever held it before may have unlinked it
// between our open() and flock(), and the next program would then lock a new file of that name.
Result<Attempt> tryLock(const UniqueFd &fd, const QString &path)
{
    while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return Attempt::Held;
        if (errno != EINTR)
            return fail(ErrorCode::Unsupported,
                        QT_TRANSLATE_NOOP("engine", "The file %1 can't be locked. Move Glovebox's data to a file "
                                                    "system that supports locks."),
                        {path}, errnoDetail(errno, path));
    }
    struct stat held = {};
    struct stat named = {};
    if (::fstat(fd.get(), &held) == 0 && held.st_nlink > 0 && ::lstat(QFile::encodeName(path).constData(), &named) == 0
        && held.st_dev == named.st_dev && held.st_ino == named.st_ino)
        return Attempt::Taken;
    return Attempt::Unlinked;
}

} // namespace

Result<FileLock> FileLock::create(const QString &path)
{
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (;;) {
        ASSIGN_OR_RETURN(auto fd, openLockFile(path, O_CREAT));
        ASSIGN_OR_RETURN(const auto attempt, tryLock(fd, path));
        if (attempt == Attempt::Taken)
            return FileLock(std::move(fd), path);
        if (attempt == Attempt::Held && std::chrono::steady_clock::now() >= deadline)
            return fail(ErrorCode::Busy,
                        QT_TRANSLATE_NOOP("engine", "The lock %1 is held by another program, or by one of Glovebox's "
                                                    "own that waits for a disk. Try again when it has ended."),
                        {path});
        if (attempt == Attempt::Held)
            std::this_thread::sleep_for(pause);
    }
}

Result<std::optional<FileLock>> FileLock::tryExisting(const QString &path)
{
    auto fd = openLockFile(path, 0);
    if (!fd) {
        if (fd.error().code == ErrorCode::NotFound)
            return std::nullopt;
        return std::unexpected(fd.error());
    }
    ASSIGN_OR_RETURN(const auto attempt, tryLock(*fd, path));
    if (attempt != Attempt::Taken)
        return std::nullopt;
    return FileLock(std::move(*fd), path);
}

bool FileLock::isHeld(const QString &path)
{
    const auto fd = openLockFile(path, 0);
    return fd && ::flock(fd->get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

void FileLock::removeAndRelease()
{
    if (!m_fd)
        return;
    ::unlink(QFile::encodeName(m_path).constData());
    m_fd.reset();
}

} // namespace glovebox
