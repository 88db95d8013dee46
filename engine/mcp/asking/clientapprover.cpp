// SPDX-License-Identifier: Apache-2.0
#include "clientapprover.h"

#include <algorithm>

namespace glovebox::mcp {

namespace {

bool isForPersonAlone(const Want &want)
{
    switch (want.kind) {
    case Want::Kind::AnyRun:
    case Want::Kind::Tool:
    case Want::Kind::Host:
    case Want::Kind::Limit:
    case Want::Kind::Packages:
    case Want::Kind::ServerTool:
        return false;
    case Want::Kind::Secret:
    case Want::Kind::Folder:
    case Want::Kind::Weakness:
    case Want::Kind::Backend:
        return true;
    }
    return true;
}

} // namespace

ClientApprover::ClientApprover(Words words, Inbox::Patience patience)
    : m_words(std::move(words))
    , m_inbox(patience)
{
}

void ClientApprover::ask(const ApprovalRequest &request, Answer answer)
{
    if (!request.caller.isAskable || std::ranges::any_of(request.wants, isForPersonAlone))
        return DenyingApprover().ask(request, std::move(answer));
    m_inbox.ask(request, [answer = std::move(answer)](ApprovalDecision decision) {
        if (decision.by == AnsweredBy::Person)
            decision.by = AnsweredBy::Client;
        answer(std::move(decision));
    });
}

std::optional<Inbox::Ask> ClientApprover::waiting(const QString &run) const
{
    const QList<Inbox::Ask> asks = m_inbox.contents().asks;
    const auto found = std::ranges::find(asks, run, [](const Inbox::Ask &ask) { return ask.request.run; });
    return found == asks.end() ? std::nullopt : std::optional(*found);
}

void ClientApprover::answer(const Inbox::Ask &ask, bool isAllowed)
{
    // An error: somebody else has answered, or the time is over; either is on record.
    std::ignore = isAllowed ? m_inbox.allow(ask.request.run, ask.digest, ApprovalScope::Once)
                            : m_inbox.deny(ask.request.run, ask.digest);
}

} // namespace glovebox::mcp
