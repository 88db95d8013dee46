// SPDX-License-Identifier: Apache-2.0
// Bodies as files that are complete or not there.
#include "artifacts.h"

#include <QDir>
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

// Made if it isn't there. Those that have to be synced when a file in it has its name.
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

// 0 or an errno.
int writeFile(const QString &path, QByteArrayView body)
{
    TemporaryFile file(QFileInfo(path).path());
    return file.isOpen() && file.write(body) && file.sync() && file.renameTo(path) ? 0 : errno;
}

Status syncAll(const QStringList &folders, const QString &path)
{
    for (const QString &folder : folders) {
        if (const int error = syncFolder(folder))
            return cannotStore(error, path);
    }
    return {};
}

} // namespace

QString ContentStore::pathOf(const QByteArray &digest) const
{
    const QString hex = QString::fromLatin1(digest.toHex());
    return m_folder + u'/' + hex.first(2) + u'/' + hex.sliced(2);
}

QString ContentStore::pathOf(const Held &held) const
{
    return heldFolder() + u'/' + QString::fromLatin1(held.digest.toHex()) + u'.' + held.owner;
}

Status ContentStore::put(const QByteArray &digest, QByteArrayView body) const
{
    if (digest != sha256({body}))
        return noDigest();
    if (body.isEmpty())
        return {}; // get() knows it; most runs leave one stream empty, and each file costs two waits for the disk
    const QString path = pathOf(digest);
    ASSIGN_OR_RETURN(const QStringList folders, folderFor(path));
    // A damaged file is replaced: here is the right content. Whoever made an undamaged one may not have synced yet.
    if (!read(digest, path)) {
        if (const int error = writeFile(path, body))
            return cannotStore(error, path);
    }
    return syncAll(folders, path);
}

Status ContentStore::hold(const Held &held, QByteArrayView body) const
{
    if (held.digest != sha256({body}))
        return noDigest();
    const QString path = pathOf(held);
    ASSIGN_OR_RETURN(const QStringList folders, folderFor(path));
    if (const int error = writeFile(path, body))
        return cannotStore(error, path);
    return syncAll(folders, path);
}

Status ContentStore::keep(const Held &held) const
{
    const QString from = pathOf(held);
    const QString path = pathOf(held.digest);
    ASSIGN_OR_RETURN(const QStringList folders, folderFor(path));
    if (::rename(QFile::encodeName(from).constData(), QFile::encodeName(path).constData()) != 0 && errno != ENOENT)
        return cannotStore(errno, path);
    return syncAll(folders + QStringList{heldFolder()}, path);
}

Status ContentStore::drop(const Held &held) const
{
    const QString path = pathOf(held);
    if (::unlink(QFile::encodeName(path).constData()) != 0 && errno != ENOENT)
        return cannotStore(errno, path);
    return syncAll({heldFolder()}, path);
}

QList<ContentStore::Held> ContentStore::allHeld() const
{
    QList<Held> all;
    for (const QString &name : QDir(heldFolder()).entryList(QDir::Files)) {
        const QByteArray digest = QByteArray::fromHex(name.section(u'.', 0, 0).toLatin1());
        if (digest.size() == sha256Bytes)
            all.append({digest, name.section(u'.', 1)});
    }
    return all;
}

Result<QByteArray> ContentStore::get(const QByteArray &digest) const
{
    if (digest.size() != sha256Bytes)
        return noDigest();
    if (digest == sha256({}))
        return QByteArray();
    const auto body = read(digest, pathOf(digest));
    if (body || body.error().code != ErrorCode::NotFound)
        return body;
    for (const Held &held : allHeld()) {
        const auto other = held.digest == digest ? read(digest, pathOf(held)) : body;
        if (other)
            return other;
    }
    return read(digest, pathOf(digest)); // kept meanwhile
}

Result<QByteArray> ContentStore::read(const QByteArray &digest, const QString &path) const
{
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
