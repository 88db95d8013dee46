// SPDX-License-Identifier: Apache-2.0
// Bodies as files that are complete or not there.
#include "artifacts.h"

#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// A file under a temporary name, removed unless it got its real one. A killed program may leave one behind: harmless, since
// no digest has such a name.
class TemporaryFile
{
public:
    explicit TemporaryFile(const QString &folder)
        : m_name(QFile::encodeName(folder + u"/.new-XXXXXX"_s))
        , m_fd(::mkostemp(m_name.data(), O_CLOEXEC)) // 0600
        , m_exists(m_fd.isValid())
    {
    }
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;
    ~TemporaryFile()
    {
        if (m_exists)
            ::unlink(m_name.constData());
    }

    bool isOpen() const { return m_exists; }

    // Each returns false and leaves errno.
    bool write(QByteArrayView body) { return writeWhole(m_fd.get(), {body.data(), size_t(body.size())}); }
    bool sync() const { return ::fsync(m_fd.get()) == 0; }
    bool renameTo(const QString &path)
    {
        if (::rename(m_name.constData(), QFile::encodeName(path).constData()) != 0)
            return false;
        m_exists = false;
        return true;
    }

private:
    QByteArray m_name;
    UniqueFd m_fd;
    bool m_exists;
};

std::unexpected<Error> cannotStore(int error, const QString &path)
{
    const ErrorCode code = codeForErrno(error);
    if (code == ErrorCode::Full)
        return fail(code,
                    QT_TRANSLATE_NOOP("engine", "There is no space left to keep code and output at %1. Make some space "
                                                "and try again."),
                    {path}, errnoDetail(error, path));
    if (error == EMFILE || error == ENFILE)
        return fail(code,
                    QT_TRANSLATE_NOOP("engine", "Code and output at %1 can't be reached: too many files are open "
                                                "already. Close other runs or programs and try again."),
                    {path}, errnoDetail(error, path));
    return fail(code,
                QT_TRANSLATE_NOOP("engine", "Code and output can't be kept at %1 (%2). Check the folder's owner "
                                            "and permissions, and its disk."),
                {path, errnoText(error)}, errnoDetail(error, path));
}

std::unexpected<Error> damaged(const QString &path)
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

} // namespace

QString ContentStore::pathOf(const QByteArray &digest) const
{
    const QString hex = QString::fromLatin1(digest.toHex());
    return m_folder + u'/' + hex.first(2) + u'/' + hex.sliced(2);
}

Status ContentStore::put(const QByteArray &digest, QByteArrayView body) const
{
    if (digest != sha256({body}))
        return noDigest();
    if (body.isEmpty())
        return {}; // get() knows it; most runs leave one stream empty, and each file costs two waits for the disk
    const QString path = pathOf(digest);
    const QString folder = QFileInfo(path).path();
    const bool isNewFolder = !QFileInfo::exists(folder);
    RETURN_IF_ERROR(makePrivateFolder(folder));
    // A damaged file is replaced: here is the right content. Whoever made an undamaged one may not have synced yet.
    if (!get(digest)) {
        TemporaryFile file(folder);
        if (!file.isOpen() || !file.write(body) || !file.sync() || !file.renameTo(path))
            return cannotStore(errno, path);
    }
    QStringList changed{folder};
    if (isNewFolder)
        changed += {m_folder, QFileInfo(m_folder).path()};
    for (const QString &each : changed) {
        if (const int error = syncFolder(each))
            return cannotStore(error, path);
    }
    return {};
}

Result<QByteArray> ContentStore::get(const QByteArray &digest) const
{
    if (digest.size() != sha256Bytes)
        return noDigest();
    if (digest == sha256({}))
        return QByteArray();
    const QString path = pathOf(digest);
    const UniqueFd fd(::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
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
            {path, errnoText(error)}, errnoDetail(error, path));
    }
    if (!S_ISREG(info.st_mode))
        return damaged(path);
    QByteArray body(info.st_size, Qt::Uninitialized);
    for (qsizetype have = 0; have < body.size();) {
        const ssize_t count = ::read(fd.get(), body.data() + have, size_t(body.size() - have));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            const int error = errno;
            return fail(ErrorCode::Io, QT_TRANSLATE_NOOP("engine", "The stored file %1 can't be read. Check its disk."),
                        {path}, errnoDetail(error, path));
        }
        if (count == 0)
            break; // cut off: the digest tells
        have += count;
    }
    if (sha256({body}) != digest)
        return damaged(path);
    return body;
}

} // namespace glovebox
