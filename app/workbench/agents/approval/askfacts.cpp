// SPDX-License-Identifier: Apache-2.0
#include "askfacts.h"

#include <QJsonDocument>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostLookedAt = 20; // runs of the client, from the newest
constexpr qint64 biggestCompared = 1 * mebibyte;
constexpr auto patienceWithStores = std::chrono::seconds(3);

// None where it was removed, cut, damaged, or kept without the values of secrets: a difference to that would mislead.
std::optional<QByteArray> codeOnRecord(const AuditReader &reader, const ContentStore &store, const QString &run)
{
    const auto bodies = reader.bodiesOf(run);
    if (!bodies)
        return {};
    for (const StoredBody &body : *bodies) {
        if (body.what != "code"_L1 || body.salt.isEmpty() || body.kept != body.bytes || body.kept > biggestCompared)
            continue;
        const auto entries = reader.entriesOf(run);
        const bool isScrubbed = !entries || std::ranges::any_of(*entries, [](const StoredEntry &entry) {
            return kindOf(QJsonDocument::fromJson(entry.json).object()) == EntryKind::RunScrubbed;
        });
        const auto content = store.get(body.digest);
        if (content && !isScrubbed)
            return *content;
    }
    return {};
}

std::optional<EarlierRun> earlierRun(Engine &engine, const ApprovalRequest &request)
{
    const auto reader = engine.auditReader();
    if (!reader)
        return {};
    RunFilter filter;
    filter.callerKind = Caller::Kind::Mcp;
    filter.language = request.language;
    filter.limit = mostLookedAt;
    if (request.caller.pairing.isEmpty())
        filter.program = request.caller.program;
    else
        filter.pairing = request.caller.pairing;
    if (filter.program.isEmpty() && filter.pairing.isEmpty())
        return {};
    const auto rows = (*reader)->runs(filter);
    for (const RunRow &row : rows.value_or(QList<RunRow>())) {
        // One that was cancelled may never have begun.
        if (row.run == request.run || !row.outcome || nothingRan(*row.outcome) || *row.outcome == Outcome::Cancelled)
            continue;
        if (auto code = codeOnRecord(**reader, engine.store(), row.run))
            return EarlierRun{row.seq, row.timeMicroseconds, *std::move(code)};
    }
    return {};
}

// states: of stores that were asked; each is asked once, as one that doesn't answer takes its time.
std::optional<Text> obstacleTo(Engine &engine, const ApprovalRequest &request, const SecretGrant &grant,
                               QHash<QString, StoreStatus> &states)
{
    const auto secret = engine.vault().info(grant.name);
    if (!secret && secret.error().code == ErrorCode::NotFound)
        return Text(QT_TRANSLATE_NOOP("engine", "There is no key %1. Add it on the Vault page, or deny the run."),
                    {grant.name});
    if (!secret)
        return secret.error().message;
    const SecretBorrower borrower{request.caller.kind, request.language, request.policy.allow, request.policy.tools};
    if (const Status may = mayLend(*secret, borrower, Clock::system().nowMicroseconds()); !may)
        return may.error().message;
    SecretStore *const store = engine.vault().store(secret->store);
    if (!store)
        return {}; // the run says what is missing
    if (!states.contains(secret->store))
        states.insert(secret->store, store->status(Patience::of(patienceWithStores)));
    const StoreStatus status = states.value(secret->store);
    if (status.state == StoreState::Ready)
        return {};
    return Text("%1 %2", {status.reason.english(), status.remedy.english()});
}

} // namespace

AskFacts factsOf(Engine &engine, const ApprovalRequest &request)
{
    AskFacts facts;
    if (!request.tool.isEmpty())
        return facts; // no run
    facts.earlier = earlierRun(engine, request);
    QHash<QString, StoreStatus> states;
    for (const SecretGrant &grant : request.secrets) {
        if (const auto obstacle = obstacleTo(engine, request, grant, states))
            facts.obstacles.insert(grant.name, *obstacle);
    }
    return facts;
}

} // namespace glovebox
