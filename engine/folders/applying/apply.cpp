// SPDX-License-Identifier: Apache-2.0
// Each entry is looked at again just before: if it is no more what was copied, the person or another program changed it, and
// theirs stays. New content comes by rename, so that nobody ever sees half a file. It is on the disk before it gets its name: where files
// can be without one, many are written before the disk is waited for once.
#include "apply.h"

#include "engine/folders/copies/content.h"

#include <QSet>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

namespace glovebox {

namespace {

constexpr qsizetype mostNameless = 256; // each is open
// Whoever waits for all of a file system waits also for what others have written to it.
constexpr qsizetype mostOneByOne = 16;

class Applier
{
public:
    Applier(int original, int contents, const QByteArray &temporary)
        : m_original(original)
        , m_contents(contents)
        , m_temporary(temporary)
    {
    }

    ApplyReport run(QList<KeptChange> &changes)
    {
        // What is removed first, the deepest before the folder that it is in; then what is new, folders before what is in them.
        std::vector<bool> isDone(std::size_t(changes.size()));
        for (qsizetype i = changes.size() - 1; i >= 0; --i) {
            if (changes[i].change.kind == FolderChange::Kind::Removed)
                isDone[std::size_t(i)] = report(isReplaced(changes, i) ? Text() : remove(changes[i]));
        }
        std::vector<Text> refusals(isDone.size());
        const auto name = [&] {
            const bool isSynced = syncNameless();
            for (const Nameless &written : std::exchange(m_nameless, {}))
                refusals[std::size_t(written.index)] = putWritten(changes[written.index], written, isSynced);
        };
        for (qsizetype i = 0; i < changes.size(); ++i) {
            const FolderChange &change = changes[i].change;
            if (change.kind == FolderChange::Kind::Removed)
                continue;
            const bool isFile = change.type == FolderChange::Type::File;
            const bool isWritten = isFile && write(changes[i], i);
            // So many may be open that this one couldn't be written.
            if (isWritten ? std::ssize(m_nameless) >= mostNameless : isFile)
                name();
            if (!isWritten)
                refusals[std::size_t(i)] = put(changes[i]);
        }
        name();
        for (qsizetype i = 0; i < changes.size(); ++i) {
            if (changes[i].change.kind != FolderChange::Kind::Removed)
                isDone[std::size_t(i)] = report(refusals[std::size_t(i)]);
        }
        // Folders that are closed even to their owner: when all is in them.
        for (qsizetype i = changes.size() - 1; i >= 0; --i) {
            const FolderChange &change = changes[i].change;
            if (change.type == FolderChange::Type::Folder && change.kind != FolderChange::Kind::Removed
                && isDone[std::size_t(i)] && openMode(change) != change.mode)
                isDone[std::size_t(i)] = closeFolder(changes[i]);
        }
        QList<KeptChange> left;
        QSet<QByteArray> folders;
        for (qsizetype i = 0; i < changes.size(); ++i) {
            if (isDone[std::size_t(i)])
                folders.insert(folderOf(changes[i].change.path));
            else
                left.append(changes[i]);
        }
        changes = std::move(left);
        syncNames(folders);
        return m_report;
    }

private:
    // A file that is whole, but for its name.
    struct Nameless
    {
        qsizetype index; // of its change
        UniqueFd file;
    };

    bool report(const Text &refusal)
    {
        if (refusal.isEmpty())
            ++m_report.applied;
        else
            m_report.refused.append(refusal);
        return refusal.isEmpty();
    }

    // What a folder has while something is put into it.
    static quint32 openMode(const FolderChange &change) { return change.mode | S_IRWXU; }

    bool closeFolder(const KeptChange &kept)
    {
        const FolderChange &change = kept.change;
        const UniqueFd parent = parentOf(change.path);
        const UniqueFd folder(parent ? ::openat(parent.get(), nameOf(change.path).constData(), folderFlags) : -1);
        if (folder && takeMode(folder.get(), kept, change.mode)) {
            static_cast<void>(::fsync(folder.get())); // as syncNames(), which may not open the folder any more
            return true;
        }
        --m_report.applied;
        return report(failed(change.path, errno));
    }

