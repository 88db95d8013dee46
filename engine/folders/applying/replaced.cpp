// SPDX-License-Identifier: Apache-2.0
// Undoing is applying the opposite changes. What was applied is known by its content, and then held to its time stamps until it is
// replaced, so that nobody's later work is lost.
#include "replaced.h"

#include "apply.h"

#include "engine/folders/copies/content.h"
#include "engine/folders/keeping.h"

#include <QFile>
#include <QSet>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

namespace glovebox {

namespace {

using Kind = FolderChange::Kind;
using Type = FolderChange::Type;

// An entry of the original, by its path, without following a link.
class EntryThere
{
public:
    EntryThere(int original, const QByteArray &path)
        : m_name(path.sliced(path.lastIndexOf('/') + 1))
    {
        const qsizetype slash = path.lastIndexOf('/');
        m_parent = slash < 0 ? UniqueFd(::openat(original, ".", folderFlags))
                             : openBelow(original, path.first(slash), folderFlags);
        struct stat info = {};
        m_is = m_parent && ::fstatat(m_parent.get(), m_name.constData(), &info, AT_SYMLINK_NOFOLLOW) == 0;
        m_isGone = m_parent && !m_is && errno == ENOENT;
        if (!m_is)
            return;
        m_stamp = Stamp::of(info);
        m_attributes = {.uid = info.st_uid, .gid = info.st_gid, .modifiedNs = m_stamp.modifiedNs};
    }

    bool is() const { return m_is; }
    bool isGone() const { return m_isGone; } // false: nobody knows, as in a folder that is closed
    const Stamp &stamp() const { return m_stamp; }
    const Attributes &attributes() const { return m_attributes; }
    quint32 plainMode() const { return plainPermissions(m_parent.get(), m_name.constData(), m_stamp.mode & 07777); }
    QByteArray target() const { return linkTarget(m_parent.get(), m_name.constData()); }
    UniqueFd content() const { return UniqueFd(::openat(m_parent.get(), m_name.constData(), fileFlags)); }
    // A folder that was applied may be closed even to its owner, who has to undo what is in it. True: it was.
    bool open()
    {
        const bool isClosed = m_is && S_ISDIR(m_stamp.mode) && (m_stamp.mode & S_IRWXU) != S_IRWXU;
        if (!isClosed || ::fchmodat(m_parent.get(), m_name.constData(), (m_stamp.mode & 07777) | S_IRWXU, 0) != 0)
            return false;
        m_stamp.mode |= S_IRWXU;
        return true;
    }
    // After undoing what couldn't be undone below it.
    void close(quint32 mode)
    {
        if (!m_is || !S_ISDIR(m_stamp.mode) || (m_stamp.mode & 0777) != (mode | S_IRWXU))
            return;
        [[maybe_unused]] const int failed = // then it stays open to its owner, and isApplied() knows it so
            ::fchmodat(m_parent.get(), m_name.constData(), (m_stamp.mode & (S_ISGID | S_ISVTX)) | mode, 0);
    }
    // The file is as applying made it. Permissions of a new file are the person's to change.
    bool isApplied(const KeptChange &done)
    {
        const FolderChange &change = done.change;
        const quint32 mode = m_stamp.mode & 0777;
        // Whoever has it open to its owner may be killed meanwhile.
        const bool isOpened = mode == (change.mode | (change.type == Type::Folder ? S_IRWXU : S_IRUSR));
        return (change.kind != Kind::Changed || change.type == Type::Link || mode == change.mode || isOpened)
               && has(change, done.digest);
    }
    // The file is as it was before applying.
    bool isFormer(const KeptChange &back)
    {
        return (back.change.type == Type::Link || (m_stamp.mode & 07777) == back.change.mode
                || plainMode() == back.change.mode)
               && has(back.change, back.digest);
    }

private:
    bool has(const FolderChange &change, const QByteArray &digest)
    {
        if (!m_is || typeOf(m_stamp.mode) != change.type || change.type == Type::Other)
            return false;
        if (change.type == Type::Link)
            return target() == change.target;
        const UniqueFd file = change.type == Type::File ? compared() : UniqueFd();
        return change.type == Type::Folder || (file && digestOfContent(file.get()) == digest && isStill(file.get()));
    }

    // A file may be closed to its owner, to whom opening it changes a time stamp.
    UniqueFd compared()
    {
        UniqueFd file = openClosedFile(m_parent.get(), m_name, m_stamp.mode & 07777);
        struct stat info = {};
        if ((m_stamp.mode & S_IRUSR) == 0 && file && ::fstat(file.get(), &info) == 0)
            m_stamp.changedNs = Stamp::of(info).changedNs;
        return file;
    }

