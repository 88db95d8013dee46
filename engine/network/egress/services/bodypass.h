// SPDX-License-Identifier: Apache-2.0
// Moves one HTTP message's body from one side to the other as it comes, so that both sides may speak at once.
#pragma once

#include "engine/network/egress/relay.h"
#include "engine/network/protocols/http/httpbody.h"

#include <optional>

namespace glovebox::network {

class BodyPass
{
public:
    // first: so many pending bytes of the source go before the body; its head.
    BodyPass(Stream &from, Stream &to, Budget &budget, const HttpBody &body, std::size_t first = 0);

    // Moves what can be moved now. False: it can't go on.
    bool move();
    bool isDone() const;
    bool wantsSource() const;
    bool wantsTarget() const;
    std::uint64_t moved() const { return m_moved + (m_conduit ? m_conduit->moved() : 0); }
    std::string_view fault() const { return m_follower.fault(); } // why it can't be followed; of static storage
    bool isOverBudget() const { return m_overBudget || (m_conduit && m_conduit->isOverBudget()); }

private:
    enum class Step { Went, Waits, Failed };
    Step take();
    Step give();
    bool pay();

    Stream &m_from;
    Stream &m_to;
    Budget &m_budget;
    const bool m_untilClose;
    HttpBodyFollower m_follower;
    std::optional<Conduit> m_conduit; // for what need not be looked at
    std::uint64_t m_opaque = 0; // that it moves
    std::size_t m_own; // pending bytes that belong to it
    std::size_t m_paid = 0; // of them
    std::uint64_t m_moved = 0;
    bool m_overBudget = false;
};

} // namespace glovebox::network
