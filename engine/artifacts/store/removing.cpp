// SPDX-License-Identifier: Apache-2.0
// Removes bodies from the store while other programs put bodies into it.
//
// Between a program's put() and the entry by which the body is on record nothing shows that somebody relies on it. So whoever stores
// what is there already sets the file's time to now (claim()), and a file whose time is within the last hour isn't removed. The time
// is looked at after the file was set aside under another name: whoever claims it before that is seen, and whoever comes
// after it doesn't find the file and stores the body anew.
#include "contentstore.h"
#include "storefile.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSet>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>

namespace glovebox {

namespace {

constexpr time_t claimSeconds = 3600; // far longer than any program takes from storing a body to its entry

bool isRecent(const struct stat &info)
{
    return info.st_mtim.tv_sec > ::time(nullptr) - claimSeconds; // also where the clock was put back
}

// Unless another program stored the same meanwhile. 0 or an errno.
int putBack(const QByteArray &aside, const QByteArray &path)
{
    if (const int error = renameToNew(AT_FDCWD, aside.constData(), path.constData()); error != EEXIST)
        return error;
    return ::unlink(aside.constData()) == 0 || errno == ENOENT ? 0 : errno;
}

} // namespace

QString ContentStore::asidePathOf(const QByteArray &digest) const
{
    return asideFolder() + u'/' + QString::fromLatin1(digest.toHex());
}

// A file system that can't be written keeps removeUnused() away, too.
bool ContentStore::claim(const QByteArray &digest) const
{
    const QString path = pathOf(digest);
    return passFrom(path, digest, {})
           && (::utimensat(AT_FDCWD, QFile::encodeName(path).constData(), nullptr, 0) == 0 || errno != ENOENT);
}

Result<ContentStore::Removed> ContentStore::removeUnused(const QList<QByteArray> &digests) const
{
    Removed removed;
    QSet<QString> folders;
    for (const QByteArray &digest : digests) {
        const QString path = pathOf(digest);
        const QByteArray name = QFile::encodeName(path);
        const QByteArray aside = QFile::encodeName(asidePathOf(digest));
        struct stat info = {};
        if (::lstat(name.constData(), &info) != 0) {
            if (errno == ENOENT)
                continue;
            return cannotRemove(errno, path);
        }
        if (!isRecent(info)) {
            if (::rename(name.constData(), aside.constData()) != 0 || ::lstat(aside.constData(), &info) != 0)
                return cannotRemove(errno, path);
            if (!isRecent(info)) {
                if (::unlink(aside.constData()) != 0)
                    return cannotRemove(errno, path);
                folders.insert(QFileInfo(path).path());
                ++removed.files;
                removed.bytes += info.st_size;
                continue;
            }
            if (const int error = putBack(aside, name))
                return cannotRemove(error, path);
        }
        removed.recent.append(digest);
    }
    for (const QString &folder : std::as_const(folders)) {
        if (const int error = syncFolder(folder))
            return cannotRemove(error, folder);
    }
    return removed;
}

Result<qint64> ContentStore::removeAllBut(const QSet<QByteArray> &digests) const
{
    qint64 left = 0;
    for (const QString &prefix : QDir(m_folder).entryList({QStringLiteral("??")}, QDir::Dirs | QDir::NoDotAndDotDot)) {
        for (const QFileInfo &file : QDir(m_folder + u'/' + prefix).entryInfoList(QDir::Files | QDir::Hidden)) {
            if (digests.contains(QByteArray::fromHex((prefix + file.fileName()).toLatin1())))
                left += file.size();
            else if (::unlink(QFile::encodeName(file.filePath()).constData()) != 0 && errno != ENOENT)
                return cannotRemove(errno, file.filePath());
        }
    }
    return left;
}

Status ContentStore::takeBack() const
{
    RETURN_IF_ERROR(makePrivateFolder(asideFolder()));
    if (::access(QFile::encodeName(asideFolder()).constData(), W_OK | X_OK) != 0)
        return cannotRemove(errno, asideFolder());
    for (const QString &name : QDir(asideFolder()).entryList(QDir::Files)) {
        const QByteArray digest = QByteArray::fromHex(name.toLatin1());
        if (digest.size() != sha256Bytes)
            continue;
        const QString path = pathOf(digest);
        const int error = putBack(QFile::encodeName(asidePathOf(digest)), QFile::encodeName(path));
        if (error != 0 && error != ENOENT) // without its folder it never was in the store
            return cannotRemove(error, path);
    }
    return {};
}

Status ContentStore::removeWithheld(const Held &held) const
{
    const QString path = withheldPathOf(held);
    if (::unlink(QFile::encodeName(path).constData()) != 0 && errno != ENOENT)
        return cannotRemove(errno, path);
    return {};
}

} // namespace glovebox
