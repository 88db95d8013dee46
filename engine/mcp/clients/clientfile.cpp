// SPDX-License-Identifier: Apache-2.0
#include "clientfile.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 longestFile = 64 * 1024 * 1024; // histories grow in some: ~/.claude.json has been seen with tens of MB

std::unexpected<Error> notRead(const QString &path, int error)
{
    return fail(codeForErrno(error),
                QT_TRANSLATE_NOOP("engine", "%1 can't be read: %2. Correct its permissions and try again."),
                {path, errnoText(error)});
}

std::unexpected<Error> notWritten(const QString &path, int error)
{
    return fail(
        codeForErrno(error),
        QT_TRANSLATE_NOOP("engine", "%1 can't be written: %2. Nothing was changed. Correct that and try again."),
        {path, errnoText(error)});
}

// A new file in the same folder, gone again unless it took the other's place.
class FreshFile
{
public:
    explicit FreshFile(const QString &path)
        : m_name(QFile::encodeName(path) + ".glovebox-XXXXXX")
        , m_fd(::mkostemp(m_name.data(), O_CLOEXEC))
    {
    }
    FreshFile(const FreshFile &) = delete;
    FreshFile &operator=(const FreshFile &) = delete;
    ~FreshFile()
    {
        if (m_fd)
            ::unlink(m_name.constData()); // after a rename there is nothing of that name
    }

    int fd() const { return m_fd.get(); }
    const char *name() const { return m_name.constData(); }

private:
    QByteArray m_name;
    UniqueFd m_fd;
};

bool takesAfter(int fd, const struct stat &info)
{
    if ((info.st_uid != ::geteuid() || info.st_gid != ::getegid()) && ::fchown(fd, info.st_uid, info.st_gid) != 0)
        return false;
    return ::fchmod(fd, info.st_mode & 07777) == 0;
}

// False: not all of it could be made.
bool makeFolders(const QString &folder)
{
    QStringList missing;
    for (QString above = folder; !QFileInfo::exists(above); above = QFileInfo(above).path())
        missing.prepend(above);
    if (!QDir().mkpath(folder))
        return false;
    for (const QString &made : std::as_const(missing)) // without the mark, a folder stays
        static_cast<void>(markAsMade(QFile::encodeName(made).constData()));
    return true;
}

void removeMadeFolders(const QString &folder)
{
    QByteArray made = QFile::encodeName(folder);
    while (isMarkedAsMade(made.constData()) && ::rmdir(made.constData()) == 0) // only an empty one
        made.truncate(made.lastIndexOf('/'));
}

} // namespace

Result<QString> linkedFile(const QString &path)
{
    const QFileInfo info(path);
    if (!info.isSymLink())
        return path;
    QString target = info.canonicalFilePath();
    if (!target.isEmpty())
        return target;
    return fail(
        ErrorCode::NotFound,
        QT_TRANSLATE_NOOP("engine", "%1 is a link to a file that isn't there. Make that file, or remove the link."),
        {path});
}

Result<std::optional<QByteArray>> readClientFile(const QString &path)
{
    const QByteArray name = QFile::encodeName(path);
    struct stat info = {};
    if (::stat(name.constData(), &info) != 0) {
        if (errno == ENOENT)
            return std::nullopt;
        return notRead(path, errno);
    }
    if (!S_ISREG(info.st_mode))
        return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "%1 is not a regular file. Move it aside."),
                    {path});
    const UniqueFd fd(::open(name.constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd || ::fstat(fd.get(), &info) != 0)
        return notRead(path, errno);
    QFile file;
    if (info.st_size > longestFile || !file.open(fd.get(), QIODevice::ReadOnly))
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "%1 has more than %2 bytes, too many to change. Add Glovebox by hand."),
                    {path, QString::number(longestFile)});
    QByteArray bytes = file.readAll();
    if (file.error() != QFileDevice::NoError)
        return notRead(path, EIO);
    return bytes;
}

Status checkUnchanged(const QString &path, const std::optional<QByteArray> &before)
{
    ASSIGN_OR_RETURN(const auto now, readClientFile(path));
    if (now == before)
        return {};
    return fail(
        ErrorCode::Busy,
        QT_TRANSLATE_NOOP("engine", "%1 was changed by another program meanwhile. Nothing was written. Try again."),
        {path});
}

Status replaceClientFile(const QString &path, const std::optional<QByteArray> &before, QByteArrayView bytes)
{
    const QString folder = QFileInfo(path).path();
    if (!makeFolders(folder))
        return notWritten(path, QFileInfo(folder).exists() ? ENOTDIR : EACCES);
    RETURN_IF_ERROR(checkUnchanged(path, before));
    const QByteArray name = QFile::encodeName(path);
    struct stat info = {};
    if (before && ::stat(name.constData(), &info) != 0)
        return notWritten(path, errno);
    // Who takes away the right to write means that, and whoever manages such files would undo a change.
    if (before && ((info.st_mode & 0222) == 0 || ::access(name.constData(), W_OK) != 0))
        return notWritten(path, EACCES);
    const FreshFile fresh(path);
    if (fresh.fd() < 0 || (before && !takesAfter(fresh.fd(), info))
        || !writeWhole(fresh.fd(), {bytes.data(), std::size_t(bytes.size())}) || ::fsync(fresh.fd()) != 0)
        return notWritten(path, errno);
    // Once more: to write may have taken long.
    RETURN_IF_ERROR(checkUnchanged(path, before));
    // A new file takes nobody's place.
    const int outcome = before ? ::rename(fresh.name(), name.constData()) : ::link(fresh.name(), name.constData());
    if (outcome != 0 && errno == EEXIST)
        return checkUnchanged(path, before);
    if (outcome != 0)
        return notWritten(path, errno);
    syncFolder(folder); // in its place the new file is all the same
    return {};
}

Status removeClientFile(const QString &path, QByteArrayView before)
{
    RETURN_IF_ERROR(checkUnchanged(path, before.toByteArray()));
    if (::unlink(QFile::encodeName(path).constData()) != 0)
        return notWritten(path, errno);
    syncFolder(QFileInfo(path).path());
    removeMadeFolders(QFileInfo(path).path());
    return {};
}

} // namespace glovebox::mcp
