// SPDX-License-Identifier: Apache-2.0
// Bodies as files that are complete or not there.
#include "contentstore.h"

#include "storefile.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostDaysWithheld = 30; // as changes to copies of folders wait

// 0 or an errno.
int writeFile(const QString &path, QByteArrayView body, bool syncs = true)
{
    TemporaryFile file(QFileInfo(path).path());
    return file.isOpen() && file.write(body) && (!syncs || file.sync()) && file.renameTo(path) ? 0 : errno;
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

QString ContentStore::withheldPathOf(const Held &held) const
{
    return withheldFolder() + u'/' + QString::fromLatin1(held.digest.toHex()) + u'.' + held.owner;
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
    if (!claim(digest)) {
        if (const int error = writeFile(path, body, m_syncing == Syncing::Each))
            return cannotStore(error, path);
    }
    return settle(folders, path);
}

Status ContentStore::settle(const QStringList &folders, const QString &path) const
{
    return m_syncing == Syncing::Each ? syncAll(folders, path) : Status();
}

Status ContentStore::sync() const
{
    const DiskWait wait;
    const QByteArray name = QFile::encodeName(m_folder);
    const UniqueFd folder(::open(name.constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return folder && syncBelow(folder.get()) ? Status() : cannotStore(errno, m_folder);
}

Status ContentStore::share(const ContentStore &other, const QByteArray &digest) const
{
    if (digest == sha256({}))
        return {};
    const QString path = pathOf(digest);
    const auto link = [&] {
        return ::link(QFile::encodeName(other.pathOf(digest)).constData(), QFile::encodeName(path).constData()) == 0
               || errno == EEXIST;
    };
    // Looking after the folder first would be thirty calls more, for each of thousands of files.
    if (m_syncing == Syncing::Together && link())
        return {};
    ASSIGN_OR_RETURN(const QStringList folders, folderFor(path));
    // Bodies never change, so both stores can have the same file. A reflink (FICLONE) is an inode more: 10,000 files of 100 KB took
    // 0.7 to 1.3 s by it on XFS and 1.4 to 1.6 s on Btrfs, by links 0.3 to 0.4 s and 1.0 to 1.5 s in the same minute (0.2 s on ext4).
    if (link())
        return settle(folders, path);
    ASSIGN_OR_RETURN(std::ignore, openBody(other.pathOf(digest)));
    ASSIGN_OR_RETURN(auto copy, IncomingBody::begin(*this, 0));
    RETURN_IF_ERROR(other.pass(digest, [&](QByteArrayView piece) { return copy.add(piece); }));
    const auto kept = copy.keep();
    return kept ? Status() : std::unexpected(kept.error());
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
    ASSIGN_OR_RETURN(const UniqueFd fd, openBody(path));
    struct stat info = {};
    QByteArray body;
    if (::fstat(fd.get(), &info) == 0)
        body.reserve(qsizetype(info.st_size));
    RETURN_IF_ERROR(readBody(fd, path, [&](QByteArrayView piece) -> Status {
        body.append(piece);
        return {};
    }));
    if (sha256({body}) != digest)
        return damagedBody(path);
    return body;
}

Status ContentStore::pass(const QByteArray &digest, const Pass &to) const
{
    if (digest.size() != sha256Bytes)
        return noDigest();
    if (digest == sha256({}))
        return {};
    return passFrom(pathOf(digest), digest, to);
}

Status ContentStore::passFrom(const QString &path, const QByteArray &digest, const Pass &to) const
{
    ASSIGN_OR_RETURN(const UniqueFd fd, openBody(path));
    struct stat info = {};
    Sha256 hash(::fstat(fd.get(), &info) == 0 ? qint64(info.st_size) : 0);
    RETURN_IF_ERROR(readBody(fd, path, [&](QByteArrayView piece) -> Status {
        hash.add(piece);
        return to ? to(piece) : Status();
    }));
    return hash.result() == digest ? Status() : damagedBody(path);
}

Status ContentStore::verifyWithheld(const Held &held) const
{
    return passFrom(withheldPathOf(held), held.digest, {});
}

Status ContentStore::release(const Held &held) const
{
    const QString from = withheldPathOf(held);
    const QString path = pathOf(held.digest);
    if (const Status there = verifyWithheld(held); !there)
        return there.error().code == ErrorCode::NotFound ? pass(held.digest, {}) : there;
    ASSIGN_OR_RETURN(const QStringList folders, folderFor(path));
    if (::rename(QFile::encodeName(from).constData(), QFile::encodeName(path).constData()) != 0)
        return cannotStore(errno, path);
    return syncAll(folders + QStringList{withheldFolder()}, path);
}

void ContentStore::recover() const
{
    removeUnlocked(incomingFolder());
    const QDateTime oldest = QDateTime::currentDateTimeUtc().addDays(-mostDaysWithheld);
    for (const QFileInfo &file : QDir(withheldFolder()).entryInfoList(QDir::Files)) {
        if (file.lastModified() < oldest)
            QFile::remove(file.filePath());
    }
}

} // namespace glovebox
