// SPDX-License-Identifier: Apache-2.0
#include "permission.h"

#include "engine/mcp/asking/elicitation.h"

#include <QJsonDocument>

#include <condition_variable>
#include <mutex>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

// An answer that may come after nobody waits for it any more.
struct Awaited
{
    std::mutex mutex;
    std::condition_variable_any changed;
    std::optional<ApprovalDecision> decision;
};

Status askAbout(const Call &call, Engine &engine, const ApprovalRequest &request,
                std::chrono::milliseconds answeredWithin)
{
    // The answer to silence comes a moment after the time.
    const auto end = std::chrono::steady_clock::now() + answeredWithin + std::chrono::seconds(1);
    const auto awaited = std::make_shared<Awaited>();
    engine.approvals().ask(request, [awaited](const ApprovalDecision &decision) {
        const std::lock_guard lock(awaited->mutex);
        awaited->decision = decision;
        awaited->changed.notify_all();
    });
    if (elicit(call, request.run, answeredWithin) == Elicited::CallsAgain) { // and the question is put anew then
        engine.approvals().withdraw(request.run);
        return callsAgain();
    }
    std::unique_lock lock(awaited->mutex);
    awaited->changed.wait_until(lock, call.stop(), end, [&] { return awaited->decision.has_value(); });
    const auto decision = awaited->decision;
    lock.unlock();
    if (!decision) {
        engine.approvals().withdraw(request.run);
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "The person didn't answer whether %1 may be called. Ask them to open "
                                                "Glovebox's window, then call again."),
                    {request.tool});
    }
    return decision->allowed ? Status() : fail(ErrorCode::PermissionDenied, decision->reason);
}

} // namespace

bool isListed(const Tool &tool, const Result<AgentSwitches> &rules)
{
    return !rules || rules->ofTool(tool.name) != AgentSwitch::Off;
}

Status permit(const Call &call, const Tool &tool, const ReadSwitches &readSwitches, std::chrono::milliseconds patience)
{
    if (tool.start || tool.isDecidedLater)
        return {};
    ASSIGN_OR_RETURN(const AgentSwitches rules, readSwitches());
    if (rules.ofTool(tool.name) == AgentSwitch::On)
        return {};
    if (const auto refusal = refusalOf(rules, tool.name, {}))
        return fail(ErrorCode::PermissionDenied, *refusal);
    ASSIGN_OR_RETURN(Engine *const engine, call.engine());
    ApprovalRequest request;
    request.run = newId(Clock::system());
    request.caller = call.caller();
    request.policy = engine->settings().policy();
    request.code = QJsonDocument(call.arguments()).toJson();
    request.codeDigest = sha256({request.code});
    request.tool = tool.name;
    request.patience = patience;
    const AuthorisationDecision decision = engine->approvals().decide(request);
    switch (decision.verdict) {
    case Verdict::Allow:
        return {};
    case Verdict::Deny:
        return fail(ErrorCode::PermissionDenied, decision.reason);
    case Verdict::Ask:
        break;
    }
    request.wants = decision.wants;
    return askAbout(call, *engine, request, patience);
}

} // namespace glovebox::mcp
