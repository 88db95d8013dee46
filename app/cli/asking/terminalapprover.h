// SPDX-License-Identifier: Apache-2.0
// Asks the person at the terminal that the program was started from, while standard input and output belong to a protocol.
#pragma once

#include "engine/approval/approval.h"

#include <expected>
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
    void askToPair(const PairingRequest &request, PairingAnswer answer) override
    {
        m_inbox.askToPair(request, std::move(answer));
    }
    void withdrawPairing(const QString &id) override { m_inbox.withdrawPairing(id); }

    // There is a terminal to ask on, at this moment.
    bool canAsk() const;

private:
    struct Question
    {
        QByteArray text, choices;
        std::function<bool()> isWaiting; // false: it needs no answer any more
    };
    enum class NoAnswer { NotWaiting, TerminalGone };

    void work(const std::stop_token &stop);
    // What was typed before Enter; empty: nothing, or Ctrl+C.
    std::expected<QByteArray, NoAnswer> answerTo(const Question &question, int terminal,
                                                 const std::stop_token &stop) const;
    // False: the terminal can't be read.
    bool askAbout(int terminal, const Inbox::Ask &ask, const std::stop_token &stop);
    bool askAbout(int terminal, const Inbox::Pairing &pairing, const std::stop_token &stop);
    bool wait(int terminal, const std::stop_token &stop, std::chrono::milliseconds atMost) const;

    const QByteArray m_terminal;
    Inbox m_inbox;
    UniqueFd m_changed, m_change; // a pipe: readable when the inbox changed
    std::jthread m_thread; // last
};

// What a person has to know to answer, without anything that a terminal would obey. Ends with a line break. moved: movedHome().
QByteArray questionAbout(const ApprovalRequest &request, const QString &moved = {});
QByteArray questionAbout(const PairingRequest &request, const QString &moved = {});
// The same for a window of the client's, which may cut it, or read it as Markdown.
QString questionInClient(const ApprovalRequest &request, const QString &moved = {});

} // namespace glovebox
