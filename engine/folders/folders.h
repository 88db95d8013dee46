// SPDX-License-Identifier: Apache-2.0
// The room's public header: what becomes of the folders that a person grants, before and after a run.
#pragma once

#include "lines/linediff.h"

#include "engine/policy/policy.h"

#include <QByteArray>
#include <QMap>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include <sys/types.h>

class QDataStream;

namespace glovebox {

// What happened to one entry of a folder.
struct FolderChange
{
    enum class Kind { Added, Changed, Removed };
    enum class Type { File, Folder, Link, Other };
    Kind kind = Kind::Changed;
    Type type = Type::File; // of what is there now; of what was removed
    QByteArray path; // relative to the folder; any bytes but NUL
    QByteArray target; // where a link leads
    qint64 bytes = 0; // of a file, as it is now
    quint32 mode = 0; // permissions now (0755), and before; 0 where there is none
    quint32 oldMode = 0;
    bool isSensitive = false; // other programs run it or obey it: hooks, editors' and shells' settings, build files
    Text why; // of a sensitive one: who does
    bool isWithheld =
        false; // its name or content has a secret in it that the run was lent; path and target are scrubbed

    bool operator==(const FolderChange &) const = default;
};

QDataStream &operator<<(QDataStream &out, const FolderChange &change);
QDataStream &operator>>(QDataStream &in, FolderChange &change);

// What a run did to its copy of one folder.
struct FolderChanges
{
    QString hostPath; // of the original
    QString path; // inside
    QList<FolderChange> changes; // by path; a folder that was removed is followed by all that was in it
    bool isWhole = true; // false: the copy has become too large or too deep to be compared, and can't be applied

    bool operator==(const FolderChanges &) const = default;
};

QDataStream &operator<<(QDataStream &out, const FolderChanges &changes);
QDataStream &operator>>(QDataStream &in, FolderChanges &changes);

// {"host","path","whole","changes":[{"path","change","type","target","bytes","mode","old_mode",
// "sensitive","why","withheld"}]}; modes as "0755" or null, why as a sentence or null.
QJsonObject toJson(const FolderChanges &changes);

// In the order in which a person looks at them, so that nothing hides behind many others: withheld ones, sensitive ones (the first of each
// reason, then the second of each), the rest.
QList<FolderChange> inOrderOfReview(QList<FolderChange> changes);

// Which of a folder's changes are to be taken over. What can't be taken over without another is chosen and left together with it: a new
// file and the new folder that it is in, a removed folder and what was in it, what takes the place of another kind of entry.
class ChangeChoice
{
public:
    explicit ChangeChoice(const QList<FolderChange> &changes); // none of them

    void choose(qsizetype index, bool isChosen);
    bool isChosen(qsizetype index) const { return m_isChosen[index]; }
    qsizetype count() const { return m_count; }
    QList<FolderChange> chosen() const; // in the order of all

private:
    QList<qsizetype> bound(qsizetype i, bool isChosen) const;
    QList<qsizetype> above(qsizetype i) const;
    QList<qsizetype> below(qsizetype i) const;
    bool isNewAt(qsizetype i) const;
    bool isRemovedFolder(qsizetype i) const;

    QList<FolderChange> m_changes;
    QList<bool> m_isChosen;
    QMap<QByteArray, QList<qsizetype>> m_places; // by path
    qsizetype m_count = 0;
};

// Files that were changed in a folder, for whoever looks for secrets in them; small ones first.
struct WrittenFiles
{
    static constexpr qint64 mostBytes = 64 * mebibyte;
    static constexpr qsizetype mostFiles = 10'000;
    static constexpr std::chrono::seconds mostTime{10};

    QList<std::pair<QByteArray, qint64>> files; // paths, and how many bytes there are of each
    qint64 left = 0; // files of which not all is there: they can't be read, or these limits were reached

    bool operator==(const WrittenFiles &) const = default;
};

// Looks at the sensitive files of a folder that a run may write to, to tell afterwards which of them it changed. Nothing
// prevents that where the folder itself is granted (a read-only mount over .git/hooks is got round by renaming .git).
class SensitiveFiles
{
public:
    // Takes the state before. descriptor: of the folder (openFolderPlace() will do). Reads names and times only.
    explicit SensitiveFiles(int descriptor);
    ~SensitiveFiles();
    SensitiveFiles(SensitiveFiles &&) noexcept;

    // What is different now, by path; once, after the run.
    QList<FolderChange> changes() const;
    // False: the folder is too large or parts of it can't be read, so changes may be missed.
    bool isWhole() const;
    // After changes(): the content of all files that were changed since, also of those that nobody obeys, behind one another in to.
    // By the times of their file system, with a second to spare.
    WrittenFiles written(int to) const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

struct TreeSize
{
    qint64 bytes = 0; // on disk
    qint64 entries = 0;
    qint64 unseen = 0; // folders and entries that could not be looked at

