// SPDX-License-Identifier: Apache-2.0
#include "engine/network/egress/relay.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace glovebox::network {

namespace {

constexpr std::uint64_t manyBytes = 256 * 1024; // of a direction: from here on it is worth a pipe
constexpr std::uint64_t veryManyBytes = 4 * 1024 * 1024; // and from here on a large one
constexpr std::size_t piece = 64 * 1024;
constexpr std::chrono::seconds restAfter{1};

} // namespace

short Conduit::wantedOfSource() const
{
    return m_done || m_atEnd || !isEmpty() ? 0 : POLLIN;
}

short Conduit::wantedOfTarget() const
{
    return m_done || isEmpty() ? 0 : POLLOUT;
}

// As large as what has come without a rest, or will come, makes worth it.
void Conduit::fitPipe()
{
    if (isWatched())
        return; // what is in a pipe, nobody sees
    const std::uint64_t much = m_left == noEnd ? m_streak : std::max(m_streak, m_left);
    if (!m_pipeTried && much > manyBytes) {
        m_pipeTried = true;
        m_pipe.open(); // else by hand
    }
    if (m_pipe && !m_growthTried && much > veryManyBytes) {
        m_growthTried = true;
        m_pipe.grow();
    }
}

void Conduit::rest()
{
    if (m_inPipe > 0)
        return;
    m_pipe.close();
    m_streak = 0;
    m_pipeTried = m_growthTried = false;
}

// False: the source failed. At its end m_atEnd.
bool Conduit::fill()
{
    fitPipe();
    const std::uint64_t most = m_budget.piece(std::min<std::uint64_t>(m_left, m_pipe ? m_pipe.capacity() : piece));
    ssize_t got = -1;
    if (m_pipe) {
        got = m_pipe.fill(m_from.socket(), most);
        m_inPipe += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    } else {
        m_from.pending.resize(most);
        got = ::recv(m_from.socket(), m_from.pending.data(), m_from.pending.size(), 0);
        const int error = errno;
        m_from.pending.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        errno = error;
        m_sent = m_paid = m_looked = 0;
    }
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    m_streak += static_cast<std::uint64_t>(got);
    if (m_left != noEnd)
        m_left -= static_cast<std::uint64_t>(got);
    if (got == 0)
        m_atEnd = true;
    else if (m_pipe)
        m_inPipe = pay(m_inPipe);
    return true;
}

// False: what has come may not be passed on.
bool Conduit::look()
{
    if (!isWatched() || m_looked == m_from.pending.size())
        return true;
    const std::string_view news = std::string_view(m_from.pending).substr(m_looked);
    m_looked = m_from.pending.size();
    return m_opening->follow(m_side, news);
}

// How many of them may be moved; what is beyond is left behind.
std::size_t Conduit::pay(std::size_t bytes)
{
    const std::uint64_t paid = m_budget.spend(bytes);
    m_overBudget = paid < bytes;
    return static_cast<std::size_t>(paid);
}

// False: the target failed.
bool Conduit::drain()
{
    ssize_t sent = -1;
    if (m_inPipe > 0) {
        sent = m_pipe.drain(m_to.socket(), m_inPipe);
        m_inPipe -= static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
    } else {
        std::string &bytes = m_from.pending;
        if (m_paid < bytes.size()) {
            bytes.resize(m_paid + pay(bytes.size() - m_paid));
            m_paid = bytes.size();
        }
        sent = ::send(m_to.socket(), bytes.data() + m_sent, bytes.size() - m_sent, MSG_NOSIGNAL);
        m_sent += static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
        if (m_sent == bytes.size()) {
            bytes.clear();
            m_sent = m_paid = m_looked = 0;
        }
    }
    if (sent < 0)
        return errno == EAGAIN || errno == EINTR;
    m_moved += static_cast<std::uint64_t>(sent);
    return true;
}

bool Conduit::move()
{
    if (m_done)
        return true;
    if (isEmpty() && !m_atEnd && m_left > 0 && !fill())
        return false;
    if (!look() || (!isEmpty() && !drain()))
        return false;
    if (!isEmpty())
        return true;
    if (m_overBudget)
        return false;
    if (m_left == 0) {
        m_done = true;
    } else if (m_atEnd) {
        if (m_left != noEnd)
            return false;
        m_done = true;
        m_to.shutdownSend();
    }
    return true;
}

Reason relay(Stream &run, Stream &server, Gate &gate, Reporter::Entry &entry, Opening *opening)
{
    Conduit out(run, server, gate.budget);
    Conduit in(server, run, gate.budget);
    out.watch(opening, Opening::Side::Run);
    in.watch(opening, Opening::Side::Server);
    Reason reason = Reason::None;
    Time idleEnd = within(idleLimit);
    while (!out.isDone() || !in.isDone()) {
        if (!out.move() || !in.move())
            break;
        const auto ofRun = static_cast<short>(out.wantedOfSource() | in.wantedOfTarget());
        const auto ofServer = static_cast<short>(in.wantedOfSource() | out.wantedOfTarget());
        pollfd sources[] = {{ofRun ? run.socket() : -1, ofRun, 0}, {ofServer ? server.socket() : -1, ofServer, 0}};
        if (!ofRun && !ofServer)
            continue;
        if (::poll(sources, 2, pollTimeout(std::min(idleEnd, within(restAfter)))) != 0) {
            idleEnd = within(idleLimit);
            continue;
        }
        if (idleEnd <= std::chrono::steady_clock::now()) {
            reason = Reason::Idle;
            break;
        }
        out.rest();
        in.rest();
    }
    if (out.isOverBudget() || in.isOverBudget())
        reason = Reason::BudgetSpent;
    if (opening && !opening->fault().empty()) {
        reason = Reason::Malformed;
        entry.attempt.fault = opening->fault();
    }
    entry.attempt.sent += out.moved();
    entry.attempt.received += in.moved();
    return reason;
}

} // namespace glovebox::network
