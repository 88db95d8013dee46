// SPDX-License-Identifier: Apache-2.0
// The suite's tools that may become tasks: sealed runs, as every task is one.
#include "fixtures.h"

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

using CodeOf = std::function<QByteArray(const QJsonObject &arguments)>;

ToolReply answerOf(const FollowedRun &run)
{
    const auto result = run.run().result();
    if (!result)
        return {.text = u"The run goes on."_s};
    return {.text = u"%1: %2 %3"_s.arg(toString(result->outcome), QString::fromUtf8(result->out.kept()),
                                       result->reason.english()),
            .isError = result->outcome != Outcome::Completed};
}

// codeOf: what the shell runs.
Tool running(const QString &name, const QJsonObject &properties, const CodeOf &codeOf)
{
    const auto start = [codeOf](const Call &call) -> Result<std::shared_ptr<FollowedRun>> {
        ASSIGN_OR_RETURN(Engine *const engine, call.engine());
        RunRequest request;
        request.language = u"sh"_s;
        request.code = codeOf(call.arguments());
        request.caller = call.caller();
        request.policy = engine->settings().policy();
        return call.client().runs.start(*engine, std::move(request));
    };
    Tool tool;
    tool.name = name;
    tool.description = u"A fixture of the conformance suite."_s;
    tool.inputSchema = {{u"type"_s, u"object"_s}, {u"properties"_s, properties}};
    tool.start = start;
    tool.answer = [](const Call &, Engine &, const FollowedRun &run) { return answerOf(run); };
    tool.run = [start](const Call &call) -> Result<ToolReply> {
        ASSIGN_OR_RETURN(const auto run, start(call));
        if (!call.mayBecomeTask())
            run->waitUntilDone(std::chrono::steady_clock::now() + std::chrono::minutes(1), call.stop());
        ToolReply reply = answerOf(*run);
        if (!run->run().result())
            reply.goesOn = run;
        return reply;
    };
    return tool;
}

} // namespace

std::vector<Tool> taskFixtures()
{
    const QJsonObject number{{u"type"_s, u"number"_s}}, words{{u"type"_s, u"string"_s}};
    Tool greet;
    greet.name = u"greet"_s;
    greet.description = u"A fixture of the conformance suite."_s;
    greet.inputSchema = {{u"type"_s, u"object"_s}, {u"properties"_s, QJsonObject{{u"name"_s, words}}}};
    greet.run = [](const Call &call) -> Result<ToolReply> {
        return ToolReply{.text = u"Hello, %1!"_s.arg(call.arguments()["name"_L1].toString())};
    };
    return {
        std::move(greet),
        running(u"slow_compute"_s, {{u"seconds"_s, number}, {u"label"_s, words}},
                [](const QJsonObject &arguments) {
                    return "sleep " + QByteArray::number(arguments["seconds"_L1].toInt()) + "; echo computed";
                }),
        running(u"failing_job"_s, {}, [](const QJsonObject &) { return QByteArray("sleep 1; echo failed; exit 1"); })};
}

} // namespace glovebox::mcp
