// SPDX-License-Identifier: Apache-2.0
#include "elicitation.h"

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

const auto allowing = u"allow this once"_s;
const auto denying = u"deny"_s;
const auto denyingFurther = u"deny this and what wants the same"_s; // an agent that asks until somebody is tired

ClientQuestion questionOf(const QString &words)
{
    const QJsonObject choice{{u"type"_s, u"string"_s},
                             {u"title"_s, u"Your answer"_s},
                             {u"description"_s, u"Anything but \"%1\" denies it."_s.arg(allowing)},
                             {u"enum"_s, QJsonArray{denying, denyingFurther, allowing}},
                             {u"default"_s, denying}};
    return {u"elicitation/create"_s,
            {{u"message"_s, words},
             {u"requestedSchema"_s, QJsonObject{{u"type"_s, u"object"_s},
                                                {u"properties"_s, QJsonObject{{u"answer"_s, choice}}},
                                                {u"required"_s, QJsonArray{u"answer"_s}}}}}};
}

} // namespace

Elicited elicit(const Call &call, const QString &run, std::chrono::milliseconds longest)
{
    ClientApprover *const approver = call.client().approver.get();
    const auto ask = approver ? approver->waiting(run) : std::nullopt;
    if (!ask)
        return Elicited::Nothing;
    const QString name = approver->openName(*ask, call.state()["question"_L1].toString());
    const std::stop_token over = approver->over(run);
    const auto answers = call.ask({{name, questionOf(approver->words(ask->request))}},
                                  {{u"run"_s, run}, {u"question"_s, name}}, std::max(longest, {}), over);
    const bool isStopped = call.stop().stop_requested();
    if (!answers && answers.error().code == ErrorCode::Cancelled && !isStopped && !over.stop_requested())
        return Elicited::CallsAgain;
    const bool isFirst = approver->closeName(name);
    if (isStopped)
        return Elicited::Stopped;
    if (!answers && over.stop_requested()) // in another way
        return Elicited::Answered;
    if (answers && !isFirst) // another call brought the same answer
        return elicit(call, run, longest);
    if (!answers && answers.error().code == ErrorCode::TimedOut)
        return Elicited::TimeOver;
    if (!answers && answers.error().code == ErrorCode::Unsupported)
        return Elicited::Nothing;
    const QJsonObject answer = answers ? answers->value(name).toObject() : QJsonObject();
    const QString chosen =
        answer["action"_L1] == "accept"_L1 ? answer["content"_L1]["answer"_L1].toString() : QString();
    approver->answer(*ask, chosen == allowing, chosen == denyingFurther ? ApprovalScope::Never : ApprovalScope::Once);
    return Elicited::Answered;
}

std::unexpected<Error> callsAgain()
{
    return fail(ErrorCode::Cancelled, QT_TRANSLATE_NOOP("engine", "The person is asked. Call again with the answer."),
                {});
}

} // namespace glovebox::mcp