    bool isStill(int file) const
    {
        struct stat info = {};
        return ::fstat(file, &info) == 0 && Stamp::of(info) == m_stamp;
    }

    QByteArray m_name;
    UniqueFd m_parent;
    Stamp m_stamp;
    Attributes m_attributes;
    bool m_is = false;
    bool m_isGone = false;
};

// Copies what is replaced.
class Replaced
{
public:
    Replaced(int original, const QString &contents, Course &course)
        : m_original(original)
        , m_contentsPath(contents)
        , m_course(course)
    {
    }

    // False: nothing of the original is replaced, or it isn't any more what was copied, so that applying leaves it alone.
    Result<bool> keep(const KeptChange &done, bool takesPlace, UndoStep &step)
    {
        const FolderChange &change = done.change;
        const EntryThere there(m_original, change.path);
        step = {.done = done, .back = {.change = change}};
        FolderChange &back = step.back.change;
        back.oldMode = change.mode;
        back.target.clear();
        if (change.kind == Kind::Added) {
            back.kind = Kind::Removed;
            return change.type != Type::Other && (takesPlace || !there.is());
        }
        back.kind = change.kind == Kind::Removed ? Kind::Added : Kind::Changed;
        if (change.type == Type::Other || !there.is() || there.stamp() != done.original)
            return false;
        back.bytes = done.original.bytes;
        back.mode = S_ISLNK(there.stamp().mode)    ? 0
                    : change.kind == Kind::Removed ? there.plainMode() // its access list doesn't come back
                                                   : there.stamp().mode & 07777;
        step.back.attributes = there.attributes();
        if (change.type == Type::Link)
            back.target = there.target();
        return change.type == Type::File ? take(there, step.back) : true;
    }

