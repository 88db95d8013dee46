// SPDX-License-Identifier: Apache-2.0
// Reading the log: the history's rows, and entries as they are.
#pragma once

#include "engine/policy/policy.h"

#include <QMap>

#include <chrono>
#include <functional>
#include <memory>

namespace glovebox {

class Connection;

// Caller::claimed, and RunRow::callerName, of runs by which Glovebox attacks its own sandbox. Of an agent the name says nothing.
constexpr auto selfTestName = "self-test";

// One row of the history: a run, from its entries' columns.
struct RunRow
{
    qint64 seq = 0; // of the accepted entry
    QString run;
    qint64 timeMicroseconds = 0; // accepted
    QString language;
    std::optional<Outcome> outcome; // nullopt: not finished
    Caller::Kind callerKind = Caller::Kind::Cli;
    QString callerName; // program; of a paired agent whose program isn't known, the name of the pairing; selfTestName
    QString backend;
    std::optional<qint64> durationMs; // wall time of the run
    std::optional<int> exitCode;
    QString session;
    QString firstLine;
    qint64 finishedSeq = 0; // 0: not finished
    bool getsPackages =
        false; // code of Glovebox fetched, built or installed them; false also in entries of older versions

    bool isSelfTest() const { return callerKind != Caller::Kind::Mcp && callerName == QLatin1StringView(selfTestName); }
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

// Digest and salt of a body that an entry commits to ("code", "stdout", "stderr"); salt is empty when it was deleted
// (retention/deletion.h).
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
    qint64 fromSeq = 0; // only rows with this seq or a greater one
    qint64 beforeSeq = 0; // keyset paging, newest first: only rows with a smaller seq; 0: from the newest
    int limit = 100;
    std::optional<qint64> sinceMicroseconds, untilMicroseconds; // UTC: started then or later, started before then
    std::optional<Outcome> outcome;
    QString language;
    std::optional<Caller::Kind> callerKind;
    QString contains; // literal text, case-insensitive: of the first line and, for search(), of code and output
    QString secret; // its name, as it was when it was asked for
    QString pairing; // id of the paired client that asked for the run
    QString program; // RunRow::callerName, exactly
    std::optional<bool> selfTest; // only the runs of Glovebox's attacks on its own sandbox, or all but those
    bool foldsPackages = false; // runs that get packages are counted (RunSlice::folded), and no rows

    bool operator==(const RunFilter &) const = default;
};

// Whether a body that is kept holds what is searched for.
using BodyLook = std::function<Result<bool>(const QByteArray &digest)>;

// Part of a search, which may take long.
struct RunSlice
{
    QList<RunRow> rows;
    qint64 folded = 0; // RunFilter::foldsPackages: how many more there would be
    qint64 lookedAt =
        0; // seq of the oldest run that was looked at: RunFilter::beforeSeq of what follows; 0: there was none
    bool isEnd = false; // of the log

    bool operator==(const RunSlice &) const = default;
};

// Reads the log. One connection; use each object on one thread at a time. Opening never creates or changes anything.
class AuditReader
{
public:
    // NotFound when there is no log yet. A newer schema can be read as far as its runs table is compatible.
    static Result<std::unique_ptr<AuditReader>> open(const QString &file);
    ~AuditReader();

    Result<QList<RunRow>> runs(const RunFilter &filter) const;
    // The same, which also looks at the bodies of runs whose first line doesn't have the text, and ends after this time.
    Result<RunSlice> search(const RunFilter &filter, const BodyLook &look,
                            std::chrono::milliseconds atMost = std::chrono::hours(24)) const;
    // By id, or by an unambiguous prefix of at least 8 characters. NotFound; InvalidInput when ambiguous.
    Result<RunRow> run(const QString &idOrPrefix) const;
    // accepted, what a person answered about it, then finished or interrupted if there is one, then what became of its changes to
    // folders
    Result<QList<StoredEntry>> entriesOf(const QString &runId) const;
    Result<StoredEntry> entry(qint64 seq) const;
    Result<QList<StoredBody>> bodiesOf(const QString &runId) const;
    // Digests of the files that it left, by their number in its finished entry; those of withheld ones are nowhere else.
    // Empty: it was deleted.
    Result<QMap<qsizetype, QByteArray>> artifactDigests(const QString &runId) const;
    // In order, from this number on, at most so many: for whoever goes through the whole log, a range at a time.
    Result<QList<StoredEntry>> entries(qint64 from, qint64 most) const;
    Result<qint64> lastEntry() const; // its number; 0: there is none
    // What this log, and hence the install, is known by: 16 hexadecimal digits, drawn when the log was made. Empty for a log of
    // version 1.
    Result<QString> id() const;
    // For the tables of other rooms. query: Result<T>(const Connection &), called once or, where another program wrote meanwhile,
    // again.
    template<typename Query> auto ask(Query query) const -> decltype(query(std::declval<const Connection &>()))
    {
        decltype(query(std::declval<const Connection &>())) answer;
        const Status asked = readBy([&](const Connection &connection) {
            answer = query(connection);
            return answer ? Status() : std::unexpected(answer.error());
        });
        return asked ? answer : std::unexpected(asked.error());
    }
    // Reads all of the log, and says false where it is larger than 512 MB and was not read. Damaged where SQLite's own structure
    // isn't whole.
    Result<bool> check() const;
    // Changes whenever any program appended (PRAGMA data_version).
    Result<qint64> dataVersion() const;
    // Ends a query that is running on another thread.
    void interrupt();

private:
    Status readBy(const std::function<Status(const Connection &)> &query) const;

    struct Private;
    explicit AuditReader(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace glovebox