    static Text changedMeanwhile(const QByteArray &path)
    {
        return Text(QT_TRANSLATE_NOOP("engine", "%1 was changed in the original meanwhile, so it was left as it is."),
                    {textFromBytes(path)});
    }

    static Text failed(const QByteArray &path, int error)
    {
        return Text(QT_TRANSLATE_NOOP("engine", "%1 could not be written: %2."),
                    {textFromBytes(path), errnoText(error)});
    }

    // The folder that an entry of the original is in.
    UniqueFd parentOf(const QByteArray &path) const { return openBelow(m_original, folderOf(path), folderFlags); }

    // "." of the original itself.
    static QByteArray folderOf(const QByteArray &path)
    {
        const qsizetype slash = path.lastIndexOf('/');
        return slash < 0 ? QByteArray(".") : path.first(slash);
    }

    static QByteArray nameOf(const QByteArray &path) { return path.sliced(path.lastIndexOf('/') + 1); }

    // Still what was copied?
    static bool isUntouched(int parent, const KeptChange &kept)
    {
        struct stat info = {};
        return kept.original.inode != 0
               && ::fstatat(parent, nameOf(kept.change.path).constData(), &info, AT_SYMLINK_NOFOLLOW) == 0
               && Stamp::of(info) == kept.original;
    }

    // By an earlier try that was killed: what comes to the same place next is there.
    bool isReplaced(const QList<KeptChange> &changes, qsizetype removed) const
    {
        const QByteArray &path = changes[removed].change.path;
        const UniqueFd parent = parentOf(path);
        return parent && removed + 1 < changes.size() && changes[removed + 1].change.path == path
               && isThereAlready(parent.get(), changes[removed + 1]);
    }

    Text remove(const KeptChange &kept)
    {
        const FolderChange &change = kept.change;
        const UniqueFd parent = parentOf(change.path);
        const QByteArray name = nameOf(change.path);
        struct stat info = {};
        if (!parent || ::fstatat(parent.get(), name.constData(), &info, AT_SYMLINK_NOFOLLOW) != 0)
            return {}; // gone already
        if (!isUntouched(parent.get(), kept))
            return changedMeanwhile(change.path);
        if (::unlinkat(parent.get(), name.constData(), S_ISDIR(info.st_mode) ? AT_REMOVEDIR : 0) != 0)
            return errno == ENOTEMPTY ? changedMeanwhile(change.path) : failed(change.path, errno);
        return {};
    }

    Text put(const KeptChange &kept)
    {
        const FolderChange &change = kept.change;
        if (change.type == FolderChange::Type::Other)
            return Text(QT_TRANSLATE_NOOP("engine", "%1 is not a file, folder or link, and is never applied."),
                        {textFromBytes(change.path)});
        const UniqueFd parent = parentOf(change.path);
        if (!parent)
            return changedMeanwhile(change.path);
        const bool isNew = change.kind == FolderChange::Kind::Added;
        if (!isNew && !isUntouched(parent.get(), kept) && !isThereAlready(parent.get(), kept))
            return changedMeanwhile(change.path);
        Text refusal;
        if (change.type == FolderChange::Type::Folder)
            refusal = putFolder(parent.get(), kept);
        else if (change.type == FolderChange::Type::Link)
            refusal = putLink(parent.get(), kept);
        else
            refusal = putFile(parent.get(), kept);
        // The same may have been done to the original, or this is what an earlier try had come to.
        return !refusal.isEmpty() && !isThereAlready(parent.get(), kept) ? refusal : Text();
    }

