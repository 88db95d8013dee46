// SPDX-License-Identifier: Apache-2.0
// Asks the person at the terminal that the program was started from, while standard input and output belong to a protocol.
#pragma once

#include "engine/approval/approval.h"

#include <thread>

namespace glovebox {

// Thread-safe. One ask after the other, on a thread of its own. Enter alone denies, and so do Ctrl+C and a terminal that is gone.
class TerminalApprover : public Approver
{
public:
    // Opens the terminal when there is something to ask. patience: for tests.
    explicit TerminalApprover(QByteArray terminal = "/dev/tty", Inbox::Patience patience = {});
    // Denies what waits.
    ~TerminalApprover() override;

    void ask(const ApprovalRequest &request, Answer answer) override { m_inbox.ask(request, std::move(answer)); }
    void withdraw(const QString &run) override { m_inbox.withdraw(run); }

private:
    void work(const std::stop_token &stop);
    bool askAbout(int terminal, const Inbox::Ask &ask, const std::stop_token &stop);
    bool isWaiting(const Inbox::Ask &ask) const;
    bool wait(int terminal, const std::stop_token &stop, std::chrono::milliseconds atMost) const;

    const QByteArray m_terminal;
    Inbox m_inbox;
    UniqueFd m_changed, m_change; // a pipe: readable when the inbox changed
    std::jthread m_thread; // last
};

// What a person has to know to answer, without anything that a terminal would obey. Ends with a line break. moved: movedHome().
QByteArray questionAbout(const ApprovalRequest &request, const QString &moved = {});

} // namespace glovebox
