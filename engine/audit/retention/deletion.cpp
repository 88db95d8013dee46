// SPDX-License-Identifier: Apache-2.0
#include "deletion.h"

#include "engine/sqlite/sqlite.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Made when something is deleted for the first time, and no part of the schema's version: programs that run meanwhile go on.
constexpr const char *table = R"sql(
CREATE TABLE IF NOT EXISTS deletions(
    seq INTEGER PRIMARY KEY REFERENCES entries(seq),
    time_us INTEGER NOT NULL,
    before_us INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    files INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    finished INTEGER NOT NULL DEFAULT 0,
    resumed INTEGER NOT NULL DEFAULT 0
) STRICT;
)sql";

constexpr auto tableName = "deletions"_L1;

// The text of the entry that a row of deletions is of, with the runs that were chosen; of one that somebody edited into no JSON, none are.
constexpr const char *chosenRuns =
    "json_each(CASE WHEN json_valid(CAST(e.json AS TEXT)) THEN CAST(e.json AS TEXT) ELSE "
    "'{}' END, '$.chosen') AS chosen";

QString listOf(const QStringList &runs)
{
    return QString::fromUtf8(QJsonDocument(QJsonArray::fromStringList(runs)).toJson(QJsonDocument::Compact));
}

Deletion readDeletion(const Statement &row)
{
    return {.seq = row.integer(0),
            .timeMicroseconds = row.integer(1),
            .beforeMicroseconds = row.integer(2),
            .runs = row.integer(3),
            .files = row.integer(4),
            .bytes = row.integer(5),
            .isFinished = row.integer(6) != 0,
            .isResumed = row.integer(7) != 0};
}

QJsonObject fieldsOf(const Deletion &deletion, Caller caller)
{
    caller.program = recordable(caller.program);
    caller.claimed = recordable(caller.claimed);
    QJsonObject fields{{u"caller"_s, toJson(caller)}, {u"runs"_s, deletion.runs}, {u"bytes"_s, deletion.bytes}};
    if (deletion.chosen.isEmpty())
        fields[u"before_us"_s] = deletion.beforeMicroseconds;
    else
        fields[u"chosen"_s] = QJsonArray::fromStringList(deletion.chosen);
    return fields;
}

Status checkChosen(const AuditReader &reader, const QStringList &chosen)
{
    if (chosen.size() > mostChosenRuns)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "At most %1 runs can be deleted by name at once. Name fewer."),
                    {QString::number(mostChosenRuns)});
    for (const QString &id : chosen) {
        ASSIGN_OR_RETURN(const RunRow row, reader.run(id));
        if (row.finishedSeq == 0)
            return fail(ErrorCode::Busy,
                        QT_TRANSLATE_NOOP("engine", "The run %1 isn't over, so nothing was deleted. Wait for its end, "
                                                    "or stop it first."),
                        {id});
    }
    return {};
}

} // namespace

Result<Deletable> deletableOf(const AuditReader &reader, const RunsToGo &runs)
{
    RETURN_IF_ERROR(checkChosen(reader, runs.chosen));
    static constexpr auto question =
        "WITH old(seq, run) AS MATERIALIZED (SELECT e.seq, r.seq FROM runs AS r JOIN entries AS e ON e.run = r.run "
        "WHERE (r.time_us < ?1 OR r.run IN (SELECT value FROM json_each(?2))) AND r.finished_seq IS NOT NULL), "
        "going(digest, kept, run) AS MATERIALIZED (SELECT b.digest, b.kept, old.run FROM old JOIN bodies AS b "
        "USING(seq) "
        "WHERE b.kept > 0 AND b.digest IS NOT NULL) "
        "SELECT (SELECT count(DISTINCT run) FROM going), "
        "(SELECT sum(kept) FROM (SELECT max(kept) AS kept FROM going GROUP BY digest HAVING count(*) = "
        "(SELECT count(*) FROM bodies AS all_of WHERE all_of.digest = going.digest AND all_of.kept > 0)))";
    const auto found = reader.ask([&](const Connection &connection) {
        return connection.rows(
            question, [](const Statement &row) { return Deletable{row.integer(0), row.integer(1)}; },
            runs.beforeMicroseconds, listOf(runs.chosen));
    });
    return found ? Result<Deletable>(found->value(0)) : std::unexpected(found.error());
}

