// SPDX-License-Identifier: Apache-2.0
// The tools wait_run and cancel_run: what becomes of a run that run_code has answered for already.
#include "following.h"
#include "jsonschema.h"
#include "runreply.h"
#include "tools.h"

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

constexpr auto patienceForEnd = std::chrono::seconds(5); // a cancelled run has one second, then it is killed

// With a cursor: the page from there on; else the beginning and the end.
Result<ToolReply> waitForRun(const Call &call)
{
    const QString id = call.arguments()["run"_L1].toString();
    const bool isPage = call.arguments().contains("cursor"_L1);
    const qint64 cursor = call.arguments()["cursor"_L1].toInteger();
    const qint64 max = call.arguments()["max"_L1].toInteger(16 * kibibyte);
    const ClientRuns &runs = call.client().runs;
    if (const auto followed = runs.find(id)) {
        const Followed end = follow(*followed, call, cursor, isPage ? max : 0);
        if (end == Followed::Stopped || end == Followed::CallsAgain)
            return fail(ErrorCode::Cancelled, QT_TRANSLATE_NOOP("engine", "The call was cancelled; the run goes on."),
                        {});
    } else if (!runs.isKnown(id)) {
        return noSuchRun(id);
    }
    ASSIGN_OR_RETURN(Engine *const engine, call.engine());
    ASSIGN_OR_RETURN(const SeenRun run, seenRun(*engine, runs, id));
    ShownOutput output = headAndTail(run.output);
    if (isPage) {
        ShownOutput page = pageFrom(run.output, cursor, max);
        page.outBytes = output.outBytes;
        page.errBytes = output.errBytes;
        output = std::move(page);
    }
    ToolReply reply = runReply(run, output);
    if (!isPage) // pages would repeat them
        addImages(reply, run, *engine, call);
    return reply;
}

Result<ToolReply> cancelRun(const Call &call)
{
    const QString id = call.arguments()["run"_L1].toString();
    const ClientRuns &runs = call.client().runs;
    if (const auto followed = runs.find(id)) {
        followed->run().cancel();
        followed->waitUntilDone(std::chrono::steady_clock::now() + patienceForEnd, call.stop());
    } else if (!runs.isKnown(id)) {
        return noSuchRun(id);
    }
    ASSIGN_OR_RETURN(Engine *const engine, call.engine());
    ASSIGN_OR_RETURN(const SeenRun run, seenRun(*engine, runs, id));
    return runReply(run, headAndTail(run.output));
}

QJsonObject runArgument()
{
    return schema::with(schema::text(u"id that run_code answered"_s), {{u"minLength"_s, 1}, {u"maxLength"_s, 64}});
}

} // namespace

Tool waitRunTool()
{
    using namespace schema;
    return {
        .name = u"wait_run"_s,
        .title = u"Wait for a run, or read on"_s,
        .description =
            u"Waits until a run of yours is done, at most 45 seconds, and answers as run_code does. With \"cursor\" "
            "the answer is the output from there on, once \"max\" bytes are there or the run is done. Call it again "
            "while \"state\" isn't \"done\"."_s,
        .inputSchema = object(
            {{u"run"_s, runArgument()},
             {u"cursor"_s, with(integer(u"that the last answer gave; without it: beginning and end of the output"_s),
                                {{u"minimum"_s, 0}, {u"maximum"_s, qint64(1) << 53}})},
             {u"max"_s, with(integer(u"bytes of output; 16384 by default"_s),
                             {{u"minimum"_s, 64}, {u"maximum"_s, pageBytesMax}})}},
            {u"run"_s}),
        .outputSchema = runSchema(),
        .annotations = {{u"readOnlyHint"_s, true},
                        {u"destructiveHint"_s, false},
                        {u"idempotentHint"_s, true},
                        {u"openWorldHint"_s, false}},
        .run = waitForRun};
}

Tool cancelRunTool()
{
    return {
        .name = u"cancel_run"_s,
        .title = u"Stop a run"_s,
        .description =
            u"Stops a run of yours with all its processes, and answers as run_code does, with the output so far. A run "
            "that is done stays as it is."_s,
        .inputSchema = schema::object({{u"run"_s, runArgument()}}, {u"run"_s}),
        .outputSchema = runSchema(),
        .annotations = {{u"readOnlyHint"_s, false},
                        {u"destructiveHint"_s, true},
                        {u"idempotentHint"_s, true},
                        {u"openWorldHint"_s, false}},
        .run = cancelRun};
}

} // namespace glovebox::mcp
