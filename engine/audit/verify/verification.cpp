// SPDX-License-Identifier: Apache-2.0
#include "verification.h"

#include "engine/audit/entry.h"
#include "engine/sqlite/sqlite.h"

#include <QRegularExpression>

#include <algorithm>
#include <limits>
#include <set>

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
    std::optional<qint64> unlisted;
};

// What somebody edited may be no JSON, at which json_extract() gives up. SQLite keeps the text that it took apart last, so each entry is
// taken apart once. The last column is the run whose row in the list isn't what this entry says: no row, a row of other columns, another
// end, none.
constexpr const char *rangeOfEntries = R"sql(
WITH told AS MATERIALIZED (
    SELECT seq, run, kind, time_us, json, leaf,
        CASE WHEN json_valid(CAST(json AS TEXT)) THEN CAST(json AS TEXT) END AS text
    FROM entries WHERE seq >= ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3
)
SELECT told.seq, told.time_us, told.json, told.leaf,
    CASE WHEN text IS NULL THEN 0 ELSE json_extract(text, '$.seq') IS told.seq AND json_extract(text, '$.kind') IS kind
        AND json_extract(text, '$.run') IS told.run AND json_extract(text, '$.time_us') IS told.time_us END,
    CASE
    WHEN kind = 'run.accepted' THEN
        CASE WHEN begun.run IS NOT told.run OR begun.time_us IS NOT told.time_us
            OR begun.language IS NOT coalesce(json_extract(text, '$.language'), '')
            OR begun.session IS NOT json_extract(text, '$.session')
            OR begun.caller_kind IS NOT json_extract(text, '$.caller.kind')
            OR begun.backend IS NOT json_extract(text, '$.policy.backend') THEN told.seq END
    WHEN kind IN ('run.finished', 'run.interrupted') THEN
        CASE WHEN ended.finished_seq IS NOT told.seq
            OR (text IS NOT NULL AND (json_extract(text, '$.outcome') IS NOT ended.outcome
                OR json_extract(text, '$.exit_code') IS NOT ended.exit_code)) THEN coalesce(ended.seq, told.seq) END
    END
FROM told LEFT JOIN runs AS begun ON kind = 'run.accepted' AND begun.seq = told.seq
    LEFT JOIN runs AS ended ON kind IN ('run.finished', 'run.interrupted') AND ended.run = told.run
)sql";
constexpr int entriesARange = 256; // of which SQLite makes a table of its own, in memory for so few

// Rows of the list that say something of an entry that isn't there, or is another.
constexpr const char *runsWithoutEntries = R"sql(
SELECT runs.seq FROM runs LEFT JOIN entries ON entries.seq = runs.seq
    WHERE runs.seq <= ?1 AND entries.kind IS NOT 'run.accepted'
UNION ALL
SELECT runs.seq FROM runs LEFT JOIN entries AS ends ON ends.seq = runs.finished_seq
    WHERE runs.finished_seq <= ?1
        AND (ends.run IS NOT runs.run OR ends.kind NOT IN ('run.finished', 'run.interrupted'))
)sql";

// Such a row would excuse bodies that somebody took away.
constexpr const char *deletionsUnlikeEntries =
    "SELECT deletions.seq FROM deletions LEFT JOIN entries ON entries.seq = deletions.seq WHERE entries.kind IS NOT "
    "'retention.applied' OR entries.time_us IS NOT deletions.time_us OR CASE WHEN json_valid(CAST(entries.json AS "
    "TEXT)) "
    "THEN coalesce(json_extract(CAST(entries.json AS TEXT), '$.before_us'), 0) END IS NOT deletions.before_us ORDER BY "
    "1";

Result<QList<ReadEntry>> readRange(const AuditReader &reader, qint64 from, qint64 to)
{
    auto range = reader.ask([&](const Connection &connection) {
        return connection.rows(
            rangeOfEntries,
            [](const Statement &row) {
                return ReadEntry{row.integer(0), row.integer(1),      row.blob(2),
                                 row.blob(3),    row.integer(4) == 1, row.optionalInteger(5)};
            },
            from, to, entriesARange);
    });
    if (range)
        std::ranges::sort(*range, {}, &ReadEntry::seq); // of joined tables, SQL promises no order
    return range;
}

