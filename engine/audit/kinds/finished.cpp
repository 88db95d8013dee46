// SPDX-License-Identifier: Apache-2.0
#include "finished.h"

#include "engine/sqlite/sqlite.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// A run that never printed (it was rejected) has no commitment at all.
QJsonValue streamJson(const CommittedBody &body)
{
    if (body.commitment.isEmpty())
        return QJsonValue::Null;
    return QJsonObject{{u"commitment"_s, QString::fromLatin1(body.commitment.toHex())},
                       {u"bytes"_s, body.bytes},
                       {u"kept"_s, body.kept}};
}

Result<QJsonObject> finishedFields(const FinishedEntry &finished)
{
    for (const auto &[what, body] : {std::pair(u"stdout"_s, &finished.out), std::pair(u"stderr"_s, &finished.err)}) {
        if (auto whole = checkWhole(*body, what); !whole && *body != CommittedBody())
            return std::unexpected(whole.error());
    }
    return QJsonObject{{u"outcome"_s, toString(finished.outcome)},
                       {u"reason"_s, toJson(finished.reason)},
                       {u"exit_code"_s, orNull(finished.exitCode)},
                       {u"signal"_s, orNull(finished.signal)},
                       {u"usage"_s, toJson(finished.usage)},
                       {u"controls"_s, jsonArray(finished.controls)},
                       {u"egress"_s, finished.egress},
                       {u"events"_s, jsonArray(finished.events)},
                       {u"stdout"_s, streamJson(finished.out)},
                       {u"stderr"_s, streamJson(finished.err)},
                       {u"artifacts"_s, finished.artifacts}};
}

// A run is closed once, by the engine that accepted it or by recovery.
Status closeRun(Connection &connection, qint64 seq, const QString &run, const QString &engine, Outcome outcome,
                std::optional<qint64> durationMs = {}, std::optional<qint64> exitCode = {})
{
    const Status closed = connection.run("UPDATE runs SET outcome = ?1, duration_ms = ?2, exit_code = ?3, "
                                         "finished_seq = ?4 WHERE run = ?5 AND engine = ?6 AND finished_seq IS NULL",
                                         toString(outcome), durationMs, exitCode, seq, run, engine);
    if (!closed || connection.changes() == 1)
        return closed;
    return fail(ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine", "The run %1 was never accepted, or it is closed already."), {run});
}

Status addEnd(Connection &connection, const EntryHead &head, const FinishedEntry &finished)
{
    for (const auto &[what, body] : {std::pair(u"stdout"_s, &finished.out), std::pair(u"stderr"_s, &finished.err)}) {
        if (body->commitment.isEmpty())
            continue;
        RETURN_IF_ERROR(addBody(connection, head.seq, what, *body));
    }
    for (qsizetype i = 0; i < finished.artifactBodies.size(); ++i)
        RETURN_IF_ERROR(addBody(connection, head.seq, artifactBodyName(i), finished.artifactBodies[i]));
    std::optional<qint64> duration;
    if (!nothingRan(finished.outcome))
        duration = std::chrono::duration_cast<std::chrono::milliseconds>(finished.usage.wall).count();
    return closeRun(connection, head.seq, finished.run, head.engine, finished.outcome, duration, finished.exitCode);
}

} // namespace

Entry toEntry(const FinishedEntry &finished)
{
    return {.kind = toString(EntryKind::RunFinished),
            .run = finished.run,
            .fields = finishedFields(finished),
            .also = [finished](Connection &connection, const EntryHead &head) {
                return addEnd(connection, head, finished);
            }};
}

Entry interruptedEntry(const QString &run, const QString &engine)
{
    const Text reason(QT_TRANSLATE_NOOP(
        "engine", "The end of the run was never recorded: Glovebox itself ended first, or its disk was full."));
    return {.kind = toString(EntryKind::RunInterrupted),
            .run = run,
            .fields = QJsonObject{{u"outcome"_s, toString(Outcome::Interrupted)}, {u"reason"_s, toJson(reason)}},
            .also = [run, engine](Connection &connection, const EntryHead &head) {
                return closeRun(connection, head.seq, run, engine, Outcome::Interrupted);
            }};
}

} // namespace glovebox
