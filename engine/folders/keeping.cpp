// SPDX-License-Identifier: Apache-2.0
#include "keeping.h"

#include "applying/apply.h"
#include "copies/content.h"

#include <QFile>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <map>

namespace glovebox {

namespace {

// Takes what a run changed out of its copy.
class Keeping
{
public:
    Keeping(const ActiveCopy &copy, QString contents)
        : m_root(copy.root->get())
        , m_mostBytes(copy.mostBytes)
        , m_path(copy.folder.path)
        , m_contentsPath(std::move(contents))
    {
    }

    // folder: what was changed; shown: what others may see of that.
    Status keep(KeptFolder &folder, FolderChanges &shown, const Withhold &withhold, Withheld &withheld)
    {
        for (qsizetype i = 0; i < folder.changes.size(); ++i) {
            KeptChange &kept = folder.changes[i];
            FolderChange &change = shown.changes[i];
            const bool hasContent =
                change.type == FolderChange::Type::File && change.kind != FolderChange::Kind::Removed;
            const UniqueFd content = hasContent ? openContentOf(change.path) : UniqueFd();
            if (withhold) {
                withhold(change, content.get());
                if (change.isWithheld)
                    withheld[digestOf(m_path, kept.change.path)] = {change.path, change.target};
            }
            kept.number = i;
            if (Status taken = content && m_result ? take(content.get(), kept) : Status(); !taken)
                m_result = taken;
        }
        return m_result;
    }

private:
    // Nobody is left who could put something else in its place.
    UniqueFd openContentOf(const QByteArray &path) const
    {
        UniqueFd content = openFileBelow(m_root, path);
        if (content || errno != EACCES)
            return content;
        const qsizetype slash = path.lastIndexOf('/');
        const UniqueFd parent = slash < 0 ? UniqueFd() : openBelow(m_root, path.first(slash), folderFlags);
        [[maybe_unused]] const int ignored =
            ::fchmodat(parent ? parent.get() : m_root, path.sliced(slash + 1).constData(), 0600, 0);
        return openFileBelow(m_root, path);
    }

    Status take(int content, KeptChange &kept)
    {
        if (!m_contents) {
            const QByteArray folder = QFile::encodeName(m_contentsPath);
            if (::mkdir(folder.constData(), 0700) != 0)
                return full(errno);
            m_contents = openFolderOf(m_contentsPath);
        }
        const UniqueFd file(::openat(m_contents.get(), QByteArray::number(kept.number).constData(),
                                     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        const qint64 copied = file ? copyContent(content, file.get(), m_mostBytes - m_bytes) : -1;
        if (copied < 0)
            return full(errno);
        m_bytes += copied;
        if (m_bytes > m_mostBytes)
            return fail(ErrorCode::Full,
                        Text(QT_TRANSLATE_NOOP("engine", "The run wrote more than %1 MB into the copy."),
                             {QString::number(m_mostBytes / mebibyte)}));
        kept.digest = digestOfContent(file.get());
        return {};
    }

    std::unexpected<Error> full(int error) const
    {
        return fail(codeForErrno(error),
                    Text(QT_TRANSLATE_NOOP("engine", "The changes can't be written to %1: %2. Check the free space."),
                         {m_contentsPath, errnoText(error)}));
    }

    const int m_root;
    const qint64 m_mostBytes;
    const QString m_path;
    const QString m_contentsPath;
    UniqueFd m_contents;
    qint64 m_bytes = 0;
    Status m_result;
};

} // namespace

UniqueFd openFolderOf(const QString &path)
{
    return UniqueFd(::open(QFile::encodeName(path).constData(), folderFlags));
}

UniqueFd openFileBelow(int folder, const QByteArray &path)
{
    UniqueFd fd = openBelow(folder, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat info = {};
    return fd && ::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode) ? std::move(fd) : UniqueFd();
}

Status keepChanges(const ActiveCopy &copy, const QString &contents, KeptFolder &kept, FolderChanges &shown,
                   const Withhold &withhold, Withheld &withheld)
{
    return Keeping(copy, contents).keep(kept, shown, withhold, withheld);
}

Status checkContents(const KeptFolder &kept, const GoesOn &goesOn)
{
    const UniqueFd contents = openFolderOf(kept.folder.copy);
    for (const KeptChange &change : kept.changes) {
        const UniqueFd content = change.digest.isEmpty() ? UniqueFd() : openContent(contents.get(), change);
        if (change.digest.isEmpty() || (content && digestOfContent(content.get(), goesOn) == change.digest))
            continue;
        return fail(
            ErrorCode::Damaged,
            Text(QT_TRANSLATE_NOOP("engine", "The kept content of %1 can't be read or was changed since the run, so "
                                             "nothing was applied. Discard the changes and run again."),
                 {textFromBytes(change.change.path)}));
    }
    return {};
}

Status checkRoom(const QList<KeptFolder> &all)
{
    std::map<dev_t, qint64> needed;
    for (const KeptFolder &kept : all) {
        const UniqueFd original = openFolderOf(kept.folder.hostPath);
        const UniqueFd contents = openFolderOf(kept.folder.copy);
        struct stat info = {};
        struct statvfs room = {};
        if (!original || !contents || ::fstat(original.get(), &info) != 0 || ::fstatvfs(original.get(), &room) != 0)
            continue;
        qint64 &bytes = needed[info.st_dev];
        bytes += bytesToApply(kept, original.get(), contents.get());
        const auto free = static_cast<qint64>(room.f_bavail) * static_cast<qint64>(room.f_frsize);
        if (room.f_blocks != 0 && bytes > free) // some file systems (of FUSE) don't tell
            return fail(ErrorCode::Full,
                        Text(QT_TRANSLATE_NOOP("engine", "The changes need %1 MB in %2, where %3 MB are free. Make "
                                                         "room there, and apply them again."),
                             {QString::number((bytes + mebibyte - 1) / mebibyte), kept.folder.hostPath,
                              QString::number(free / mebibyte)}));
    }
    return {};
}

} // namespace glovebox
