// SPDX-License-Identifier: Apache-2.0
#include "clientapprover.h"

#include <algorithm>

namespace glovebox::mcp {

namespace {

constexpr std::size_t namesMost = 256; // of questions that a client is to answer by calling again

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

bool isForPersonAlone(const ApprovalRequest &request)
{
    return !request.secrets.empty() || !request.policy.folders.isEmpty()
           || std::ranges::any_of(request.wants, [](const Want &want) { return isForPersonAlone(want); });
}

} // namespace

ClientApprover::ClientApprover(Words words, Inbox::Patience patience)
    : m_words(std::move(words))
    , m_inbox(patience)
{
}

void ClientApprover::ask(const ApprovalRequest &request, Answer answer)
{
    if (!request.caller.isAskable || isForPersonAlone(request))
        return DenyingApprover().ask(request, std::move(answer));
    {
        const std::lock_guard lock(m_mutex);
        m_over.try_emplace(request.run);
    }
    m_inbox.ask(request, [this, run = request.run, answer = std::move(answer)](ApprovalDecision decision) {
        end(run);
        if (decision.by == AnsweredBy::Person)
            decision.by = AnsweredBy::Client;
        answer(std::move(decision));
    });
}

void ClientApprover::withdraw(const QString &run)
{
    m_inbox.withdraw(run);
    end(run);
}

void ClientApprover::end(const QString &run)
{
    std::unique_lock lock(m_mutex);
    auto ended = m_over.extract(run);
    lock.unlock();
    if (!ended.empty())
        ended.mapped().request_stop();
}

std::stop_token ClientApprover::over(const QString &run)
{
    const std::lock_guard lock(m_mutex);
    if (const auto found = m_over.find(run); found != m_over.end())
        return found->second.get_token();
    std::stop_source ended;
    ended.request_stop();
    return ended.get_token();
}

std::optional<Inbox::Ask> ClientApprover::waiting(const QString &run) const
{
    const QList<Inbox::Ask> asks = m_inbox.contents().asks;
    const auto found = std::ranges::find(asks, run, [](const Inbox::Ask &ask) { return ask.request.run; });
    return found == asks.end() ? std::nullopt : std::optional(*found);
}

void ClientApprover::answer(const Inbox::Ask &ask, bool isAllowed, ApprovalScope scope)
{
    // An error: somebody else has answered, or the time is over; either is on record.
    std::ignore = isAllowed ? m_inbox.allow(ask.request.run, ask.digest, ApprovalScope::Once)
                            : m_inbox.deny(ask.request.run, ask.digest, scope);
}

QString ClientApprover::openName(const Inbox::Ask &ask, const QString &known)
{
    const std::lock_guard lock(m_mutex);
    if (std::ranges::find(m_names, std::pair(known, ask.digest)) != m_names.end())
        return known;
    if (m_names.size() >= namesMost)
        m_names.pop_front();
    return m_names.emplace_back(newId(Clock::system()), ask.digest).first;
}

bool ClientApprover::closeName(const QString &name)
{
    const std::lock_guard lock(m_mutex);
    return std::erase_if(m_names, [&](const auto &open) { return open.first == name; }) > 0;
}

} // namespace glovebox::mcp