    bool isThereAlready(int parent, const KeptChange &kept) const
    {
        const FolderChange &change = kept.change;
        const QByteArray name = nameOf(change.path);
        struct stat there = {};
        if (::fstatat(parent, name.constData(), &there, AT_SYMLINK_NOFOLLOW) != 0)
            return false;
        if (change.type == FolderChange::Type::Link)
            return S_ISLNK(there.st_mode) && linkTarget(parent, name.constData()) == change.target;
        if (change.type == FolderChange::Type::Folder) {
            const quint32 mode = there.st_mode & (kept.attributes ? 07777 : 0777);
            return S_ISDIR(there.st_mode) && (mode == change.mode || mode == openMode(change));
        }
        // An earlier try may have been killed while it had it open to its owner.
        const quint32 mode = there.st_mode & 07777;
        if (!S_ISREG(there.st_mode) || (mode != change.mode && mode != (change.mode | S_IRUSR)))
            return false;
        const UniqueFd a = openClosedFile(parent, name, change.mode);
        const UniqueFd b = openContent(m_contents, kept);
        return a && b && haveSameContent(a.get(), b.get())
               && (mode == change.mode || ::fchmod(a.get(), change.mode) == 0);
    }

    Text putFolder(int parent, const KeptChange &kept)
    {
        const FolderChange &change = kept.change;
        const QByteArray name = nameOf(change.path);
        const bool isNew = change.kind == FolderChange::Kind::Added;
        const QByteArray &made = isNew ? m_temporary : name;
        if (isNew && ::mkdirat(parent, made.constData(), 0700) != 0)
            return failed(change.path, errno);
        const UniqueFd folder(::openat(parent, made.constData(), folderFlags));
        if (folder && takeOwner(folder.get(), parent, kept) && takeMode(folder.get(), kept, openMode(change)))
            return isNew ? giveName(parent, made, name, change) : Text();
        const int error = errno;
        if (isNew)
            ::unlinkat(parent, made.constData(), AT_REMOVEDIR);
        return failed(change.path, error);
    }