// What SQLite finds broken first in all of the file; empty: nothing. Each index is held to its table, as runs read by it: a second of work
// for 100,000 entries, a tenth of what theirs is. quick_check, which doesn't, takes a third of that.
Result<QString> damageOf(const Connection &connection)
{
    const auto text = [](const Statement &row) { return row.text(0); };
    ASSIGN_OR_RETURN(const auto found, connection.rows("PRAGMA integrity_check(1)", text));
    const QString said =
        found.value(0).section(u'\n', -1); // older versions of SQLite name the database in a line above
    if (said == u"ok")
        return QString();
    // "Page 7: ...", or of newer versions "Tree 7 page 12: ...": a table or an index that begins at page 7 has a name, which says more.
    static const QRegularExpression beginning(u"^(?:Page|Tree) ([0-9]+)"_s);
    const qint64 root = beginning.match(said).captured(1).toLongLong();
    ASSIGN_OR_RETURN(const auto names,
                     connection.rows("SELECT name FROM sqlite_schema WHERE rootpage = ?1", text, root));
    return root == 0 || names.isEmpty() ? said : u"%1: %2"_s.arg(names.first(), said);
}

} // namespace

void LogVerification::add(const LogFault &fault)
{
    ++faultCount;
    if (faults.size() < mostFaults)
        faults.append(fault);
}

Result<LogVerification> verifyLog(const AuditReader &reader, const std::optional<TreeHead> &kept,
                                  const LogProgress &progress)
{
    LogVerification found;
    MerkleTree tree;
    // First: queries that read a broken index, or none of it, would find all sorts of things, or nothing.
    ASSIGN_OR_RETURN(found.damage, reader.ask(damageOf));
    if (!found.damage.isEmpty())
        found.add({LogFault::What::Damaged, 0, 0});
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
    std::set<qint64> unlisted;
    // From the least number: an entry that somebody put before the first is told, too.
    for (qint64 from = std::numeric_limits<qint64>::min();;) {
        ASSIGN_OR_RETURN(const auto range, readRange(reader, from, last));
        if (range.isEmpty())
            break;
        for (const ReadEntry &entry : range) {
            const QByteArray leaf = leafHash(entry.json);
            if (leaf != entry.leaf)
                found.add({LogFault::What::Changed, entry.seq, entry.seq});
            if (!entry.isInPlace || entry.seq < 1)
                found.add({LogFault::What::Misplaced, entry.seq, entry.seq});
            if (entry.seq > next)
                found.add({LogFault::What::Missing, next, entry.seq - 1});
            isDense = isDense && entry.seq == next;
            if (entry.seq >= next) // of the greatest number, none is to come
                next = entry.seq == std::numeric_limits<qint64>::max() ? entry.seq : entry.seq + 1;
            if (found.entries++ == 0)
                found.firstMicroseconds = entry.timeMicroseconds;
            found.lastMicroseconds = entry.timeMicroseconds;
            if (entry.unlisted)
                unlisted.insert(*entry.unlisted);
            tree.add(leaf);
            if (isDense)
                takeHeadOf();
        }
        if (progress)
            progress(found.entries, last);
        if (range.last().seq == last)
            break;
        from = range.last().seq + 1;
    }
    if (isDense)
        found.head = tree.head();
    ASSIGN_OR_RETURN(const auto without, reader.ask([&](const Connection &connection) {
        return connection.rows(runsWithoutEntries, [](const Statement &row) { return row.integer(0); }, last);
    }));
    unlisted.insert(without.begin(), without.end());
    for (const qint64 run : unlisted)
        found.add({LogFault::What::Unlisted, run, run});
    ASSIGN_OR_RETURN(const auto unlogged, reader.ask([](const Connection &connection) {
        return connection.rowsIfThere(u"deletions"_s, deletionsUnlikeEntries,
                                      [](const Statement &row) { return row.integer(0); });
    }));
    for (const qint64 deletion : unlogged)
        found.add({LogFault::What::Unlogged, deletion, deletion});
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
