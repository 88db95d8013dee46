// SPDX-License-Identifier: Apache-2.0
// The room's public header: the append-only record of what was asked for and how it ended.
//
// One SQLite database (WAL, synchronous=FULL) that several programs share. Entries are canonical JSON, numbered densely from
// 1; triggers refuse to change or delete them. What people wrote or programs printed is not in an entry: the entry holds a
// salted commitment SHA-256(salt || body), the body lives in the content store and the salt in a table of its own, so that
// retention can forget a body without touching the entry. leaf is the RFC 6962 leaf hash SHA-256(0x00 || entry).
#pragma once

#include "engine/policy/policy.h"

#include <QJsonArray>

#include <functional>
#include <memory>
#include <vector>

namespace glovebox {

// A body that an entry commits to.
struct CommittedBody
{
    QByteArray salt; // 32 random bytes
    QByteArray commitment; // SHA-256(salt || kept bytes), 32 bytes
    QByteArray digest; // SHA-256 of the kept bytes: its name in the content store, 32 bytes
    qint64 bytes = 0; // length before any cap
    qint64 kept = 0; // length of what was committed to

    bool operator==(const CommittedBody &) const = default;
};

// Hashes on the calling thread. totalBytes is the length before a cap; -1: the body is whole.
CommittedBody commitTo(QByteArrayView body, qint64 totalBytes = -1);

struct AcceptedEntry
{
    QString run;
    Caller caller;
    QString language;
    QString session; // empty: none
    Policy policy;
    CommittedBody code;
    std::vector<SecretGrant> secrets; // by name; a value is in no entry
    QString firstLine; // for the history's list; at most 200 characters; kept in a column, not in the entry

    bool operator==(const AcceptedEntry &) const = default;
};

struct FinishedEntry
{
    QString run;
    Outcome outcome = Outcome::SetupFailed;
    Text reason;
    std::optional<int> exitCode;
    std::optional<int> signal;
    Usage usage;
    QList<Control> controls;
    QJsonArray egress;
    QList<RunEvent> events;
    CommittedBody out;
    CommittedBody err;
    QJsonArray artifacts; // [{"path","sha256","size"}]

    bool operator==(const FinishedEntry &) const = default;
};

// What a person did with a run's changes to copies of folders.
struct FoldersEntry
{
    QString run;
    Caller caller;
    bool applied = false; // put into the originals; false: thrown away
    QStringList folders; // the originals, on the host
    qint64 changes = 0; // so many of them
    qint64 refused = 0; // of those to apply: not taken over, and why is theirs to see

    bool operator==(const FoldersEntry &) const = default;
};

// A change to the index of secrets. Never holds a value.
struct SecretEntry
{
    enum class Change { Added, Replaced, Edited, Renamed, Removed };
    Change change = Change::Added;
    Caller caller;
    // As it is to be: all of it when Added; store and slot when Replaced; note and limits when Edited. The name is the one it has now.
    SecretInfo secret;
    QString newName; // Renamed
    // What the change was decided on (not with Added): when it has another slot by now or, to be Edited, another note or other
    // limits, another program was there first, and nothing is changed (Busy).
    SecretInfo expected;

    bool operator==(const SecretEntry &) const = default;
};

// Secrets that are lent to a run, counted before they are. No entry: those of the run name them.
struct SecretUses
{
    QList<SecretInfo>
        secrets; // as they were looked at: one that was changed since is not lent (Busy), and nothing is counted then

    bool operator==(const SecretUses &) const = default;
};

// The install's signing key was made. Where it is, is recorded once: a second one is refused (InvalidInput).
struct KeyEntry
{
    Caller caller;
    QString algorithm; // "ed25519"
    QString place; // "file", "keychain"
    QByteArray publicKey;

    bool operator==(const KeyEntry &) const = default;
};

// What this data folder is known by.
struct InstallRecord
{
    QString id; // 16 hexadecimal digits, drawn when the log was made
    QString keyPlace; // of the signing key; empty: there is none yet
    QByteArray publicKey;

    bool operator==(const InstallRecord &) const = default;
};

// Where an entry stands in the log.
struct AuditReceipt
{
    qint64 seq = 0; // 0: what was written is no entry
    QByteArray leaf; // 32 bytes

