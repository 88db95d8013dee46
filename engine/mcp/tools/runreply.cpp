// SPDX-License-Identifier: Apache-2.0
#include "runreply.h"

#include "engine/mcp/runs/denials.h"
#include "engine/mcp/runs/shownimages.h"
#include "jsonschema.h"

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

constexpr auto stateNames = std::to_array<std::pair<RunState, const char *>>({
    {RunState::Submitted, "accepting"},
    {RunState::Accepted, "accepting"},
    {RunState::Waiting, "waiting_for_approval"},
    {RunState::Queued, "queued"},
    {RunState::Preparing, "preparing"},
    {RunState::Running, "running"},
    {RunState::Collecting, "running"},
    {RunState::Done, "done"},
});

QJsonObject usageOf(const RunResult &result)
{
    QJsonObject usage = toJson(result.usage);
    usage.remove(u"source"_s);
    return usage;
}

constexpr qsizetype mostToldArtifacts = 50; // a run may leave thousands, and a model reads all that it is given

QJsonArray shownArtifacts(const RunResult &result)
{
    QJsonArray array;
    for (qsizetype i = 0; i < std::min(result.artifacts.size(), mostToldArtifacts); ++i) {
        QJsonObject object = toJson(result.artifacts[i]);
        object[u"uri"_s] = u"glovebox://runs/%1/artifacts/%2"_s.arg(result.id).arg(i);
        array.append(object);
    }
    return array;
}

QString bytesWord(qint64 bytes)
{
    return bytes == 1 ? u"1 byte"_s : u"%1 bytes"_s.arg(bytes);
}

QString filesOf(const RunResult &result)
{
    QString text;
    for (const Artifact &artifact : result.artifacts.first(std::min(result.artifacts.size(), mostToldArtifacts)))
        text += u"- %1, %2%3\n"_s.arg(artifact.path)
                    .arg(bytesWord(artifact.bytes))
                    .arg(artifact.isWithheld() ? u", withheld until the person releases it"_s : QString());
    if (result.artifacts.size() > mostToldArtifacts)
        text += u"- and %1 more\n"_s.arg(result.artifacts.size() - mostToldArtifacts);
    return text;
}

// What a model should do next; empty: nothing.
QString nextStep(const SeenRun &run, const ShownOutput &output)
{
    if (!run.isDone() && run.state == RunState::Waiting)
        return u"The person is being asked. Call wait_run with \"run\": \"%1\"."_s.arg(run.id);
    if (!run.isDone() && run.id.isEmpty())
        return u"Glovebox hasn't accepted the run yet. Call sandbox_info to see whether it can."_s;
    if (!run.isDone())
        return u"The run goes on. Call wait_run with \"run\": \"%1\", \"cursor\": %2; or stop it with cancel_run."_s
            .arg(run.id)
            .arg(output.cursor);
    if (output.isCut && !run.id.isEmpty())
        return u"Call wait_run with \"run\": \"%1\", \"cursor\": %2 for the output that is left out."_s.arg(run.id).arg(
            output.cursor);
    return {};
}

QString headline(const SeenRun &run)
{
    if (!run.isDone())
        return u"%1 (run %2)"_s.arg(stateName(run.state), run.id);
    const RunResult &result = *run.result;
    QString line = toString(result.outcome);
    if (result.exitCode)
        line += u", exit code %1"_s.arg(*result.exitCode);
    if (result.signal)
        line += u", signal %1"_s.arg(*result.signal);
    if (!nothingRan(result.outcome))
        line += u", %1 s"_s.arg(double(result.usage.wall.count()) / 1e6, 0, 'f', 3);
    if (!run.id.isEmpty())
        line += u" (run %1)"_s.arg(run.id);
    if (result.outcome != Outcome::Completed && !result.reason.isEmpty())
        line += u'\n' + result.reason.english();
    return line;
}

void addSection(QString &text, const QString &title, const QString &content)
{
    if (content.isEmpty())
        return;
    text += u"\n\n"_s + title + u":\n"_s + content;
    while (text.endsWith(u'\n'))
        text.chop(1);
}

struct ShownValue
{
    QString text;
    bool isCut = false;
};

// As much of the value as of each stream's beginning: a model reads all that it is given.
std::optional<ShownValue> shownValue(const RunResult *result)
{
    if (!result || !result->value)
        return std::nullopt;
    const QByteArrayView text = result->value->text;
    QByteArrayView shown = text.first(std::min<qsizetype>(text.size(), shownHeadBytes));
    shown.chop(shown.size() < text.size() ? unfinishedCharacter(shown) : 0);
    return ShownValue{textFromBytes(shown), result->value->isCut || shown.size() < text.size()};
}

// What became of the session's files, and of its interpreter.
QStringList sessionNotes(const SeenRun &run)
{
    QStringList notes;
    for (const RunEvent &event : run.events) {
        switch (event.type) {
        case EventType::SessionKept:
        case EventType::SessionSkipped:
        case EventType::SessionLost:
        case EventType::InterpreterStarted:
        case EventType::InterpreterEnded:
            notes.append(event.detail.english());
            break;
        default:
            break;
        }
    }
    return notes;
}