Result<std::optional<Deletion>> lastDeletion(const AuditReader &reader)
{
    const auto found = reader.ask([](const Connection &connection) {
        return connection.rowsIfThere(tableName,
                                      "SELECT seq, time_us, before_us, runs, files, bytes, finished, resumed FROM "
                                      "deletions ORDER BY seq DESC LIMIT 1",
                                      readDeletion);
    });
    if (!found)
        return std::unexpected(found.error());
    if (found->isEmpty())
        return std::nullopt;
    Deletion last = found->first();
    if (last.beforeMicroseconds == 0) {
        ASSIGN_OR_RETURN(last.chosen, reader.ask([&](const Connection &connection) {
            return connection.rows(
                QByteArray("SELECT chosen.value FROM entries AS e, " + QByteArray(chosenRuns) + " WHERE e.seq = ?1")
                    .constData(),
                [](const Statement &row) { return row.text(0); }, last.seq);
        }));
    }
    return last;
}

Result<std::optional<qint64>> whenDeleted(const AuditReader &reader, const RunRow &run)
{
    if (run.finishedSeq == 0)
        return std::nullopt;
    const auto found = reader.ask([&](const Connection &connection) -> Result<QList<qint64>> {
        ASSIGN_OR_RETURN(const bool isAny, connection.has(tableName));
        if (!isAny)
            return QList<qint64>();
        return connection.rows(
            QByteArray(
                "SELECT d.time_us FROM deletions AS d WHERE d.seq > ?2 AND (d.before_us > ?1 OR (d.before_us = 0 "
                "AND EXISTS(SELECT 1 FROM entries AS e, "
                + QByteArray(chosenRuns) + " WHERE e.seq = d.seq AND chosen.value = ?3))) ORDER BY d.seq LIMIT 1")
                .constData(),
            [](const Statement &row) { return row.integer(0); }, run.timeMicroseconds, run.finishedSeq, run.run);
    });
    if (!found)
        return std::unexpected(found.error());
    return found->isEmpty() ? std::nullopt : std::optional(found->first());
}

Entry beginningOf(const Deletion &deletion, const Caller &caller)
{
    const QJsonObject fields = fieldsOf(deletion, caller);
    QJsonObject interrupted = fields;
    interrupted[u"reason"_s] =
        toJson(Text(QT_TRANSLATE_NOOP("engine", "Glovebox itself ended while it deleted code and output. The next "
                                                "program that has the time deletes the rest.")));
    return {.kind = toString(EntryKind::RetentionApplied),
            .run = {},
            .fields = fields,
            .also = [deletion](Connection &connection, const EntryHead &head) -> Status {
                RETURN_IF_ERROR(connection.execute(table));
                return connection.run("INSERT INTO deletions(seq, time_us, before_us, runs) VALUES(?1, ?2, ?3, ?4)",
                                      head.seq, head.timeMicroseconds, deletion.beforeMicroseconds, deletion.runs);
            },
            .begins = Entry::Unfinished{toString(EntryKind::RetentionInterrupted), interrupted}};
}

Entry endOf(const Deletion &deletion, const Caller &caller, bool isBegun)
{
    QJsonObject fields = fieldsOf(deletion, caller);
    fields[u"began"_s] = deletion.seq;
    fields[u"files"_s] = deletion.files;
    fields[u"recent"_s] = deletion.recent;
    fields[u"resumed"_s] = deletion.isResumed;
    return {.kind = toString(EntryKind::RetentionFinished),
            .run = {},
            .fields = fields,
            .also =
                [deletion](Connection &connection, const EntryHead &) {
                    return connection.run(
                        "UPDATE deletions SET finished = 1, files = ?2, bytes = ?3, resumed = ?4 WHERE seq = ?1",
                        deletion.seq, deletion.files, deletion.bytes, qint64(deletion.isResumed));
                },
            .ends = isBegun ? deletion.seq : 0};
}

