// SPDX-License-Identifier: Apache-2.0
#include "terminalapprover.h"

#include "app/cli/terminal/console.h"
#include "app/cli/terminal/terminalmode.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

namespace glovebox {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto guardTime = 700ms; // what is typed earlier was meant for something else

// Enter says no: only a word in front of it says yes.
std::optional<ApprovalScope> scopeOf(QByteArrayView typed, const ApprovalRequest &request)
{
    if (typed == "o" || typed == "once")
        return ApprovalScope::Once;
    if ((typed == "s" || typed == "session") && !request.caller.connection.isEmpty())
        return ApprovalScope::Session;
    if ((typed == "a" || typed == "always") && !request.caller.pairing.isEmpty())
        return ApprovalScope::Always;
    return std::nullopt;
}

QByteArray choicesFor(const ApprovalRequest &request)
{
    QByteArray choices = "\"o\" and Enter: allow once";
    if (!request.caller.connection.isEmpty())
        choices += request.caller.way == Caller::Way::Http
                       ? "; \"s\": what is marked with *, until this server ends"
                       : "; \"s\": what is marked with *, until this client disconnects";
    if (!request.caller.pairing.isEmpty())
        choices += "; \"a\": always for this client";
    return choices + "; \"n\": never. Enter alone denies: ";
}

constexpr auto pairingChoices = "\"p\" and Enter: pair. Enter alone refuses: ";

QString movedFiles()
{
    const auto paths = Paths::standard();
    return paths ? movedHome(*paths) : QString();
}

} // namespace

TerminalApprover::TerminalApprover(QByteArray terminal, Inbox::Patience patience)
    : m_terminal(std::move(terminal))
    , m_inbox(patience)
{
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
        m_changed.reset(ends[0]);
        m_change.reset(ends[1]);
    }
    m_thread = std::jthread([this](const std::stop_token &stop) {
        blockSignals(); // also SIGTTIN: reading fails where the terminal is another program's, and doesn't stop this one
        work(stop);
    });
    m_inbox.onChange([this] { std::ignore = ::write(m_change.get(), "", 1); });
}

TerminalApprover::~TerminalApprover()
{
    m_thread.request_stop();
    std::ignore = ::write(m_change.get(), "", 1);
    m_thread.join();
    m_inbox.onChange({});
}

// True: the terminal has something to read. False: the inbox changed, the time is over, or this ends.
bool TerminalApprover::wait(int terminal, const std::stop_token &stop, std::chrono::milliseconds atMost) const
{
    pollfd ready[] = {{m_changed.get(), POLLIN, 0}, {terminal, POLLIN, 0}};
    if (!stop.stop_requested())
        ::poll(ready, 2, atMost < 0ms ? -1 : int(atMost.count()));
    char bytes[64];
    while ((ready[0].revents & POLLIN) && ::read(m_changed.get(), bytes, sizeof bytes) > 0) { }
    return ready[1].revents != 0;
}

void TerminalApprover::work(const std::stop_token &stop)
{
    while (!stop.stop_requested()) {
        const Inbox::Contents contents = m_inbox.contents();
        if (contents.asks.isEmpty() && contents.pairings.isEmpty()) {
            wait(-1, stop, -1ms);
            continue;
        }
        const UniqueFd terminal(::open(m_terminal.constData(), O_RDWR | O_CLOEXEC | O_NOCTTY));
        // Pairings first: they are few, and an agent with many runs would keep a program from being paired.
        if (!terminal
            || !(contents.pairings.isEmpty() ? askAbout(terminal.get(), contents.asks.first(), stop)
                                             : askAbout(terminal.get(), contents.pairings.first(), stop)))
            m_inbox.close(
                Text("The terminal that you would be asked on is gone. Start the client in a terminal again."));
    }
}

bool TerminalApprover::canAsk() const
{
    return bool(UniqueFd(::open(m_terminal.constData(), O_RDWR | O_CLOEXEC | O_NOCTTY)));
}

