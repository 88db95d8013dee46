// SPDX-License-Identifier: Apache-2.0
#include "storefile.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

const QString temporaryName = u".new-XXXXXX"_s;
constexpr size_t readPiece = 256 * 1024;

} // namespace

TemporaryFile::TemporaryFile(const QString &folder)
    : m_name(QFile::encodeName(folder + u'/' + temporaryName))
    , m_fd(::mkostemp(m_name.data(), O_CLOEXEC)) // 0600
    , m_exists(m_fd.isValid())
{
}

TemporaryFile::TemporaryFile(TemporaryFile &&other) noexcept
    : m_name(std::move(other.m_name))
    , m_fd(std::move(other.m_fd))
    , m_exists(std::exchange(other.m_exists, false))
{
}

TemporaryFile::~TemporaryFile()
{
    if (m_exists)
        ::unlink(m_name.constData());
}

// Whoever removes what is left may have been faster: then the file has no name any more.
bool TemporaryFile::lock() const
{
    struct stat info = {};
    if (::flock(m_fd.get(), LOCK_EX | LOCK_NB) != 0 || ::fstat(m_fd.get(), &info) != 0)
        return false;
    if (info.st_nlink == 0)
        errno = EAGAIN;
    return info.st_nlink != 0;
}

bool TemporaryFile::hasSpaceFor(qint64 bytes) const
{
    struct statvfs disk = {};
    if (::fstatvfs(m_fd.get(), &disk) != 0 || quint64(bytes) / disk.f_frsize < disk.f_bavail)
        return true;
    errno = ENOSPC;
    return false;
}

bool TemporaryFile::sync() const
{
    const DiskWait wait;
    return ::fsync(m_fd.get()) == 0;
}

bool TemporaryFile::renameTo(const QString &path)
{
    if (::rename(m_name.constData(), QFile::encodeName(path).constData()) != 0)
        return false;
    m_exists = false;
    return true;
}

void removeUnlocked(const QString &folder)
{
    for (const QString &name : QDir(folder).entryList({u".new-*"_s}, QDir::Files | QDir::Hidden)) {
        const auto lock = FileLock::tryExisting(folder + u'/' + name);
        if (lock && *lock)
            QFile::remove(folder + u'/' + name);
    }
}

std::unexpected<Error> cannotStore(int error, const QString &path)
{
    const ErrorCode code = codeForErrno(error);
    if (error == EFBIG)
        return fail(code,
                    QT_TRANSLATE_NOOP("engine", "Code and output can't be kept at %1. The shell that started Glovebox "
                                                "limits the size of files (ulimit -f). Start Glovebox without that "
                                                "limit."),
                    {path}, errnoDetail(error, path));
    if (code == ErrorCode::Full)
        return fail(code,
                    QT_TRANSLATE_NOOP("engine", "There is no space left at %1, where code, output and files are kept. "
                                                "Make some space and try again."),
                    {path});
    if (error == EMFILE || error == ENFILE)
        return fail(code,
                    QT_TRANSLATE_NOOP("engine", "Code and output at %1 can't be reached: too many files are open "
                                                "already. Close other runs or programs and try again."),
                    {path}, errnoDetail(error, path));
    return fail(code,
                QT_TRANSLATE_NOOP("engine", "Code and output can't be kept at %1 (%2). Check the folder's owner "
                                            "and permissions, and its disk."),
                {path, errnoText(error)});
}

std::unexpected<Error> cannotRemove(int error, const QString &path)
{
    return fail(codeForErrno(error),
                QT_TRANSLATE_NOOP("engine", "The stored file %1 can't be removed (%2). Check the folder's owner and "
                                            "permissions, then delete again."),
                {path, errnoText(error)});
}

std::unexpected<Error> damagedBody(const QString &path)
{
    return fail(ErrorCode::Damaged,
                QT_TRANSLATE_NOOP("engine",
                                  "The stored file %1 was changed or cut off after it was written, so it isn't "
                                  "shown. Restore it from a backup."),
                {path});
}

std::unexpected<Error> noDigest()
{
    return fail(
        ErrorCode::InvalidInput,
        QT_TRANSLATE_NOOP("engine", "The content and the SHA-256 it is to be stored under don't belong together."));
}

Result<UniqueFd> openBody(const QString &path)
{
    UniqueFd fd(::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd && errno == ENOENT)
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "There is no stored file %1: it was removed, or never kept."), {path});
    struct stat info = {};
    if (!fd || ::fstat(fd.get(), &info) != 0) {
        const int error = errno;
        if (error == EMFILE || error == ENFILE)
            return cannotStore(error, path);
        return fail(
            codeForErrno(error),
            QT_TRANSLATE_NOOP("engine", "The stored file %1 can't be read (%2). Check its owner and permissions."),
            {path, errnoText(error)});
    }
    if (!S_ISREG(info.st_mode))
        return damagedBody(path);
    return fd;
}

Status readBody(const UniqueFd &body, const QString &path, const std::function<Status(QByteArrayView)> &to)
{
    const auto piece = std::make_unique_for_overwrite<char[]>(readPiece);
    for (;;) {
        const ssize_t count = ::read(body.get(), piece.get(), readPiece);
        if (count == 0)
            return {};
        if (count > 0) {
            RETURN_IF_ERROR(to({piece.get(), qsizetype(count)}));
        } else if (const int error = errno; error != EINTR) {
            return fail(ErrorCode::Io, QT_TRANSLATE_NOOP("engine", "The stored file %1 can't be read. Check its disk."),
                        {path}, errnoDetail(error, path));
        }
    }
}

Result<QStringList> folderFor(const QString &path)
{
    const QString folder = QFileInfo(path).path();
    const QString store = QFileInfo(folder).path();
    QStringList changed{folder};
    if (!QFileInfo::exists(folder))
        changed += {store, QFileInfo(store).path()};
    RETURN_IF_ERROR(makePrivateFolder(folder));
    return changed;
}

Status syncAll(const QStringList &folders, const QString &path)
{
    for (const QString &folder : folders) {
        if (const int error = syncFolder(folder))
            return cannotStore(error, path);
    }
    return {};
}

} // namespace glovebox