Result<bool> isBegun(const AuditReader &reader, const Deletion &deletion)
{
    const auto found = reader.ask([&](const Connection &connection) {
        return connection.rows(
            "SELECT seq FROM unfinished WHERE seq = ?1", [](const Statement &row) { return row.integer(0); },
            deletion.seq);
    });
    return found ? Result<bool>(!found->isEmpty()) : std::unexpected(found.error());
}

Result<QList<RunToDelete>> runsToDelete(const AuditReader &reader, const Deletion &deletion, qint64 afterSeq, int most)
{
    return reader.ask([&](const Connection &connection) {
        return connection.rows(
            "SELECT r.seq, r.run FROM runs AS r WHERE r.seq > ?1 AND (r.time_us < ?2 OR r.run IN (SELECT value FROM "
            "json_each(?5))) AND r.finished_seq < ?3 AND EXISTS("
            "SELECT 1 FROM entries AS e JOIN bodies AS b USING(seq) WHERE e.run = r.run AND b.kept > 0 AND "
            "(b.digest IS NOT NULL OR b.salt IS NOT NULL)) ORDER BY r.seq LIMIT ?4",
            [](const Statement &row) { return RunToDelete{row.integer(0), row.text(1)}; }, afterSeq,
            deletion.beforeMicroseconds, deletion.seq, qint64(most), listOf(deletion.chosen));
    });
}

// What SQLite frees it overwrites: a salt that could still be read in the file wouldn't be gone.
Entry saltsTaken(const QList<RunToDelete> &runs)
{
    return {.kind = {},
            .run = {},
            .fields = QJsonObject(),
            .also = [runs](Connection &connection, const EntryHead &) -> Status {
                RETURN_IF_ERROR(connection.execute("PRAGMA secure_delete=ON"));
                for (const RunToDelete &each : runs) {
                    RETURN_IF_ERROR(
                        connection.run("UPDATE bodies SET salt = NULL WHERE kept > 0 AND seq IN (SELECT seq "
                                       "FROM entries WHERE run = ?1)",
                                       each.run));
                    RETURN_IF_ERROR(connection.run("UPDATE runs SET first_line = '' WHERE seq = ?1", each.seq));
                }
                return {};
            }};
}

Result<QList<BodyToDelete>> bodiesToDelete(const AuditReader &reader, const QList<RunToDelete> &runs)
{
    QList<BodyToDelete> all;
    for (const RunToDelete &each : runs) {
        const auto bodies = reader.ask([&](const Connection &connection) {
            return connection.rows(
                "SELECT b.seq, b.what, b.digest FROM entries AS e JOIN bodies AS b USING(seq) WHERE e.run = ?1 AND "
                "b.kept > 0 AND b.salt IS NULL AND b.digest IS NOT NULL",
                [&](const Statement &row) { return BodyToDelete{row.integer(0), row.text(1), each.run, row.blob(2)}; },
                each.run);
        });
        if (!bodies)
            return bodies;
        all += *bodies;
    }
    return all;
}

Result<bool> isShared(const AuditReader &reader, const QByteArray &digest)
{
    const auto found = reader.ask([&](const Connection &connection) {
        return connection.rows(
            "SELECT seq FROM bodies WHERE digest = ?1 AND salt IS NOT NULL LIMIT 1",
            [](const Statement &row) { return row.integer(0); }, digest);
    });
    return found ? Result<bool>(!found->isEmpty()) : std::unexpected(found.error());
}

Entry digestsTaken(const QList<BodyToDelete> &bodies)
{
    return {.kind = {},
            .run = {},
            .fields = QJsonObject(),
            .also = [bodies](Connection &connection, const EntryHead &) -> Status {
                for (const BodyToDelete &body : bodies)
                    RETURN_IF_ERROR(connection.run("UPDATE bodies SET digest = NULL WHERE seq = ?1 AND what = ?2",
                                                   body.seq, body.what));
                return {};
            }};
}

} // namespace glovebox