    // Before the steps are written, which tell what is kept.
    Status sync() const { return m_taken <= mostOneByOne || syncBelow(m_contents.get()) ? Status() : full(errno); }

private:
    Result<bool> take(const EntryThere &there, KeptChange &back)
    {
        if (Status made = m_contents ? Status() : makeContents(); !made)
            return std::unexpected(made.error());
        const UniqueFd content = there.content();
        if (!content)
            return false;
        UniqueFd file;
        do { // an earlier try may have left some
            back.number = m_next++;
            file.reset(::openat(m_contents.get(), QByteArray::number(back.number).constData(),
                                O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        } while (!file && errno == EEXIST);
        if (!file
            || copyContent(content.get(), file.get(), std::numeric_limits<qint64>::max() - 1, m_course.asking()) < 0
            || (++m_taken <= mostOneByOne && ::fsync(file.get()) != 0))
            return full(errno);
        back.digest = digestOfContent(file.get(), m_course.asking());
        struct stat info = {};
        return ::fstat(content.get(), &info) == 0 && Stamp::of(info) == there.stamp();
    }

    // An earlier try may have been killed here.
    Status makeContents()
    {
        if (::mkdir(QFile::encodeName(m_contentsPath).constData(), 0700) != 0 && errno != EEXIST)
            return full(errno);
        m_contents = openFolderOf(m_contentsPath);
        return m_contents ? Status() : full(errno);
    }

    std::unexpected<Error> full(int error) const
    {
        return fail(codeForErrno(error),
                    Text(QT_TRANSLATE_NOOP("engine", "Files that would be replaced can't be kept in %1 for undoing: "
                                                     "%2. Nothing was applied. Check the free space."),
                         {m_contentsPath, errnoText(error)}));
    }

    const int m_original;
    const QString m_contentsPath;
    Course &m_course;
    // Of more, the file system is waited for once, and with it what others have written.
    static constexpr qint64 mostOneByOne = 16;
    UniqueFd m_contents;
    qint64 m_next = 0;
    qint64 m_taken = 0;
};

// The removal at a path, and what takes its place there, are two.
QByteArray keyOf(const FolderChange &change)
{
    return QByteArray::number(int(change.kind)) + change.path;
}

bool isAsBefore(const UndoStep &step, EntryThere &there)
{
    return step.done.change.kind == Kind::Added ? !there.is() : there.isFormer(step.back);
}

// Whether the place of what was removed is free is seen when it is put there.
bool isAsApplied(const UndoStep &step, EntryThere &there)
{
    return step.done.change.kind == Kind::Removed || there.isApplied(step.done);
}

} // namespace

Status keepReplaced(const KeptFolder &kept, int original, const QString &contents, Course &course,
                    QList<UndoStep> &steps)
{
    Replaced replaced(original, contents, course);
    QSet<QByteArray> known;
    for (const UndoStep &step : std::as_const(steps))
        known.insert(keyOf(step.done.change));
    QByteArray removed;
    for (const KeptChange &each : kept.changes) {
        if (!course.goesOn())
            return fail(ErrorCode::Cancelled, Text("stopped"));
        const bool isKnown = known.contains(keyOf(each.change));
        UndoStep step;
        const auto isKept = isKnown ? true : replaced.keep(each, removed == each.change.path, step);
        if (!isKept)
            return std::unexpected(isKept.error());
        if (*isKept && each.change.kind == Kind::Removed)
            removed = each.change.path;
        if (*isKept && !isKnown)
            steps.append(step);
    }
    // As they are applied: undoing opens a folder before it looks into it, whichever part it was of.
    std::ranges::stable_sort(steps, {}, [](const UndoStep &step) {
        return std::pair(step.done.change.path, step.done.change.kind != Kind::Removed);
    });
    return replaced.sync();
}

Status checkReplaced(const QList<UndoStep> &steps, const QString &contents, Course &course)
{
    const UniqueFd folder = openFolderOf(contents);
    for (const UndoStep &step : steps) {
        const UniqueFd content = step.back.digest.isEmpty() ? UniqueFd() : openContent(folder.get(), step.back);
        if (step.back.digest.isEmpty()
            || (content && digestOfContent(content.get(), course.asking()) == step.back.digest))
            continue;
        return fail(ErrorCode::Damaged,
                    Text(QT_TRANSLATE_NOOP("engine", "The kept content of %1 can't be read or was changed since, so "
                                                     "nothing was done. Restore the file by hand."),
                         {textFromBytes(step.back.change.path)}));
    }
    return {};
}

QList<UndoStep> neverDone(const QList<UndoStep> &steps, int original)
{
    QList<UndoStep> never;
    for (const UndoStep &step : steps) {
        const EntryThere there(original, step.done.change.path);
        const bool isAdded = step.done.change.kind == Kind::Added;
        // What was to be removed first is there.
        const bool takesPlace = isAdded && !never.isEmpty() && never.last().done.change.path == step.done.change.path;
        if (takesPlace || (isAdded ? there.isGone() : there.is() && there.stamp() == step.done.original))
            never.append(step);
    }
    return never;
}

PutBack putBack(const QList<UndoStep> &steps, const StagedFolder &folder, int original, const QString &contents,
                const QByteArray &temporary, Course &course)
{
    PutBack result;
    KeptFolder back{.folder = folder, .changes = {}};
    QSet<QByteArray> refused;
    QSet<QByteArray> opened;
    QByteArray former; // what was removed there is there
    for (const UndoStep &step : steps) {
        EntryThere there(original, step.done.change.path);
        if (isAsBefore(step, there)) { // by an earlier try, or by hand
            former = step.done.change.path;
            course.finished(step.back.change);
            continue;
        }
        if (former == step.done.change.path) { // so nothing took its place
            course.finished(step.back.change);
            continue;
        }
        if (!isAsApplied(step, there)) {
            refused.insert(keyOf(step.back.change));
            result.report.refused.append(
                Text(QT_TRANSLATE_NOOP("engine", "%1 was changed in the original since, so it was left as it is."),
                     {textFromBytes(step.done.change.path)}));
            course.finished(step.back.change);
            continue;
        }
        if (there.open())
            opened.insert(step.done.change.path);
        KeptChange change = step.back;
        change.original = there.stamp();
        back.changes.append(change);
    }
    sortChanges(back.changes);
    const ApplyReport report = applyChanges(back, original, openFolderOf(contents).get(), temporary, course);
    result.report.applied = report.applied;
    result.report.isStopped = report.isStopped;
    result.report.refused += report.refused;
    for (const KeptChange &left : std::as_const(back.changes))
        refused.insert(keyOf(left.change));
    for (const UndoStep &step : steps) {
        if (refused.contains(keyOf(step.back.change))) {
            if (opened.contains(step.done.change.path))
                EntryThere(original, step.done.change.path).close(step.done.change.mode);
            result.left.append(step);
            continue;
        }
        KeptChange waiting = step.done;
        EntryThere there(original, step.done.change.path);
        waiting.original = step.done.change.kind != Kind::Added && isAsBefore(step, there) ? there.stamp() : Stamp();
        result.waiting.append(waiting);
    }
    return result;
}

} // namespace glovebox
