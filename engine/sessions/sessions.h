// SPDX-License-Identifier: Apache-2.0
// The room's public header: workspaces that last from run to run, with a way back.
//
// A session is a list of files (its tree) whose contents lie in a content store: its own, or one that it shares with its forks. A run
// in it gets a fresh /work in memory, filled from the tree, so that the kernel bounds what the run writes and nothing of this machine is
// mounted; what the run leaves there becomes the next tree. Each tree that ever was is a snapshot: going back makes an old tree the newest
// again.
#pragma once

#include "engine/artifacts/artifacts.h"
#include "engine/folders/folders.h"
#include "engine/policy/policy.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <variant>

namespace glovebox {

// One name in a session's /work.
struct SessionEntry
{
    enum class Type { File, Folder, Link, SameFile };
    QByteArray path; // relative to /work; any bytes but NUL
    Type type = Type::File;
    quint32 mode = 0; // permissions (0755), without set-id
    qint64 bytes = 0; // of a file
    qint64 modifiedNs = 0; // since 1970; of a folder and a link 0
    QByteArray digest; // SHA-256 of a file's content
    QByteArray target; // where a link leads; of SameFile: the path of the File that has this other name

    bool operator==(const SessionEntry &) const = default;
};

using SessionTree = QList<SessionEntry>; // by path, so that folders come before what is in them

enum class SnapshotCause { Created, Run, Files, Rollback, Fork };

template<>
inline constexpr auto enumNames<SnapshotCause> = namesOf<SnapshotCause>({
    {SnapshotCause::Created, "created"},
    {SnapshotCause::Run, "run"},
    {SnapshotCause::Files, "files"},
    {SnapshotCause::Rollback, "rollback"},
    {SnapshotCause::Fork, "fork"},
});

// A state that the session was in.
struct Snapshot
{
    int number = 0; // from 1 in each session, never used again
    int parent = 0; // the state before; 0: none
    bool isBeside = false; // a run left it in a copy: the session itself never was so
    qint64 timeMicroseconds = 0;
    SnapshotCause cause = SnapshotCause::Created;
    QString run; // id of the run that left it
    int source = 0; // of Rollback: the snapshot that was gone back to
    QString label; // the person's; a snapshot with one is kept until its session is deleted
    QByteArray tree; // SHA-256 of the encoded tree
    qint64 bytes = 0; // of all files, each content once a file
    qint64 files = 0; // files, folders and links
    qint64 added = 0; // against the parent
    qint64 changed = 0;
    qint64 removed = 0;

    bool operator==(const Snapshot &) const = default;
};

// Packages of one language that runs in a session are shown. Their meaning is the business of whoever installed them.
struct SessionPackages
{
    QString language; // "python"
    QString id; // as RunRequest::packages
    QString interpreter; // as RunRequest::interpreter
    QStringList requirements; // as they were asked for: "pandas>=2"
    QStringList packages; // all that are installed: "numpy 2.1.0"
    QByteArray lock; // that they can be installed by again

    QString lockId() const; // SHA-256 of the lock, as the log has it

    bool operator==(const SessionPackages &) const = default;
};

struct Session
{
    QString id; // newId()
    QString name; // may be empty
    qint64 createdMicroseconds = 0;
    qint64 usedMicroseconds = 0; // by a run, or a change of its files
    std::optional<std::chrono::seconds> timeToLive; // since it was used; none: it stays until somebody deletes it
    qint64 diskBytes = Limits().diskBytes; // of /work, /tmp and /dev/shm of a run in it
    QStringList allow; // hosts that each run in it may reach, as Policy::allow
    QString profile; // name of the profile that the person's runs in it have unless they name another; empty: none
    QString agent; // that it belongs to (ownerOf()); empty: the person's own
    QList<SessionPackages> packages; // one for each language that has some; the same whatever snapshot is the newest
    QList<Snapshot> snapshots; // oldest first; never empty
    int head = 0; // the number of the newest, which is what the next run gets
    qint64 storedBytes = 0; // on this machine's disk, of all snapshots; forks may have the same ones