    bool operator==(const TreeSize &) const = default;
};

using FileSystems = std::map<dev_t, UniqueFd>; // a folder of each

// What a folder takes up, with all that is mounted below it; nullopt when it has more entries than can be counted again and again.
// fileSystems: gets those below it that it doesn't have.
std::optional<TreeSize> measureTree(int descriptor, FileSystems *fileSystems = nullptr);

// A copy of a folder that a run may write to; the original stays as it is until the person applies the changes.
struct StagedFolder
{
    QString hostPath; // the original, without symbolic links
    QString path; // inside
    QString copy; // the folder to show instead, in staging/<engine>/<run>; empty: the copy is in the run's own memory
    quint64 device = 0; // identity of the original
    quint64 inode = 0;

    bool operator==(const StagedFolder &) const = default;
};

// What came of applying, or of undoing that.
struct ApplyReport
{
    qint64 applied = 0; // or undone
    QList<Text> refused; // one sentence each: the original was changed meanwhile, ...
    bool isStopped = false; // before all was done: what it didn't come to waits
    Text unrecorded; // why the log doesn't have that; empty: it has

    bool operator==(const ApplyReport &) const = default;
};

// How far applying is, or undoing that.
struct AppliedUntilNow
{
    qint64 changes = 0; // that are applied, or undone, or were refused
    qint64 allChanges = 0;
    qint64 bytes = 0; // of files, until the one that is being written
    qint64 allBytes = 0;

    bool operator==(const AppliedUntilNow &) const = default;
};
// Called often while changes are checked and applied, on the thread that applies them. False: no more is applied. A file that is being
// written then never gets its name, and what waits can be applied later; undoing covers both parts. While changes are undone, the same:
// no more is put back, what was undone waits, and the others can be undone later.
using ApplyProgress = std::function<bool(const AppliedUntilNow &now)>;

// What a person decides about the changes of a run: puts them into the originals, puts the originals back, throws them away.
enum class FolderDeed : quint8 { Apply, Undo, Discard };

// Changes that wait for the person.
struct PendingChanges
{
    QString run;
    QList<FolderChanges> folders;
    // Glovebox ended while it applied or undid them, so that some may be in the originals. The same again finishes it.
    bool isCutShort = false;
    std::optional<FolderDeed> underWay; // a program, maybe this one, does that now

    bool operator==(const PendingChanges &) const = default;
};

// What a run left, when it has ended.
struct FinishedCopies
{
    QList<FolderChanges> changes;
    Status kept; // an error: there are changes, and they can't be kept, so they are gone

    bool operator==(const FinishedCopies &) const = default;
};

// Decides about one change, before anybody else can see it: whether it isWithheld, and then what is shown instead of its path and
// target. content: of a file that is there now, readable from its beginning; -1 where there is none or it can't be read.
using Withhold = std::function<void(FolderChange &change, int content)>;

// Nothing where there is no such file.
struct FileVersions
{
    std::optional<QByteArray> original;
    std::optional<QByteArray> copy;

    bool operator==(const FileVersions &) const = default;
};

class AuditLog;
class Staging;

// Some of the changes that wait, as they were shown; nothing: all of them.
using ChosenChanges = std::optional<QList<FolderChanges>>;

// Staging's apply(), undo() and discard(), on record from before anything is done until it has ended: nothing is done when that can't be
// recorded. When this program dies in between, the next engine puts on record that it was interrupted. All of them block.
Result<ApplyReport> applyOnRecord(Staging &staging, AuditLog &log, const QString &run, const Caller &caller,
                                  const ChosenChanges &chosen = {}, const ApplyProgress &progress = {});
Result<ApplyReport> undoOnRecord(Staging &staging, AuditLog &log, const QString &run, const Caller &caller,
                                 const ApplyProgress &progress = {});
Status discardOnRecord(Staging &staging, AuditLog &log, const QString &run, const Caller &caller);

// Three functions touch the original, whose file system may not answer: bytes in, bytes out, so that another process can do it. from and
// original: the folder that was opened (openFolderPlace() will do). All of them block as long as its file system does.
// Copies into an empty folder. The order is made by Staging, which reads what is returned.
Result<QByteArray> copyFolder(const QByteArray &order, int from, int to);
// The size that copyFolder() would take in memory; InvalidInput when that is more than the order allows.
Result<TreeSize> countFolder(const QByteArray &order, int from);
// Finds what was done to the copy. original -1: it can't be reached, so that what was only touched counts as changed.
QByteArray compareFolder(const QByteArray &tree, int original, int copy);

using CopyFolder = std::function<Result<QByteArray>(const QByteArray &order, int to)>;
using CompareFolder = std::function<Result<QByteArray>(const StagedFolder &folder, const QByteArray &tree, int copy)>;

// The copies. Thread-safe, as runs have folders of their own; several programs may share one data folder. While a run works, its
// copies are in its own memory, or in staging/<engine>/<run>; changes that wait for the person are in staging/kept/<run>.
class Staging
{
public:
    // Called when no other program can apply or discard the run's changes any more, before anything is done; an error prevents it.
    using Begin = std::function<Status(const PendingChanges &)>;
    // apply(), undo() or discard() in another process, as the original's file system may not answer. Cancelled: that was left, and may
    // have been in the middle of it if it had begun.
    using Decide = std::function<Result<ApplyReport>(FolderDeed deed, const QString &run, const Begin &begin,
                                                     const ChosenChanges &chosen, const ApplyProgress &progress)>;

