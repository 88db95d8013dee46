// SPDX-License-Identifier: Apache-2.0
// Where a session is on this machine's disk: a folder with its notes (session.json), its lock, and the store of its contents.
#pragma once

#include "sessions.h"

namespace glovebox {

inline const QString removedSuffix = QStringLiteral(".removed"); // of a folder that is a session's no more

class SessionPlace
{
public:
    SessionPlace(const QString &sessions, QString id);

    const QString &folder() const { return m_folder; }
    QString lockFile() const { return m_folder + QStringLiteral("/lock"); }
    // Nothing: somebody uses the session, or it is gone. Waits for those who only look whether somebody does.
    Result<std::optional<FileLock>> lock() const;
    ContentStore store() const;
    QString sharedStore() const; // the name of the folder that its store is in, which is not its alone; empty: its own

    // NotFound: there is none; Damaged: its notes can't be read; Newer: a newer version wrote them.
    Result<Session> read() const;
    // Of notes of any version, by which the person calls the session; empty: none, an agent's, or unreadable.
    QString personsName() const;
    // Nobody else writes the notes or removes contents while it is held, which is never for long: whoever has the session's lock takes
    // this one for a change, and a copy needs no other. Busy: another program has it for a minute already.
    Result<FileLock> lockNotes() const;
    Result<std::optional<FileLock>> tryLockNotes() const; // the same without waiting
    // Durably; by whoever has that lock. isShared: its store is to be a shared one.
    Status write(const Session &session, bool isShared = false) const;
    Result<SessionTree> tree(const Snapshot &snapshot) const;

    // Keeps the contents of a tree for a run that has a copy of it, even if the snapshot goes. Of a tree that isn't in the notes any more
    // when this returns the contents may be gone already.
    Result<FileLock> pin(const QByteArray &tree, const QString &run) const;
    // Held by whoever pins a tree, until they know that the session is there still, and by whoever sets it aside. For a moment.
    Result<FileLock> lockPins() const { return FileLock::create(m_folder + QStringLiteral("/pins.lock")); }
    struct Copy
    {
        QString run;
        QByteArray tree;
    };
    // NotFound, PermissionDenied and others: nobody knows which there are, so that contents have to stay.
    Result<QList<Copy>> copies() const;
    // As long as the lock is held, an interpreter of that language stays in the session.
    Result<FileLock> markInterpreter(const QString &language) const;
    Result<QStringList> interpreters() const; // their languages

    // Between this and endKeeping() bodies may be in the store that no snapshot has; a program that finds the mark with the
    // lock of the notes in its hands removes them.
    Status beginKeeping() const;
    void endKeeping() const;
    bool wasCutShort() const;

    // A clock that says that the session expired, or was used later than now, is wrong, or will be believed: each look counts the time
    // since the one before, but at most a third of the session's grace. The count ends where the clock and the session agree again.
    void look(const Session &session, qint64 nowMicroseconds) const;
    bool isGraceOver(const Session &session) const; // as the last look counted it

    // What sessions have in a store. A file of one may have the bytes of another's tree: its name doesn't say that this tree was read.
    struct Contents
    {
        QSet<QByteArray> trees; // whose files are in all
        QSet<QByteArray> all;
    };
    // Adds the contents of all snapshots and copies, and returns how many bytes they have. Nothing: one can't be read.
    std::optional<qint64> addContents(const Session &session, Contents &used) const;
    // It is no session from then on. Returns its folder under another name, to be removed. Busy: somebody uses it.
    Result<QString> setAside() const;
    // Removes contents that no snapshot and no copy has, and returns how many bytes are left.
    qint64 sweep(const Session &session) const;

private:
    struct Doubt // of a clock
    {
        qint64 usedMicroseconds = 0; // of the session: a use of it ends the doubt
        qint64 lookedMicroseconds = 0;
        qint64 countedMicroseconds = 0;
    };
    std::optional<Doubt> doubtOf(const Session &session) const;
    Result<QStringList> namesBeginning(const QString &prefix) const; // of files in its folder
    QString doubtFile() const { return m_folder + QStringLiteral("/doubt"); }
    QString keepingFile() const { return m_folder + QStringLiteral("/keeping"); }

    QString m_id;
    QString m_folder;
};

Text damagedFile(const SessionEntry &file); // on this machine's disk
std::unexpected<Error> noSession(const QString &wanted);
std::unexpected<Error> newerSession(const QString &session);
std::unexpected<Error> expiredSession(const Session &session);
std::unexpected<Error> noSnapshot(const Session &session, int number);
std::unexpected<Error> busySession(const Session &session);

} // namespace glovebox