    Text putLink(int parent, const KeptChange &kept)
    {
        const FolderChange &change = kept.change;
        const QByteArray &made = m_temporary;
        if (change.target.isEmpty() || ::symlinkat(change.target.constData(), parent, made.constData()) != 0)
            return failed(change.path, errno);
        const UniqueFd link(::openat(parent, made.constData(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        if (!link || !takeOwner(link.get(), parent, kept)) {
            const int error = errno;
            ::unlinkat(parent, made.constData(), 0);
            return failed(change.path, error);
        }
        takeTime(link.get(), kept);
        return takeName(parent, made, kept);
    }

    // As the original, which is waited for.
    bool isOnTheSameDisk(int file) const
    {
        struct stat original = {}, info = {};
        return ::fstat(m_original, &original) == 0 && ::fstat(file, &info) == 0 && info.st_dev == original.st_dev;
    }

    // False: put() tries, and says why not.
    bool write(const KeptChange &kept, qsizetype index)
    {
        const FolderChange &change = kept.change;
        const UniqueFd parent = parentOf(change.path);
        if (!parent || (change.kind == FolderChange::Kind::Changed && !isUntouched(parent.get(), kept)))
            return false;
        const UniqueFd source = openContent(m_contents, kept);
        UniqueFd file(source ? ::openat(parent.get(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1);
        if (!file || !isOnTheSameDisk(file.get()) || !fill(file.get(), source.get(), parent.get(), kept))
            return false;
        m_nameless.push_back({index, std::move(file)});
        return true;
    }

    bool syncNameless() const
    {
        if (std::ssize(m_nameless) > mostOneByOne)
            return ::syncfs(m_original) == 0;
        return std::ranges::all_of(m_nameless, [](const Nameless &each) { return ::fsync(each.file.get()) == 0; });
    }

    // The notes of what waits may be on another disk, and get there sooner. Where this one fails, the kernel has tried, and tells its log:
    // nothing of what was applied can be taken back for that.
    void syncNames(const QSet<QByteArray> &folders)
    {
        const bool isMany = folders.size() > mostOneByOne;
        if (isMany)
            static_cast<void>(::syncfs(m_original)); // of one file system; others may be mounted below
        for (const QByteArray &path : folders) {
            const UniqueFd folder = openBelow(m_original, path, folderFlags);
            if (folder && (!isMany || !isOnTheSameDisk(folder.get())))
                static_cast<void>(::fsync(folder.get()));
        }
    }

    // A name that appeared meanwhile is left alone.
    Text putWritten(const KeptChange &kept, const Nameless &written, bool isSynced)
    {
        const bool isNew = kept.change.kind == FolderChange::Kind::Added;
        const UniqueFd parent = parentOf(kept.change.path);
        const QByteArray name = nameOf(kept.change.path);
        const QByteArray file = "/proc/self/fd/" + QByteArray::number(written.file.get());
        if (!isSynced || !parent
            || ::linkat(AT_FDCWD, file.constData(), parent.get(), (isNew ? name : m_temporary).constData(),
                        AT_SYMLINK_FOLLOW)
                   != 0)
            return put(kept);
        const Text refusal = isNew ? Text() : replace(parent.get(), m_temporary, name, kept);
        return refusal.isEmpty() ? refusal : put(kept);
    }

    // All but the name. False: with errno.
    bool fill(int file, int source, int parent, const KeptChange &kept) const
    {
        const FolderChange &change = kept.change;
        if (copyContent(source, file, std::numeric_limits<qint64>::max() - 1) < 0 || !takeOwner(file, parent, kept))
            return false;
        if (change.kind == FolderChange::Kind::Changed) {
            const UniqueFd former(::openat(parent, nameOf(change.path).constData(), fileFlags));
            if (former ? !copyAttributes(former.get(), file) : errno != EACCES)
                return false;
        } else if (kept.attributes && !removeAccessList(file)) { // of its folder, and not as the file was
            return false;
        }
        if (!takeMode(file, kept, change.mode))
            return false;
        takeTime(file, kept);
        return true;
    }

    Text putFile(int parent, const KeptChange &kept)
    {
        const FolderChange &change = kept.change;
        const UniqueFd source = openContent(m_contents, kept);
        if (!source)
            return failed(change.path, errno);
        const QByteArray &made = m_temporary;
        const UniqueFd target(
            ::openat(parent, made.constData(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (!target)
            return failed(change.path, errno);
        if (fill(target.get(), source.get(), parent, kept) && ::fsync(target.get()) == 0)
            return takeName(parent, made, kept);
        const int error = errno;
        ::unlinkat(parent, made.constData(), 0);
        return failed(change.path, error);
    }

    // The name of what was made beside its place becomes the one that it has there.
    Text takeName(int parent, const QByteArray &made, const KeptChange &kept)
    {
        const QByteArray name = nameOf(kept.change.path);
        return kept.change.kind == FolderChange::Kind::Added ? giveName(parent, made, name, kept.change)
                                                             : replace(parent, made, name, kept);
    }

    // Replaces nothing that appeared meanwhile. Not every file system can rename so (some of FUSE), or has hard links (vfat, exfat,
    // some of FUSE). Where it has neither, an empty file of our own takes the name, and is replaced at once. A folder then replaces an
    // empty folder, if anything.
    Text giveName(int parent, const QByteArray &made, const QByteArray &name, const FolderChange &change)
    {
        int error = ::renameat2(parent, made.constData(), parent, name.constData(), RENAME_NOREPLACE) == 0 ? 0 : errno;
        if (error == 0)
            return {};
        const bool isFolder = change.type == FolderChange::Type::Folder;
        if (isFolder && (error == EINVAL || error == ENOSYS))
            error = ::renameat(parent, made.constData(), parent, name.constData()) == 0 ? 0 : errno;
        else if (error == EINVAL || error == ENOSYS)
            error = ::linkat(parent, made.constData(), parent, name.constData(), 0) == 0 ? 0 : errno;
        if (!isFolder && (error == EPERM || error == EOPNOTSUPP || error == ENOSYS)) {
            const int exclusively = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
            const UniqueFd ours(::openat(parent, name.constData(), exclusively, 0600));
            if (ours && ::renameat(parent, made.constData(), parent, name.constData()) == 0)
                return {};
            error = errno;
            if (ours)
                ::unlinkat(parent, name.constData(), 0);
        }
        ::unlinkat(parent, made.constData(), isFolder ? AT_REMOVEDIR : 0);
        if (error == 0)
            return {};
        return error == EEXIST || error == ENOTEMPTY || error == ENOTDIR ? changedMeanwhile(change.path)
                                                                         : failed(change.path, error);
    }

    // After a last look.
    static Text replace(int parent, const QByteArray &made, const QByteArray &name, const KeptChange &kept)
    {
        const bool isOurs = isUntouched(parent, kept);
        if (isOurs && ::renameat(parent, made.constData(), parent, name.constData()) == 0)
            return {};
        const int error = errno;
        ::unlinkat(parent, made.constData(), 0);
        return isOurs ? failed(kept.change.path, error) : changedMeanwhile(kept.change.path);
    }

    // A file system without permissions (vfat) refuses those it can't hold, and gives all its files the same. The bits that pass a folder's
    // group on, or let nobody remove what others put there, are the folder's own: no run can set them.
    static bool takeMode(int fd, const KeptChange &kept, quint32 mode)
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
    static bool takeOwner(int fd, int parent, const KeptChange &kept)
    {
        struct stat info = {};
        const bool isKnown = kept.attributes || kept.change.kind == FolderChange::Kind::Changed;
        if (::geteuid() != 0 && !isKnown)
            return true;
        if (kept.attributes) {
            info.st_uid = kept.attributes->uid;
            info.st_gid = kept.attributes->gid;
        } else if ((!isKnown
                    || ::fstatat(parent, nameOf(kept.change.path).constData(), &info, AT_SYMLINK_NOFOLLOW) != 0)
                   && ::fstat(parent, &info) != 0) {
            return ::geteuid() != 0;
        }
        const bool isRoot = ::geteuid() == 0;
        const bool isDone =
            ::fchownat(fd, "", isRoot ? info.st_uid : static_cast<uid_t>(-1), info.st_gid, AT_EMPTY_PATH) == 0;
        return isDone || !isRoot;
    }

    // A file system that can't hold it gives its own.
    static void takeTime(int fd, const KeptChange &kept)
    {
        if (!kept.attributes)
            return;
        constexpr qint64 second = 1'000'000'000;
        const qint64 time = kept.attributes->modifiedNs;
        const qint64 ns = (time % second + second) % second; // also before 1970
        const timespec times[] = {
            {.tv_sec = 0, .tv_nsec = UTIME_OMIT},
            {.tv_sec = static_cast<time_t>((time - ns) / second), .tv_nsec = static_cast<long>(ns)}};
        [[maybe_unused]] const int ignored = ::utimensat(fd, "", times, AT_EMPTY_PATH);
    }

    const int m_original;
    const int m_contents;
    const QByteArray m_temporary;
    std::vector<Nameless> m_nameless;
    ApplyReport m_report;
};

} // namespace

void removeTemporaries(int original, const QList<KeptChange> &changes, const QByteArray &temporary)
{
    QSet<QByteArray> folders;
    for (const KeptChange &kept : changes)
        folders.insert(kept.change.path.first(std::max<qsizetype>(kept.change.path.lastIndexOf('/'), 0)));
    for (const QByteArray &path : std::as_const(folders)) {
        const UniqueFd folder =
            path.isEmpty() ? UniqueFd(::openat(original, ".", folderFlags)) : openBelow(original, path, folderFlags);
        if (folder && ::unlinkat(folder.get(), temporary.constData(), 0) != 0 && errno == EISDIR)
            ::unlinkat(folder.get(), temporary.constData(), AT_REMOVEDIR);
    }
}

ApplyReport applyChanges(KeptFolder &kept, int original, int contents, const QByteArray &temporary)
{
    return Applier(original, contents, temporary).run(kept.changes);
}

UniqueFd openContent(int contents, const KeptChange &kept)
{
    return UniqueFd(::openat(contents, QByteArray::number(kept.number).constData(), fileFlags));
}

qint64 bytesToApply(const KeptFolder &kept, int original, int contents)
{
    // A file system without holes (vfat, exfat) writes them out. All that can have files without a name have holes.
    const UniqueFd nameless(::openat(original, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
    const bool hasHoles = bool(nameless);
    qint64 bytes = 0;
    for (const KeptChange &change : kept.changes) {
        const UniqueFd content = openContent(contents, change);
        const qint64 found = content && hasHoles ? bytesOfContent(content.get()) : change.change.bytes;
        bytes += content ? std::max<qint64>(found, 0) : 0;
    }
    return bytes;
}

} // namespace glovebox