    // owner: whom runs belong to; a root engine gives them their copies, and asks for each. decide: empty: this process does it.
    Staging(const Paths &paths, QString engineId, std::function<std::optional<HostIdentity>()> owner,
            Decide decide = {});
    ~Staging(); // removes what this engine's runs left

    // For countFolder() and copyFolder(): at most limits.diskBytes and limits.diskFiles().
    QByteArray orderFor(const QString &hostPath, const Limits &limits) const;
    // Copies a folder for a run. Links are copied as links, holes as holes; sockets, FIFOs, devices, and what lies on another file
    // system or can't be read is left out (skipped tells, at most ten names). original: without path and copy, which are the
    // answer's. memory: an empty folder of the run's own, where the copy goes; invalid: a folder on disk is made. copyIt has
    // copyFolder() done.
    Result<StagedFolder> copy(const QString &run, const FolderGrant &grant, StagedFolder original, const Limits &limits,
                              UniqueFd memory, const CopyFolder &copyIt, QStringList &skipped);
    // After the run: what it changed. Keeps that for the person when there is something. What is withheld is noted, as a digest,
    // with it: no program shows it from then on. compareIt has compareFolder() done; where it can't, what was only touched is
    // told as changed.
    FinishedCopies finish(const QString &run, const Withhold &withhold = {}, const CompareFolder &compareIt = {});

    // Removes the copies of engines that have died, also of other data folders that a root engine had, and changes that have waited
    // for more than thirty days.
    void recover(const QString &enginesFolder);

    // Newest first. unreadable: gets the errors of changes whose notes are damaged or of a newer version.
    QList<PendingChanges> pending(QList<Error> *unreadable = nullptr) const;
    // NotFound when nothing of this run waits; Busy when undoing was cut short, so that nothing waits yet.
    Result<PendingChanges> pending(const QString &run) const;
    // Puts the changes into the originals, each file at once or not at all. What was changed in the original since the copy was
    // made is refused and goes on waiting; when nothing is left, the changes are forgotten. Busy: another program is at it, or undoing was
    // cut short and comes first; Full: they don't fit; Damaged: they aren't any more what was shown; InvalidInput: some that were chosen
    // don't wait any more, or need others; Cancelled: stopped before the first. An error says that nothing was done. What is replaced or
    // removed is kept until other changes are applied; after a stop, until the rest was applied or discarded, and then others.
    Result<ApplyReport> apply(const QString &run, const Begin &begin = {}, const ChosenChanges &chosen = {},
                              const ApplyProgress &progress = {});
    // Changes that were applied last and can be undone; begin gets the same. More than one run's only where applying or undoing was cut
    // short.
    QList<PendingChanges> undoable() const;
    Result<PendingChanges> undoable(const QString &run) const;
    // Puts the originals back, and what was applied waits again, but for what isn't any more as it was applied: that is refused and stays.
    // Hard links, extended attributes and access lists don't come back. NotFound: nothing of this run can be undone. An error says
    // that nothing was done; Cancelled: stopped before the first.
    Result<ApplyReport> undo(const QString &run, const Begin &begin = {}, const ApplyProgress &progress = {});
    // An error after begin says that the changes still wait, or that their copy couldn't be removed whole.
    Status discard(const QString &run, const Begin &begin = {});
    // A file of the copy, and of the original as it is now, for showing what is different. path: FolderChange's, in the
    // folder that is shown at folderPath. InvalidInput where one of them has more than mostBytes; PermissionDenied where it is
    // withheld.
    Result<FileVersions> versions(const QString &run, const QString &folderPath, const QByteArray &path,
                                  qint64 mostBytes) const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

// The lines of a file among a run's changes that wait, against the original as it is now; none: see whyNoLines(). folder: its path
// inside. InvalidInput where a version isn't text in UTF-8 or has more than 1 MB; PermissionDenied where it is withheld; NotFound where
// one that should be there can't be read. Blocks for the disk.
Result<QList<DiffLine>> changedLines(const Staging &staging, const QString &run, const QString &folder,
                                     const FolderChange &change);
// What to say of a file of which changedLines() has no lines.
Text whyNoLines(const FolderChange &change);

} // namespace glovebox