// The same as the object says, for people and for clients that show nothing else.
QString textOf(const SeenRun &run, const ShownOutput &output, const QList<Denial> &denials)
{
    QString text = headline(run);
    if (output.skipped > 0)
        text += u"\n%1 before this %2 no longer kept."_s.arg(bytesWord(output.skipped),
                                                             output.skipped == 1 ? u"is"_s : u"are"_s);
    addSection(text, u"stdout"_s, output.out);
    addSection(text, u"stderr"_s, output.err);
    if (const auto value = shownValue(run.result.get()))
        addSection(text, value->isCut ? u"beginning of the value"_s : u"value"_s, value->text);
    QString refused;
    for (const Denial &denial : denials)
        refused += u"- %1: %2 %3\n"_s.arg(denial.what, denial.why, denial.how);
    addSection(text, u"denied"_s, refused);
    addSection(text, u"session"_s, sessionNotes(run).join(u'\n'));
    if (run.isDone())
        addSection(text, u"files left in /work"_s, filesOf(*run.result));
    if (run.isDone() && !nothingRan(run.result->outcome))
        addSection(text, u"secrets"_s, run.secrets.join(u", "_s));
    if (const QString next = nextStep(run, output); !next.isEmpty())
        text += u"\n\n"_s + next;
    if (run.isDone() && run.result->auditSeq > 0)
        text += u"\n\nIn the log as #%1."_s.arg(run.result->auditSeq);
    return text;
}

} // namespace

QString stateName(RunState state)
{
    const auto *const named = std::ranges::find(stateNames, state, [](const auto &pair) { return pair.first; });
    return named == std::end(stateNames) ? QString() : QString::fromLatin1(named->second);
}

QJsonObject isolationOf(const SeenRun &run)
{
    qint64 verified = 0;
    QJsonArray weaker;
    for (const Control &control : run.controls) {
        if (control.state == Control::State::Verified)
            ++verified;
        else if (control.state != Control::State::Enforced || whyLooksAreUntold({control}))
            weaker.append(QJsonObject{{u"name"_s, toString(control.id)},
                                      {u"state"_s, toString(control.state)},
                                      {u"detail"_s, control.detail.english()}});
    }
    return {{u"backend"_s, run.policy.backend},
            {u"warm"_s, run.result && run.result->warm},
            {u"strict"_s, run.policy.strict},
            {u"verified_controls"_s, verified},
            {u"weaker_controls"_s, weaker}};
}

ToolReply runReply(const SeenRun &run, const ShownOutput &output, const QJsonObject &extra)
{
    const QList<Denial> denials = denialsOf(run);
    const RunResult *const result = run.result.get();
    const bool ran = result && !nothingRan(result->outcome);
    const auto value = shownValue(result);
    ToolReply reply;
    reply.structured = {
        {u"run"_s, orNull(run.id)},
        {u"state"_s, stateName(run.state)},
        {u"outcome"_s, result ? QJsonValue(toString(result->outcome)) : QJsonValue()},
        {u"reason"_s, result ? result->reason.english() : QString()},
        {u"exit_code"_s, result ? orNull(result->exitCode) : QJsonValue()},
        {u"signal"_s, result ? orNull(result->signal) : QJsonValue()},
        {u"stdout"_s, output.out},
        {u"stderr"_s, output.err},
        {u"stdout_bytes"_s, output.outBytes},
        {u"stderr_bytes"_s, output.errBytes},
        {u"value"_s, value ? QJsonValue(value->text) : QJsonValue()},
        {u"value_truncated"_s, value && value->isCut},
        {u"skipped_bytes"_s, output.skipped},
        {u"truncated"_s, output.isCut || output.skipped > 0},
        {u"cursor"_s, output.cursor},
        {u"denials"_s, jsonArray(denials)},
        {u"session_notes"_s, QJsonArray::fromStringList(sessionNotes(run))},
        {u"artifacts"_s, result ? shownArtifacts(*result) : QJsonArray()},
        {u"artifact_count"_s, result ? qint64(result->artifacts.size()) : qint64(0)},
        {u"secrets"_s, ran ? QJsonArray::fromStringList(run.secrets) : QJsonArray()},
        {u"audit_index"_s, result && result->auditSeq > 0 ? QJsonValue(result->auditSeq) : QJsonValue()},
        {u"usage"_s, ran ? QJsonValue(usageOf(*result)) : QJsonValue()},
        {u"isolation"_s, isolationOf(run)},
        {u"next"_s, nextStep(run, output)},
    };
    reply.structured = schema::with(reply.structured, extra);
    reply.text = textOf(run, output, denials);
    reply.isError = result && nothingRan(result->outcome);
    return reply;
}

