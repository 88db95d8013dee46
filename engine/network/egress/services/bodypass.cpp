// SPDX-License-Identifier: Apache-2.0
#include "engine/network/egress/services/bodypass.h"

#include <sys/socket.h>

#include <cerrno>

namespace glovebox::network {

namespace {

constexpr std::uint64_t worthAPipe = 256 * 1024;
constexpr std::size_t atOnce = 64 * 1024;
constexpr int stepsAtOnce = 16;

} // namespace

BodyPass::BodyPass(Stream &from, Stream &to, Budget &budget, const HttpBody &body, std::size_t first)
    : m_from(from)
    , m_to(to)
    , m_budget(budget)
    , m_untilClose(body.framing == HttpBody::Framing::UntilClose)
    , m_follower(body)
    , m_own(first)
{
}

bool BodyPass::isDone() const
{
    return m_own == 0 && (m_untilClose ? m_conduit && m_conduit->isDone() : m_follower.state() == ParseState::Done);
}

bool BodyPass::wantsSource() const
{
    return !isDone() && (m_conduit ? m_conduit->wantedOfSource() != 0 : m_own == 0);
}

bool BodyPass::wantsTarget() const
{
    return !isDone() && (m_conduit ? m_conduit->wantedOfTarget() != 0 : m_own > 0);
}

// What comes next.
BodyPass::Step BodyPass::take()
{
    if (m_untilClose) {
        m_conduit.emplace(m_from, m_to, m_budget);
        return Step::Went;
    }
    if (m_from.pending.empty()) {
        if (m_follower.opaque() >= worthAPipe) {
            m_opaque = m_follower.opaque();
            m_conduit.emplace(m_from, m_to, m_budget, m_opaque);
            return Step::Went;
        }
        const Stream::Got got = m_from.receive(Time(), m_budget.piece(atOnce)); // what is there
        if (got != Stream::Got::Bytes)
            return got == Stream::Got::TimedOut ? Step::Waits : Step::Failed;
    }
    m_own = m_follower.follow(m_from.pending);
    return m_follower.state() == ParseState::Malformed ? Step::Failed : Step::Went;
}

// False: nothing more may be moved.
bool BodyPass::pay()
{
    if (m_paid < m_own && !m_overBudget) {
        m_paid += static_cast<std::size_t>(m_budget.spend(m_own - m_paid));
        m_overBudget = m_paid < m_own;
    }
    return m_paid > 0;
}

BodyPass::Step BodyPass::give()
{
    if (!pay())
        return Step::Failed;
    const ssize_t sent = ::send(m_to.socket(), m_from.pending.data(), m_paid, MSG_NOSIGNAL);
    if (sent < 0)
        return errno == EAGAIN ? Step::Waits : errno == EINTR ? Step::Went : Step::Failed;
    const auto count = static_cast<std::size_t>(sent);
    m_from.pending.erase(0, count);
    m_own -= count;
    m_paid -= count;
    m_moved += count;
    return Step::Went;
}

bool BodyPass::move()
{
    for (int i = 0; i < stepsAtOnce && !isDone(); ++i) { // then the other direction has its turn
        if (m_conduit) {
            if (!m_conduit->move())
                return false;
            if (!m_conduit->isDone())
                return true;
            if (m_untilClose)
                continue;
            m_moved += m_conduit->moved();
            m_conduit.reset();
            m_follower.skip(m_opaque);
            continue;
        }
        const Step step = m_own > 0 ? give() : take();
        if (step != Step::Went)
            return step == Step::Waits;
    }
    return true;
}

} // namespace glovebox::network
