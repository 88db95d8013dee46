// SPDX-License-Identifier: Apache-2.0
#include "verification.h"

#include "engine/audit/entry.h"
#include "engine/sqlite/sqlite.h"

#include <limits>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct ReadEntry
{
    qint64 seq = 0;
    qint64 timeMicroseconds = 0;
    QByteArray json;
    QByteArray leaf;
    bool isInPlace = false;
};

// What somebody edited may be no JSON, at which json_extract() gives up. SQLite keeps the text that it took apart last, so each entry is
// taken apart once.
constexpr const char *rangeOfEntries =
    "SELECT seq, time_us, json, leaf, CASE WHEN json_valid(CAST(json AS TEXT)) THEN "
    "json_extract(CAST(json AS TEXT), '$.seq') IS seq AND json_extract(CAST(json AS TEXT), '$.kind') IS kind AND "
    "json_extract(CAST(json AS TEXT), '$.run') IS run AND json_extract(CAST(json AS TEXT), '$.time_us') IS time_us "
    "ELSE 0 END FROM entries WHERE seq >= ?1 AND seq <= ?2 ORDER BY seq LIMIT 2048";

// Runs whose row in the list isn't what their entries say: no row, a row of other columns, a row without an entry, another end, none.
constexpr const char *runsUnlikeEntries = R"sql(
WITH told AS MATERIALIZED (
    SELECT seq, run, kind, time_us,
        CASE WHEN json_valid(CAST(json AS TEXT)) THEN CAST(json AS TEXT) ELSE '{}' END AS json
    FROM entries WHERE kind IN ('run.accepted', 'run.finished', 'run.interrupted') AND seq <= ?1
)
SELECT told.seq FROM told LEFT JOIN runs ON runs.seq = told.seq
    WHERE told.kind = 'run.accepted' AND (runs.run IS NOT told.run OR runs.time_us IS NOT told.time_us
        OR runs.language IS NOT coalesce(json_extract(told.json, '$.language'), '')
        OR runs.session IS NOT json_extract(told.json, '$.session')
        OR runs.caller_kind IS NOT json_extract(told.json, '$.caller.kind')
        OR runs.backend IS NOT json_extract(told.json, '$.policy.backend'))
UNION
SELECT runs.seq FROM runs LEFT JOIN entries ON entries.seq = runs.seq
    WHERE runs.seq <= ?1 AND entries.kind IS NOT 'run.accepted'
UNION
SELECT runs.seq FROM runs LEFT JOIN entries AS ends ON ends.seq = runs.finished_seq
    WHERE runs.finished_seq <= ?1 AND (ends.run IS NOT runs.run OR ends.kind NOT IN ('run.finished', 'run.interrupted')
        OR (json_valid(CAST(ends.json AS TEXT))
            AND (json_extract(CAST(ends.json AS TEXT), '$.outcome') IS NOT runs.outcome
                OR json_extract(CAST(ends.json AS TEXT), '$.exit_code') IS NOT runs.exit_code)))
UNION
SELECT coalesce(runs.seq, told.seq) FROM told LEFT JOIN runs ON runs.run = told.run
    WHERE told.kind <> 'run.accepted' AND runs.finished_seq IS NOT told.seq
ORDER BY 1
)sql";

// Such a row would excuse bodies that somebody took away.
constexpr const char *deletionsUnlikeEntries =
    "SELECT deletions.seq FROM deletions LEFT JOIN entries ON entries.seq = deletions.seq WHERE entries.kind IS NOT "
    "'retention.applied' OR entries.time_us IS NOT deletions.time_us OR CASE WHEN json_valid(CAST(entries.json AS "
    "TEXT)) "
    "THEN json_extract(CAST(entries.json AS TEXT), '$.before_us') END IS NOT deletions.before_us ORDER BY 1";

void note(LogVerification &found, const LogFault &fault)
{
    ++found.faultCount;
    if (found.faults.size() < mostFaults)
        found.faults.append(fault);
}

Result<QList<ReadEntry>> readRange(const AuditReader &reader, qint64 from, qint64 to)
{
    return reader.ask([&](const Connection &connection) {
        return connection.rows(
            rangeOfEntries,
            [](const Statement &row) {
                return ReadEntry{row.integer(0), row.integer(1), row.blob(2), row.blob(3), row.integer(4) == 1};
            },
            from, to);
    });
}

} // namespace

Result<LogVerification> verifyLog(const AuditReader &reader, const std::optional<TreeHead> &kept)
{
    LogVerification found;
    MerkleTree tree;
    const auto takeHeadOf = [&] {
        if (kept && kept->size == tree.size())
            found.isAsKept = tree.head() == *kept;
    };
    ASSIGN_OR_RETURN(const qint64 last, reader.lastEntry());
    if (kept)
        found.isAsKept = false; // until so many entries were read
    takeHeadOf();
    qint64 next = 1; // the number of the entry that is to come
    bool isDense = true;
    // From the least number: an entry that somebody put before the first is told, too.
    for (qint64 from = std::numeric_limits<qint64>::min();;) {
        ASSIGN_OR_RETURN(const auto range, readRange(reader, from, last));
        if (range.isEmpty())
            break;
        for (const ReadEntry &entry : range) {
            const QByteArray leaf = leafHash(entry.json);
            if (leaf != entry.leaf)
                note(found, {LogFault::What::Changed, entry.seq, entry.seq});
            if (!entry.isInPlace || entry.seq < 1)
                note(found, {LogFault::What::Misplaced, entry.seq, entry.seq});
            if (entry.seq > next)
                note(found, {LogFault::What::Missing, next, entry.seq - 1});
            isDense = isDense && entry.seq == next;
            if (entry.seq >= next) // of the greatest number, none is to come
                next = entry.seq == std::numeric_limits<qint64>::max() ? entry.seq : entry.seq + 1;
            if (found.entries++ == 0)
                found.firstMicroseconds = entry.timeMicroseconds;
            found.lastMicroseconds = entry.timeMicroseconds;
            tree.add(leaf);
            if (isDense)
                takeHeadOf();
        }
        if (range.last().seq == last)
            break;
        from = range.last().seq + 1;
    }
    if (isDense)
        found.head = tree.head();
    ASSIGN_OR_RETURN(const auto unlike, reader.ask([&](const Connection &connection) {
        return connection.rows(runsUnlikeEntries, [](const Statement &row) { return row.integer(0); }, last);
    }));
    for (const qint64 run : unlike)
        note(found, {LogFault::What::Unlisted, run, run});
    ASSIGN_OR_RETURN(const auto unlogged, reader.ask([](const Connection &connection) {
        return connection.rowsIfThere(u"deletions"_s, deletionsUnlikeEntries,
                                      [](const Statement &row) { return row.integer(0); });
    }));
    for (const qint64 deletion : unlogged)
        note(found, {LogFault::What::Unlogged, deletion, deletion});
    return found;
}

Result<QList<qint64>> changedAmong(const AuditReader &reader, const QList<qint64> &entries)
{
    QList<qint64> changed;
    for (const qint64 seq : entries) {
        const auto entry = reader.entry(seq);
        if (!entry && entry.error().code != ErrorCode::NotFound)
            return std::unexpected(entry.error());
        if (!entry || leafHash(entry->json) != entry->leaf)
            changed.append(seq);
    }
    return changed;
}

} // namespace glovebox
