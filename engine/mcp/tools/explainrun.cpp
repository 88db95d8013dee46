// SPDX-License-Identifier: Apache-2.0
// The tool explain_run: why a run ended so, what was refused to it, and what the person would have to allow.
#include "engine/mcp/runs/denials.h"
#include "jsonschema.h"
#include "runreply.h"
#include "tools.h"

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype listedMax = 50; // attempts and events each

// How it ended, in words that don't need the object beside them.
QString summaryOf(const SeenRun &run)
{
    if (!run.isDone())
        return u"The run isn't done: %1."_s.arg(stateName(run.state));
    const RunResult &result = *run.result;
    switch (result.outcome) {
    case Outcome::Completed:
        return u"The program ended by itself, with exit code 0."_s;
    case Outcome::Failed:
        return u"The program ended by itself, with exit code %1: read stderr."_s.arg(result.exitCode.value_or(1));
    case Outcome::Rejected:
    case Outcome::Denied:
    case Outcome::SetupFailed:
        return u"Nothing was run: "_s + result.reason.english();
    default:
        return result.reason.english();
    }
}

QString attemptedPlace(const EgressAttempt &attempt)
{
    return attempt.port == 0 ? attempt.host : u"%1:%2"_s.arg(attempt.host).arg(attempt.port);
}

// What the run used of what it may, where that is known.
QJsonObject runLimits(const SeenRun &run)
{
    const Limits &limits = run.policy.limits;
    return {{u"wall_ms"_s, qint64(limits.wall.count())},
            {u"cpu_ms"_s, limits.cpu ? QJsonValue(qint64(limits.cpu->count())) : QJsonValue()},
            {u"memory_bytes"_s, limits.memoryBytes},
            {u"processes"_s, limits.processes},
            {u"disk_bytes"_s, limits.diskBytes},
            {u"output_bytes"_s, limits.outputBytes}};
}

QString explanationText(const QString &summary, const QList<Denial> &denials, const QJsonArray &network,
                        const QJsonArray &events)
{
    QString text = summary;
    for (const Denial &denial : denials)
        text += u"\n- %1: %2 %3"_s.arg(denial.what, denial.why, denial.how);
    if (denials.isEmpty())
        text += u"\nNothing was refused to the run."_s;
    for (const auto attempt : network)
        text += u"\nnetwork: %1 %2 %3"_s.arg(attempt["verdict"_L1].toString(), attempt["place"_L1].toString(),
                                             attempt["reason"_L1].toString());
    for (const auto event : events)
        text += u"\nevent: "_s + event["detail"_L1].toString();
    return text;
}

Result<ToolReply> explainRun(const Call &call)
{
    const QString id = call.arguments()["run"_L1].toString();
    const ClientRuns &runs = call.client().runs;
    if (!runs.isKnown(id))
        return noSuchRun(id);
    ASSIGN_OR_RETURN(Engine *const engine, call.engine());
    ASSIGN_OR_RETURN(const SeenRun run, seenRun(*engine, runs, id));
    QJsonArray network;
    for (const EgressAttempt &attempt : run.egress.first(std::min(run.egress.size(), listedMax)))
        network.append(QJsonObject{{u"place"_s, attemptedPlace(attempt)},
                                   {u"verdict"_s, toString(attempt.verdict)},
                                   {u"reason"_s, attempt.reason.english()},
                                   {u"sent"_s, attempt.sent},
                                   {u"received"_s, attempt.received}});
    QJsonArray events;
    for (const RunEvent &event : run.events.first(std::min(run.events.size(), listedMax)))
        events.append(QJsonObject{{u"type"_s, toString(event.type)}, {u"detail"_s, event.detail.english()}});
    const QList<Denial> denials = denialsOf(run);
    const QString summary = summaryOf(run);
    ToolReply reply;
    reply.structured = {{u"run"_s, run.id},
                        {u"state"_s, stateName(run.state)},
                        {u"outcome"_s, run.isDone() ? QJsonValue(toString(run.result->outcome)) : QJsonValue()},
                        {u"summary"_s, summary},
                        {u"denials"_s, jsonArray(denials)},
                        {u"network"_s, network},
                        {u"events"_s, events},
                        {u"allowed_hosts"_s, QJsonArray::fromStringList(run.policy.allow)},
                        {u"secrets"_s, QJsonArray::fromStringList(run.secrets)},
                        {u"limits"_s, runLimits(run)},
                        {u"isolation"_s, isolationOf(run)}};
    reply.text = explanationText(summary, denials, network, events);
    return reply;
}

QJsonObject explanationSchema()
{
    using namespace schema;
    QJsonObject members = runSchema()["properties"_L1].toObject();
    const QJsonObject attempt = object({{u"place"_s, text()},
                                        {u"verdict"_s, text()},
                                        {u"reason"_s, text()},
                                        {u"sent"_s, integer()},
                                        {u"received"_s, integer()}});
    const QJsonObject event = object({{u"type"_s, text()}, {u"detail"_s, text()}});
    const QJsonObject limits = object({{u"wall_ms"_s, integer()},
                                       {u"cpu_ms"_s, optional(integer())},
                                       {u"memory_bytes"_s, integer()},
                                       {u"processes"_s, integer()},
                                       {u"disk_bytes"_s, integer()},
                                       {u"output_bytes"_s, integer()}});
    const QJsonObject mine{
        {u"run"_s, text()},
        {u"state"_s, members["state"_L1]},
        {u"outcome"_s, members["outcome"_L1]},
        {u"summary"_s, text()},
        {u"denials"_s, members["denials"_L1]},
        {u"network"_s, list(attempt, u"what it wanted of the network, allowed or not"_s)},
        {u"events"_s, list(event)},
        {u"allowed_hosts"_s, list(text(), u"hosts, with ports, that it was allowed to reach; empty: none"_s)},
        {u"secrets"_s, list(text(), u"names that it asked for"_s)},
        {u"limits"_s, limits},
        {u"isolation"_s, members["isolation"_L1]}};
    return object(mine, mine.keys());
}

} // namespace

Tool explainRunTool()
{
    using namespace schema;
    return {.name = u"explain_run"_s,
            .title = u"Explain a run"_s,
            .description =
                u"Says why a run of yours ended as it did. Lists denied access with its reason, and exactly what the "
                "next request or the person should do. Runs nothing."_s,
            .inputSchema = object(
                {{u"run"_s, with(text(u"id that run_code answered"_s), {{u"minLength"_s, 1}, {u"maxLength"_s, 64}})}},
                {u"run"_s}),
            .outputSchema = explanationSchema(),
            .annotations = {{u"readOnlyHint"_s, true},
                            {u"destructiveHint"_s, false},
                            {u"idempotentHint"_s, true},
                            {u"openWorldHint"_s, false}},
            .run = explainRun};
}

} // namespace glovebox::mcp
