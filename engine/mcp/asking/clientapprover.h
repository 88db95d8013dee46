// SPDX-License-Identifier: Apache-2.0
// Asks the person through the client itself (the protocol's elicitation), where neither a window nor a terminal can ask.
#pragma once

#include "engine/approval/approval.h"

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <utility>

namespace glovebox::mcp {

// Thread-safe. What it is asked waits for a call of the client's, which puts the question: elicit() in elicitation.h. A client's word
// is enough only for what the client could do without Glovebox: a program that the person started reaches hosts and installs packages
// as it likes. Secrets and folders need the person's own word to Glovebox, and so does whatever else a run with any wants: a host could
// get them. That is denied at once, as DenyingApprover does, and so is everything of a client that can't ask.
class ClientApprover : public Approver
{
public:
    using Words = std::function<QString(const ApprovalRequest &)>; // what the person reads
    explicit ClientApprover(Words words, Inbox::Patience patience = {});

    void ask(const ApprovalRequest &request, Answer answer) override;
    void withdraw(const QString &run) override;

    // What waits for an answer about this run; nothing: it doesn't wait.
    std::optional<Inbox::Ask> waiting(const QString &run) const;
    // Stopped once it doesn't wait any more: it was answered or withdrawn, or its time is over.
    std::stop_token over(const QString &run);
    QString words(const ApprovalRequest &request) const { return m_words(request); }
    // The client's answer to what the person saw; none, if that doesn't wait any more. scope: Once, or of a denial Never.
    void answer(const Inbox::Ask &ask, bool isAllowed, ApprovalScope scope);

    // What the client is to call its answer by. known: what it was told in an earlier call about the same; that holds until it is
    // closed, so that an answer counts once.
    QString openName(const Inbox::Ask &ask, const QString &known);
    bool closeName(const QString &name); // false: it isn't open

private:
    void end(const QString &run);

    const Words m_words;
    std::mutex m_mutex; // over the next two
    // Open ones, with the digest of what they are about; the oldest first.
    std::deque<std::pair<QString, QByteArray>> m_names;
    std::map<QString, std::stop_source> m_over; // by run that waits
    Inbox m_inbox; // last: it answers when it ends
};

} // namespace glovebox::mcp