    const Snapshot &now() const; // the head
    const Snapshot *snapshot(int number) const; // null: there is none, or no longer
    const SessionPackages *packagesOf(const QString &language) const; // null: none
    // SHA-256 of all of it that code in the session can run: files and packages. Without packages: the tree of the newest snapshot.
    QByteArray digest() const;
    bool isExpired(qint64 nowMicroseconds) const; // its time is over by that clock; grace() begins
    // How long a clock has to call it expired until it is: one that jumped ahead would delete it at once. As Sessions::recover() counts it.
    std::chrono::microseconds grace() const;
    // A clock that was set back, or was wrong for a while, makes no use older than an earlier one: the session would expire by that.
    void useAt(qint64 nowMicroseconds);
    QString shownName() const { return name.isEmpty() ? id : name; }

    bool operator==(const Session &) const = default;
};

// {"id","name","created_us","used_us","ttl_s","disk_bytes","allow","packages":[{"language","requirements","packages","lock"}],"head",
// "files","bytes","stored_bytes","expires_us","busy"}
QJsonObject toJson(const Session &session, bool isBusy);
// {"number","parent","beside","time_us","cause","run","source","label","files","bytes","added","changed","removed"}
QJsonObject toJson(const Snapshot &snapshot);

// What a session's files leave free of its disk, for the code of the next run.
qint64 roomForCode(qint64 diskBytes);

struct NewSession
{
    QString name; // InvalidInput: its owner has one of that name already; agents that aren't paired are never told so
    std::optional<std::chrono::seconds> timeToLive = std::chrono::days(30);
    qint64 diskBytes = Limits().diskBytes;
    QStringList allow;
    QString profile;
    QString agent; // Session::agent

    bool operator==(const NewSession &) const = default;
};

// Session::agent of all agents that aren't paired: they are told apart by nothing but the ids they know.
constexpr QLatin1StringView unpairedAgents("unpaired");
// Whose sessions a caller makes: an agent by its pairing.
QString ownerOf(const Caller &caller);
// The person may use all sessions, an agent its own.
bool mayUse(const Caller &caller, const Session &session);
// Letters, digits, "-", "_" and ".", at most 64 of them, or nothing: InvalidInput for others.
Status checkSessionName(const QString &name);

// A file or folder of this machine that is copied to a path in /work.
struct PutFile
{
    QString hostPath;
    QByteArray path;
};

// How much of a copy is done. CopyProgress is called on the thread that copies, after each piece and each file.
struct CopiedUntilNow
{
    qint64 files = 0;
    qint64 bytes = 0;
};
using CopyProgress = std::function<void(const CopiedUntilNow &copied)>;

class SessionPlace;

// A run's /work, as seen from outside.
struct SessionWorkspace
{
    int folder = -1; // openFolderPlace() will do
    QByteArrayList
        given; // names of what the run itself was given there, which covers the session's files of those names
    QByteArrayList mounted; // below it: where folders of the person are shown
};

// What became of the session by a run.
struct KeptSession
{
    int number = 0; // of the new snapshot; 0: nothing was changed
    bool isBeside = false; // Snapshot::isBeside
    qint64 added = 0;
    qint64 changed = 0;
    qint64 removed = 0;
    QList<Text>
        left; // a sentence for each kind of thing that isn't kept: the session has those files as before, if at all
    QList<Text> altered; // the same of what is kept otherwise than it was
    QByteArrayList rewritten; // files with another content, whose stamps are as they were

    bool operator==(const KeptSession &) const = default;
};

// Files of a session that were copied to this machine.
struct SavedFiles
{
    qsizetype saved = 0; // files
    QList<Text> told; // about links, which nobody saves, and names that were changed
    QList<Text> left; // a sentence for each that could not be saved

    bool operator==(const SavedFiles &) const = default;
};

// A session that nobody else can change while this exists, or a copy of one. Used by one thread.
class SessionUse
{
public:
    ~SessionUse();
    SessionUse(SessionUse &&) noexcept;
    SessionUse &operator=(SessionUse &&) noexcept;