std::expected<QByteArray, TerminalApprover::NoAnswer> TerminalApprover::answerTo(const Question &question, int terminal,
                                                                                 const std::stop_token &stop) const
{
    writeAll(terminal, question.text);
    const TerminalMode mode(terminal);
    const auto end = std::chrono::steady_clock::now() + guardTime;
    while (std::chrono::steady_clock::now() < end && !stop.stop_requested()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (wait(terminal, stop, std::max(left, 0ms)))
            ::tcflush(terminal, TCIFLUSH);
        pollfd gone{terminal, 0, 0};
        if (::poll(&gone, 1, 0) > 0 && (gone.revents & (POLLHUP | POLLERR)))
            return std::unexpected(NoAnswer::TerminalGone);
    }
    ::tcflush(terminal, TCIFLUSH);
    writeAll(terminal, question.choices);
    QByteArray typed;
    for (;;) {
        if (stop.stop_requested() || !question.isWaiting()) {
            writeAll(terminal, "\r\nglovebox: this question no longer waits for an answer.\r\n");
            return std::unexpected(NoAnswer::NotWaiting);
        }
        if (!wait(terminal, stop, -1ms))
            continue;
        char key = 0;
        const ssize_t count = ::read(terminal, &key, 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return std::unexpected(NoAnswer::TerminalGone);
        if (key == 0x03 || key == 0x04) // Ctrl+C, Ctrl+D
            return QByteArray();
        if (key == '\r' || key == '\n')
            return typed;
        if (key == 0x7f || key == '\b') {
            if (!typed.isEmpty())
                writeAll(terminal, "\b \b");
            typed.chop(1);
        } else if (typed.size() < 16 && key >= 'a' && key <= 'z') {
            typed += key;
            writeAll(terminal, {&key, 1});
        } else {
            typed = "?"; // is no answer, whatever follows
        }
    }
}

bool TerminalApprover::askAbout(int terminal, const Inbox::Ask &ask, const std::stop_token &stop)
{
    const auto typed = answerTo({questionAbout(ask.request, movedFiles()), choicesFor(ask.request),
                                 [&] { return m_inbox.contents().asks.contains(ask); }},
                                terminal, stop);
    if (!typed)
        return typed.error() == NoAnswer::NotWaiting;
    const auto scope = scopeOf(*typed, ask.request);
    const bool isNever = *typed == "n" || *typed == "never";
    const Status answered =
        scope ? m_inbox.allow(ask.request.run, ask.digest, *scope)
              : m_inbox.deny(ask.request.run, ask.digest, isNever ? ApprovalScope::Never : ApprovalScope::Once);
    writeAll(terminal, !answered ? "\r\n" + asLine(sentenceOf(answered.error())) + "\r\n"
                       : scope   ? QByteArray("\r\nglovebox: allowed.\r\n")
                                 : QByteArray("\r\nglovebox: denied.\r\n"));
    return true;
}

bool TerminalApprover::askAbout(int terminal, const Inbox::Pairing &pairing, const std::stop_token &stop)
{
    const auto typed = answerTo({questionAbout(pairing.request, movedFiles()), pairingChoices,
                                 [&] { return m_inbox.contents().pairings.contains(pairing); }},
                                terminal, stop);
    if (!typed)
        return typed.error() == NoAnswer::NotWaiting;
    const bool isPaired = *typed == "p" || *typed == "pair";
    const Status answered = m_inbox.answerPairing(pairing.request.id, isPaired);
    writeAll(terminal,
             !answered ? "\r\n" + asLine(sentenceOf(answered.error())) + "\r\n"
             : isPaired
                 ? QByteArray("\r\nglovebox: yes. The program is paired once your browser brings it this answer.\r\n")
                 : QByteArray("\r\nglovebox: refused.\r\n"));
    return true;
}

} // namespace glovebox