void addImages(ToolReply &reply, const SeenRun &run, const Engine &engine, const Call &call)
{
    if (!run.isDone())
        return;
    QStringList names;
    for (ShownImage &image : shownImages(engine, *run.result, call.client().pictures, call.stop())) {
        names.append(u"%1 (%2 by %3 pixels)"_s.arg(image.path, QString::number(image.originalSize.width()),
                                                   QString::number(image.originalSize.height())));
        reply.images.append({std::move(image.png), u"image/png"_s});
    }
    if (!names.isEmpty())
        reply.text += u"\n\nPictures that follow: "_s + names.join(u", "_s);
}

ToolReply refusalReply(Outcome outcome, const Error &error)
{
    SeenRun run;
    RunResult result{.outcome = outcome, .reason = error.message};
    run.result = std::make_shared<const RunResult>(std::move(result));
    return runReply(run, {});
}

QJsonObject runSchema(const QJsonObject &extra)
{
    using namespace schema;
    QStringList states{stateNotStarted};
    for (const auto &[state, name] : stateNames) {
        if (!states.contains(QString::fromLatin1(name)))
            states.append(QString::fromLatin1(name));
    }
    QStringList outcomes;
    for (const std::string_view name : enumNames<Outcome>)
        outcomes.append(QString::fromLatin1(name.data(), qsizetype(name.size())));
    const QJsonObject denial =
        object({{u"what"_s, text()},
                {u"why"_s, text()},
                {u"how"_s, text(u"what to ask for next, or what the person would have to do"_s)}},
               {u"what"_s, u"why"_s, u"how"_s});
    const QJsonObject usage = object({{u"wall_ms"_s, integer()},
                                      {u"cpu_ms"_s, optional(integer())},
                                      {u"peak_memory_bytes"_s, optional(integer())},
                                      {u"processes"_s, optional(integer())}});
    const QJsonObject control = object({{u"name"_s, text()}, {u"state"_s, text()}, {u"detail"_s, text()}});
    const QJsonObject isolation = object(
        {{u"backend"_s, text()},
         {u"warm"_s, boolean(u"the sandbox was built ahead"_s)},
         {u"strict"_s, boolean()},
         {u"verified_controls"_s, integer(u"read back before the first instruction"_s)},
         {u"weaker_controls"_s, list(control, u"weaker than asked for; enforced where only a part can be had"_s)}});
    const QJsonObject artifact =
        object({{u"path"_s, text(u"below /work"_s)},
                {u"sha256"_s, optional(text(u"null: withheld until the person releases it"_s))},
                {u"size"_s, integer(u"bytes"_s)},
                {u"media_type"_s, text()},
                {u"withheld"_s, list(text(), u"names of the secrets whose values are in it"_s)},
                {u"uri"_s, text(u"of the resource with its content"_s)}},
               {u"path"_s, u"sha256"_s, u"size"_s, u"media_type"_s, u"uri"_s});
    const QJsonObject members{
        {u"run"_s, optional(text(u"id of the run; null: it got no further than the request"_s))},
        {u"state"_s, oneOf(states)},
        {u"outcome"_s, optional(oneOf(outcomes, u"null until the run is done"_s))},
        {u"reason"_s, text(u"one sentence; empty for completed"_s)},
        {u"exit_code"_s, optional(integer())},
        {u"signal"_s, optional(integer())},
        {u"stdout"_s, text(u"beginning and end, or the page that was asked for; values of secrets are replaced"_s)},
        {u"stderr"_s, text()},
        {u"stdout_bytes"_s, integer(u"printed so far"_s)},
        {u"stderr_bytes"_s, integer()},
        {u"value"_s,
         optional(text(u"of a stateful run's last expression, as its code says it: repr() in Python, util.inspect() in "
                       "Node.js; the first 8 KB; null: there is none, or the run is in the log only"_s))},
        {u"value_truncated"_s, boolean(u"there is more of the value"_s)},
        {u"skipped_bytes"_s, integer(u"before this page, no longer kept"_s)},
        {u"truncated"_s, boolean(u"stdout or stderr lack something that was printed"_s)},
        {u"cursor"_s, integer(u"for wait_run: where reading goes on"_s)},
        {u"denials"_s, list(denial, u"what the run wanted and didn't get"_s)},
        {u"session_notes"_s, list(text(), u"what became of the session's files and its interpreter"_s)},
        {u"artifacts"_s, list(artifact, u"files that the run left in /work: the first 50"_s)},
        {u"artifact_count"_s, integer(u"all that are kept"_s)},
        {u"secrets"_s, list(text(), u"names of the secrets that the run was given"_s)},
        {u"audit_index"_s, optional(integer(u"number of the entry that closes the run in the log"_s))},
        {u"usage"_s, optional(usage)},
        {u"isolation"_s, isolation},
        {u"next"_s, text(u"what to do next; empty: nothing is left"_s)},
    };
    return object(with(members, extra), members.keys());
}

} // namespace glovebox::mcp