    const Session &session() const;
    // Makes the session's files, and returns how they are then. Damaged: one of them isn't any more what it was; InvalidInput: a folder is
    // shown where the session has something.
    Result<Stamps> fill(const SessionWorkspace &workspace);
    // For a workspace that has the session's files as they were once: makes and removes what is different now. An error: the
    // workspace is neither.
    Status refresh(const SessionWorkspace &workspace, const SessionTree &from);
    // The files in a workspace become the session's newest snapshot; of a copy one beside it. search: values of secrets that the run was
    // lent; null: none. given: a file that is as it was given is not the session's. An error: the session is as it was before; NotFound: it
    // was deleted; Cancelled: stop was requested. Where somebody still changes the workspace, a file may be kept half old and half new, and
    // nothing worse.
    Result<KeptSession> keep(const SessionWorkspace &workspace, const QList<InnerFile> &given, const QString &run,
                             SecretSearch *search, const std::stop_token &stop = {});
    // The files as they are: after keep(), those of that workspace.
    const SessionTree &tree() const;

private:
    friend class Sessions;
    struct Private;
    explicit SessionUse(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

// How the files of a session go that is removed: thousands take seconds.
enum class BytesGo {
    AtOnce,
    Meanwhile, // on a thread that nobody waits for; what a program's end leaves goes with the next start
};

// The sessions of one data folder. Thread-safe, also between programs. Blocks for the disk. What changes a session fails with Busy
// while somebody else uses it, and with NotFound where it is gone; then nothing was done.
class Sessions
{
public:
    // owner: whom runs belong to, for a root engine, which makes files in a run's memory as that user.
    Sessions(QString folder, const Clock &clock, std::function<std::optional<HostIdentity>()> owner);

    // InvalidInput: a name that can't be one, or is taken.
    Result<Session> create(const NewSession &wanted) const;
    // Newest use first; without those whose grace is over. damaged: gets an error for each that can't be read, whose detail is the id.
    // PermissionDenied and others: nobody knows which sessions there are.
    Result<QList<Session>> list(QList<Error> *damaged = nullptr) const;
    // For the person. wanted: the name of a session of their own; else an id, the first eight or more characters of one, or an agent's
    // name for its session, where just one session is meant: InvalidInput for several. Newer: a newer version made it. NotFound also
    // for one whose grace is over.
    Result<Session> find(const QString &wanted) const;
    bool isBusy(const QString &id) const;
    // Waits until nobody uses it. onWait: called once, if it waits.
    Result<SessionUse> use(const QString &id, const std::stop_token &stop,
                           const std::function<void()> &onWait = {}) const;
    // Its files as they are now, for one run. Waits for nobody, and nobody waits for it; while it exists the session isn't deleted.
    Result<SessionUse> copy(const QString &id, const QString &run) const;
    // Ids of the runs that have copies. PermissionDenied and others: nobody knows.
    Result<QStringList> copies(const QString &id) const;
    // Held as long as an interpreter of that language stays in the session; removed by its holder.
    Result<FileLock> markInterpreter(const QString &id, const QString &language) const;
    // Languages of those that stay in it, of all programs. As copies().
    Result<QStringList> interpreters(const QString &id) const;
    // Removes everything of it. Busy: also while a run has a copy.
    Status remove(const QString &id, BytesGo bytes = BytesGo::AtOnce) const;

    // Whether it was forked, or is a fork: storedBytes of several sessions may be the same bytes then.
    bool isShared(const QString &id) const;
    // Which part of its storedBytes other sessions have, too: its removal leaves that. Nothing: one of them can't be read.
    std::optional<qint64> sharedBytes(const Session &session) const;

    // The files of a snapshot; 0: of the newest. Damaged: they can't be read any more.
    Result<SessionTree> tree(const Session &session, int number = 0) const;
    // What is different in the second, by path.
    Result<QList<FolderChange>> difference(const Session &session, int from, int to) const;
    // The content of one file, piece by piece. Damaged, at the end: those weren't the right bytes.
    Status pass(const Session &session, const SessionEntry &file, const ContentStore::Pass &to) const;
    // Copies files of it to a folder that isn't there, or is empty, with the folders that they are in: SaveFolder. InvalidInput: the
    // folder is full.
    Result<SavedFiles> save(const Session &session, const SessionTree &files, const QString &folder,
                            const CopyProgress &progress = {}) const;

    // Names the newest snapshot, which is kept from then on until the session is deleted.
    Result<Session> label(const QString &id, const QString &label) const;
    // InvalidInput: a name that can't be one, or is taken; empty: none from now on.
    Result<Session> rename(const QString &id, const QString &name) const;
    // The packages of their language from now on; without an id: none. before: id of those that they replace. Busy: they aren't the
    // session's any more.
    Result<Session> setPackages(const QString &id, const SessionPackages &packages, const QString &before) const;
    // Makes an earlier state the newest.
    Result<Session> rollBack(const QString &id, int number) const;
    // A new session that begins as a snapshot of this one; 0: the newest.
    Result<Session> fork(const QString &id, int number, const NewSession &wanted) const;
    // Copies files and folders, all of them or none. Full: more than the session may have.
    Result<Session> put(const QString &id, const QList<PutFile> &files, const CopyProgress &progress = {}) const;
    Result<Session> put(const QString &id, const QString &hostPath, const QByteArray &path) const
    {
        return put(id, {{hostPath, path}});
    }
    // Makes a file at a path in /work, in the place of one that is there. Full.
    Result<Session> write(const QString &id, const QByteArray &path, QByteArrayView content) const;
    // Removes files, and folders with what is in them: all of them or none.
    Result<Session> removeFiles(const QString &id, const QList<QByteArray> &paths) const;
    Result<Session> removeFile(const QString &id, const QByteArray &path) const { return removeFiles(id, {path}); }

    // Deletes sessions that expired and whose grace is over, and what a program that was killed in the middle left. Returns the deleted
    // ones. Each call is a look at the clock, and counts as a third of a grace at most: a clock that jumped deletes nothing by that, and
    // one that was ahead for a while, while the session was used, keeps it no longer than that grace.
    QList<Session> recover() const;

private:
    using NextFiles = std::function<Result<SessionTree>(const ContentStore &, const SessionTree &, qint64 diskBytes)>;
    Result<Session> change(const QString &id, const NextFiles &nextFiles) const;
    Result<SessionUse> tryUse(const QString &id) const;
    Result<FileLock> lockNames() const;
    Status checkFree(const QString &name, const QString &agent) const; // with that lock
    bool hasExpired(const Session &session) const; // and its grace is over; which it hasn't while a run has a copy
    std::unexpected<Error> whyNotFound(const QString &wanted) const;
    Result<Session> make(const NewSession &wanted, const Snapshot &first, const SessionTree &tree,
                         const SessionUse::Private *from, const QList<SessionPackages> &packages) const;
    Status fillNew(const SessionPlace &place, Session &session, Snapshot first, const SessionTree &tree,
                   const SessionUse::Private *from) const;

    QString m_folder;
    const Clock &m_clock;
    std::function<std::optional<HostIdentity>()> m_owner;
};

// What is done to sessions by a person or an agent, on record: session.created, session.changed, session.deleted.

class AuditLog;

// What is done to a session between its runs.
struct LabelSnapshot
{
    QString label;
};
struct RollBack
{
    int number = 0; // of the snapshot that becomes the newest
};
struct PutFiles // as one snapshot
{
    QList<PutFile> files;
    CopyProgress progress; // of the copy; empty: nobody asks
};
struct RemoveFile
{
    QByteArray path;
};
struct WriteFile
{
    QByteArray path;
    QByteArray content;
};
struct RemoveFiles // as one snapshot
{
    QList<QByteArray> paths;
};
struct SetPackages
{
    SessionPackages packages; // without an id: none of this language any more
    QString before; // id of those that they replace; empty: none
};
struct RenameSession
{
    QString name; // empty: none
};
using SessionDeed = std::variant<LabelSnapshot, RollBack, PutFile, RemoveFile, WriteFile, PutFiles, RemoveFiles,
                                 SetPackages, RenameSession>;

// All of these block for the disk. An error says that nothing was done, or, where the log can't have it, that it was.
Result<Session> createOnRecord(const Sessions &sessions, AuditLog &log, const NewSession &wanted, const Caller &caller);
// number 0: the newest.
Result<Session> forkOnRecord(const Sessions &sessions, AuditLog &log, const QString &id, int number,
                             const NewSession &wanted, const Caller &caller);
Result<Session> changeOnRecord(const Sessions &sessions, AuditLog &log, const QString &id, const SessionDeed &deed,
                               const Caller &caller);
Status deleteOnRecord(const Sessions &sessions, AuditLog &log, const QString &id, const Caller &caller,
                      BytesGo bytes = BytesGo::AtOnce);
// Sessions::recover(); what expired is on record as the caller's.
void recoverOnRecord(const Sessions &sessions, AuditLog &log, const Caller &caller);

} // namespace glovebox