    bool operator==(const AuditReceipt &) const = default;
};

// One row of the history: a run, from its entries' columns.
struct RunRow
{
    qint64 seq = 0; // of the accepted entry
    QString run;
    qint64 timeMicroseconds = 0; // accepted
    QString language;
    std::optional<Outcome> outcome; // nullopt: not finished
    Caller::Kind callerKind = Caller::Kind::Cli;
    QString callerName; // program
    QString backend;
    std::optional<qint64> durationMs; // wall time of the run
    std::optional<int> exitCode;
    QString session;
    QString firstLine;
    qint64 finishedSeq = 0; // 0: not finished

    bool operator==(const RunRow &) const = default;
};

// One stored entry, as it is in the log.
struct StoredEntry
{
    qint64 seq = 0;
    QByteArray json; // canonical
    QByteArray leaf;

    bool operator==(const StoredEntry &) const = default;
};

// Digest and salt of a body that an entry commits to ("code", "stdout", "stderr"); salt is empty when retention removed it.
struct StoredBody
{
    QString what;
    QByteArray digest;
    QByteArray salt;
    qint64 bytes = 0;
    qint64 kept = 0;

    bool operator==(const StoredBody &) const = default;
};

struct RunFilter
{
    qint64 beforeSeq = 0; // keyset paging, newest first: only rows with a smaller seq; 0: from the newest
    int limit = 100;
    std::optional<Outcome> outcome;
    QString language;
    std::optional<Caller::Kind> callerKind;
    QString firstLineContains; // literal text, case-insensitive
    QString secret; // its name, as it was when it was asked for

    bool operator==(const RunFilter &) const = default;
};

// Reads the log. One connection; use each object on one thread at a time. Opening never creates or changes anything.
class AuditReader
{
public:
    // NotFound when there is no log yet. A newer schema can be read as far as its runs table is compatible.
    static Result<std::unique_ptr<AuditReader>> open(const QString &file);
    ~AuditReader();

    Result<QList<RunRow>> runs(const RunFilter &filter) const;
    // By id, or by an unambiguous prefix of at least 8 characters. NotFound; InvalidInput when ambiguous.
    Result<RunRow> run(const QString &idOrPrefix) const;
    // accepted, then finished or interrupted if there is one, then what became of its changes to folders
    Result<QList<StoredEntry>> entriesOf(const QString &runId) const;
    Result<StoredEntry> entry(qint64 seq) const;
    Result<QList<StoredBody>> bodiesOf(const QString &runId) const;
    // The index of secrets, by name. Empty for a log of an older version.
    Result<QList<SecretInfo>> secrets() const;
    // Without an id for a log of an older version.
    Result<InstallRecord> install() const;
    // Changes whenever any program appended (PRAGMA data_version).
    Result<qint64> dataVersion() const;
    // Ends a query that is running on another thread.
    void interrupt();

private:
    struct Private;
    explicit AuditReader(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

// Appends to the log. Owns the only write connection and the thread it lives on; entries that wait together are committed
// together. All functions are thread-safe.
class AuditLog
{
public:
    using Done = std::function<void(Result<AuditReceipt>)>; // called on the writer's thread after the durable commit

    // Creates the database (0600) if there is none. Errors: Newer (readable with AuditReader), Damaged, Busy (locked by
    // another program for more than 5 s), PermissionDenied, Full, Io; each message says what to do.
    // Closing::Quick is for a program of one run: its entries stay in the WAL, beside the file itself, where they are durable and
    // read by everybody all the same; what moves them later is the first engine that has the time, or a WAL that grows long.
    enum class Closing { InOrder, Quick };
    static Result<std::unique_ptr<AuditLog>> open(const QString &file, const QString &engineId, const Clock &clock,
                                                  Closing closing = Closing::InOrder);
    // Finishes what was appended, then stops the thread.
    ~AuditLog();

    void append(AcceptedEntry entry, Done done);
    void append(FinishedEntry entry, Done done);
    void append(FoldersEntry entry, Done done);
    // With the index, whole or not at all. InvalidInput: the name is taken; NotFound: there is none of that name.
    void append(SecretEntry entry, Done done);
    void append(SecretUses uses, Done done);
    void append(KeyEntry entry, Done done);

    // Closes every open run of engines whose lock can be taken (or is gone) with a run.interrupted entry, and removes those
    // lock files. Returns the ids of the runs closed. Never touches a run of an engine whose lock is held.
    Result<QStringList> recover(const QString &enginesFolder);

private:
    struct Private;
    explicit AuditLog(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace glovebox
