// SPDX-License-Identifier: Apache-2.0
// Each entry is looked at again just before: if it is no more what was copied, the person or another program changed it, and
// theirs stays. New content comes by rename, so that nobody ever sees half a file. It is on the disk before it gets its name: where files
// can be without one, many are written before the disk is waited for once.
#include "apply.h"

#include "attributes.h"
#include "naming.h"

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
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

namespace glovebox {

namespace {

constexpr qsizetype mostNameless = 256; // each is open
constexpr qint64 mostNamelessBytes = 64 * mebibyte; // of them: who stops applying, or is killed, loses no more
// Whoever waits for all of a file system waits also for what others have written to it.
constexpr qsizetype mostOneByOne = 16;

class Applier
{
public:
    Applier(int original, int contents, const QByteArray &temporary, Course &course)
        : m_original(original)
        , m_contents(contents)
        , m_temporary(temporary)
        , m_course(course)
    {
    }

    ApplyReport run(QList<KeptChange> &changes, const EarlierChanges &earlier)
    {
        const QList<KeptChange> opened = openFolders(changes, earlier);
        SharedFiles shared(m_original, changes);
        // What is removed first, the deepest before the folder that it is in; then what is new, folders before what is in them.
        std::vector<bool> isDone(std::size_t(changes.size()));
        for (qsizetype i = changes.size() - 1; i >= 0; --i) {
            if (changes[i].change.kind != FolderChange::Kind::Removed || isReplacement(changes, i + 1))
                continue;
            if (!m_course.goesOn())
                break;
            isDone[std::size_t(i)] = report(remove(changes[i]));
            if (isDone[std::size_t(i)])
                shared.leave(changes, i);
            m_course.finished(changes[i].change);
        }
        std::vector<std::optional<Text>> refusals(isDone.size()); // nothing: it was stopped before that
        // What takes the place of another kind of entry comes together with the removal.
        const auto putAt = [&](qsizetype i, const auto &putIt) {
            const bool isTwo = isReplacement(changes, i);
            m_course.hold(isTwo);
            if (isTwo) {
                isDone[std::size_t(i - 1)] = report(isReplaced(changes, i - 1) ? Text() : remove(changes[i - 1]));
                if (isDone[std::size_t(i - 1)])
                    shared.leave(changes, i - 1);
                m_course.finished(changes[i - 1].change);
            }
            const Text refusal = putIt();
            m_course.hold(false);
            if (m_course.isStopped() && !refusal.isEmpty())
                return; // in the middle of it
            refusals[std::size_t(i)] = refusal;
            if (refusal.isEmpty())
                shared.leave(changes, i);
            m_course.finished(changes[i].change);
        };
        // What has no name yet when it is stopped gets none.
        const auto name = [&] {
            const bool isSynced = m_course.goesOn() && syncNameless();
            m_namelessBytes = 0;
            for (const Nameless &written : std::exchange(m_nameless, {})) {
                if (!m_course.goesOn())
                    return;
                putAt(written.index, [&] { return putWritten(changes[written.index], written, isSynced); });
            }
        };
        for (qsizetype i = 0; i < changes.size() && m_course.goesOn(); ++i) {
            const FolderChange &change = changes[i].change;
            if (change.kind == FolderChange::Kind::Removed)
                continue;
            const bool isFile = change.type == FolderChange::Type::File;
            if (isFile && m_namelessBytes > 0 && m_namelessBytes + change.bytes > mostNamelessBytes)
                name();
            const bool isWritten = isFile && !m_course.isStopped() && write(changes[i], i);
            // So many may be open that this one couldn't be written.
            if (isWritten ? std::ssize(m_nameless) >= mostNameless : isFile)
                name();
            if (!isWritten && m_course.goesOn())
                putAt(i, [&] { return put(changes[i]); });
        }
        name();
        for (qsizetype i = 0; i < changes.size(); ++i) {
            const std::optional<Text> &refusal = refusals[std::size_t(i)];
            if (refusal)
                isDone[std::size_t(i)] = report(*refusal);
        }
        // Folders that are closed even to their owner: when all is in them. Whoever stopped it finds new ones closed, too, and those that
        // were there as they were: what waits for them may be inside.
        for (qsizetype i = changes.size() - 1; i >= 0; --i) {
            const FolderChange &change = changes[i].change;
            if (!isClosed(change) || !isDone[std::size_t(i)])
                continue;
            const bool goesBack = change.kind == FolderChange::Kind::Changed && isLeftBelow(changes, isDone, i);
            isDone[std::size_t(i)] = !goesBack && closeFolder(changes[i]);
            if (goesBack) {
                --m_report.applied;
                static_cast<void>(setMode(changes[i], change.oldMode));
            }
        }
        for (const KeptChange &folder : std::views::reverse(opened))
            static_cast<void>(setMode(folder, folder.change.mode));
        QList<KeptChange> left;
        QSet<QByteArray> folders;
        for (qsizetype i = 0; i < changes.size(); ++i) {
            if (isDone[std::size_t(i)])
                folders.insert(parentPathOf(changes[i].change.path));
            else
                left.append(changes[i]);
        }
        m_report.isStopped = m_course.isStopped() && left.size() > m_report.refused.size();
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

    // The removal is the change before.
    static bool isReplacement(const QList<KeptChange> &changes, qsizetype i)
    {
        return i > 0 && i < changes.size() && changes[i - 1].change.path == changes[i].change.path;
    }

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

    static bool isClosed(const FolderChange &change)
    {
        return change.type == FolderChange::Type::Folder && change.kind != FolderChange::Kind::Removed
               && openMode(change) != change.mode;
    }

    static bool isBelow(const FolderChange &change, const FolderChange &folder)
    {
        return change.path.size() > folder.path.size() && change.path.startsWith(folder.path)
               && change.path[folder.path.size()] == '/';
    }

    // What was refused is none of it.
    bool isLeftBelow(const QList<KeptChange> &changes, const std::vector<bool> &isDone, qsizetype folder) const
    {
        for (qsizetype i = 0; m_course.isStopped() && i < changes.size(); ++i) {
            if (!isDone[std::size_t(i)] && isBelow(changes[i].change, changes[folder].change))
                return true;
        }
        return false;
    }

    // Those that were closed when an earlier part was applied, and get more.
    QList<KeptChange> openFolders(const QList<KeptChange> &changes, const EarlierChanges &earlier) const
    {
        QList<KeptChange> opened;
        for (const KeptChange &kept : earlier.done) {
            const bool isMeant = isClosed(kept.change) && std::ranges::any_of(changes, [&](const KeptChange &each) {
                                     return isBelow(each.change, kept.change);
                                 });
            if (isMeant && setMode(kept, openMode(kept.change), earlier.wasKilled))
                opened.append(kept);
        }
        return opened;
    }

    // Of a folder that has the mode that applying gives it, or, where it may be open already, the one that it has meanwhile. The folder
    // may be closed to whoever would open it.
    bool setMode(const KeptChange &kept, quint32 mode, bool mayBeOpen = true) const
    {
        const FolderChange &change = kept.change;
        const UniqueFd parent = parentOf(change.path);
        const QByteArray name = nameOf(change.path);
        struct stat info = {};
        return parent && ::fstatat(parent.get(), name.constData(), &info, AT_SYMLINK_NOFOLLOW) == 0
               && S_ISDIR(info.st_mode)
               && ((info.st_mode & 0777) == change.mode || (mayBeOpen && (info.st_mode & 0777) == openMode(change)))
               && ::fchmodat(parent.get(), name.constData(), (info.st_mode & (S_ISGID | S_ISVTX)) | mode, 0) == 0;
    }

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

    // The folder that an entry of the original is in.
    UniqueFd parentOf(const QByteArray &path) const { return openBelow(m_original, parentPathOf(path), folderFlags); }

    // By an earlier try that was killed: what takes the place of what was removed is there.
    bool isReplaced(const QList<KeptChange> &changes, qsizetype removed) const
    {
        const QByteArray &path = changes[removed].change.path;
        const UniqueFd parent = parentOf(path);
        return parent && isThereAlready(parent.get(), changes[removed + 1]);
    }

    Text remove(const KeptChange &kept)
    {
        const FolderChange &change = kept.change;
        const QByteArray name = nameOf(change.path);
        struct stat info = {};
        const UniqueFd parent = parentOf(change.path);
        if (!parent || ::fstatat(parent.get(), name.constData(), &info, AT_SYMLINK_NOFOLLOW) != 0)
            return errno == ENOENT || errno == ENOTDIR ? Text() : notRemoved(change.path, errno); // gone already
        if (!isUntouched(parent.get(), kept))
            return changedMeanwhile(change.path);
        if (::unlinkat(parent.get(), name.constData(), S_ISDIR(info.st_mode) ? AT_REMOVEDIR : 0) != 0)
            return errno == ENOTEMPTY ? changedMeanwhile(change.path) : notRemoved(change.path, errno);
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
        return !refusal.isEmpty() && (m_course.isStopped() || !isThereAlready(parent.get(), kept)) ? refusal : Text();
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
        const UniqueFd link = openPlace(parent, made.constData());
        struct stat info = {};
        // Another program may have put something else there meanwhile, which is to have no other owner by root.
        const bool isLink = link && ::fstat(link.get(), &info) == 0 && S_ISLNK(info.st_mode);
        if (!isLink || !takeOwner(link.get(), parent, kept)) {
            const int error = link && !isLink ? EEXIST : errno;
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
        UniqueFd file = source ? openNameless(parent.get(), ".", O_WRONLY) : UniqueFd();
        if (!file || !isOnTheSameDisk(file.get()) || !fill(file.get(), source.get(), parent.get(), kept))
            return false;
        m_nameless.push_back({index, std::move(file)});
        m_namelessBytes += change.bytes;
        return true;
    }

    bool syncNameless() const
    {
        if (std::ssize(m_nameless) > mostOneByOne)
            return syncBelow(m_original);
        return std::ranges::all_of(m_nameless, [](const Nameless &each) { return ::fsync(each.file.get()) == 0; });
    }

    // The notes of what waits may be on another disk, and get there sooner. Where this one fails, the kernel has tried, and tells its log:
    // nothing of what was applied can be taken back for that.
    void syncNames(const QSet<QByteArray> &folders)
    {
        const bool isMany = folders.size() > mostOneByOne;
        if (isMany)
            static_cast<void>(syncBelow(m_original)); // of one file system; others may be mounted below
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
        if (!isSynced || !parent
            || nameFile(written.file.get(), parent.get(), (isNew ? name : m_temporary).constData()) != 0)
            return put(kept);
        const Text refusal = isNew ? Text() : replaceName(parent.get(), m_temporary, name, kept);
        return refusal.isEmpty() ? refusal : put(kept);
    }

    // All but the name. False: with errno.
    bool fill(int file, int source, int parent, const KeptChange &kept) const
    {
        const FolderChange &change = kept.change;
        if (copyContent(source, file, std::numeric_limits<qint64>::max() - 1, m_course.counting()) < 0
            || !takeOwner(file, parent, kept))
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

    const int m_original;
    const int m_contents;
    const QByteArray m_temporary;
    Course &m_course;
    std::vector<Nameless> m_nameless;
    qint64 m_namelessBytes = 0;
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

ApplyReport applyChanges(KeptFolder &kept, int original, int contents, const QByteArray &temporary, Course &course,
                         const EarlierChanges &earlier)
{
    return Applier(original, contents, temporary, course).run(kept.changes, earlier);
}

UniqueFd openContent(int contents, const KeptChange &kept)
{
    return UniqueFd(::openat(contents, QByteArray::number(kept.number).constData(), fileFlags));
}

qint64 bytesToApply(const KeptFolder &kept, int original, int contents)
{
    // A file system without holes (vfat, exfat) writes them out. All that can have files without a name have holes.
    const bool hasHoles = bool(openNameless(original, ".", O_WRONLY));
    qint64 bytes = 0;
    for (const KeptChange &change : kept.changes) {
        const UniqueFd content = openContent(contents, change);
        const qint64 found = content && hasHoles ? bytesOfContent(content.get()) : change.change.bytes;
        bytes += content ? std::max<qint64>(found, 0) : 0;
    }
    return bytes;
}

} // namespace glovebox
