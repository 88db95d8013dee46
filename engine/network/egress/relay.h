// SPDX-License-Identifier: Apache-2.0
// Moves bytes both ways between a run and a server until both are done.
#pragma once

#include "engine/launcher/egress/splicepipe.h"
#include "engine/network/egress/gate.h"
#include "engine/network/protocols/opening.h"

#include <limits>

namespace glovebox::network {

constexpr std::chrono::minutes idleLimit{5};
constexpr std::chrono::seconds headPatience{30}; // for a head, a hello, a greeting

constexpr std::uint64_t noEnd = std::numeric_limits<std::uint64_t>::max();

// One way, to the end of the connection, which is handed on, or exactly so many bytes of which none is pending yet. Through a pipe
// once there is much of it, so that nothing is copied.
class Conduit
{
public:
    Conduit(Stream &from, Stream &to, Budget &budget, std::uint64_t count = noEnd)
        : m_from(from)
        , m_to(to)
        , m_budget(budget)
        , m_left(count)
    {
    }

    // Looks at what passes from that side until it has seen enough; it must live as long.
    void watch(Opening *opening, Opening::Side side)
    {
        m_opening = opening;
        m_side = side;
    }

    short wantedOfSource() const;
    short wantedOfTarget() const;
    // Moves what can be moved now. False: it can't go on.
    bool move();
    // Nothing moves for a while: lets go of the pipe, until there is much again.
    void rest();
    bool isDone() const { return m_done; }
    std::uint64_t moved() const { return m_moved; }
    bool isOverBudget() const { return m_overBudget; }

private:
    bool fill();
    bool look();
    bool drain();
    bool isWatched() const { return m_opening && !m_opening->isOver(m_side); }
    std::size_t pay(std::size_t bytes);
    bool isEmpty() const { return m_from.pending.size() == m_sent && m_inPipe == 0; }
    void fitPipe();

    Stream &m_from;
    Stream &m_to;
    Budget &m_budget;
    launcher::SplicePipe m_pipe;
    std::uint64_t m_streak = 0; // bytes taken since it last rested
    bool m_pipeTried = false;
    bool m_growthTried = false;
    std::size_t m_inPipe = 0;
    std::size_t m_sent = 0; // of m_from.pending
    std::size_t m_paid = 0; // of it
    std::size_t m_looked = 0; // at it
    Opening *m_opening = nullptr;
    Opening::Side m_side = Opening::Side::Run;
    std::uint64_t m_left; // to be taken from the source
    std::uint64_t m_moved = 0;
    bool m_atEnd = false;
    bool m_done = false;
    bool m_overBudget = false;
};

// What is pending of either goes first. entry: counts the bytes. opening: unless all was checked in another way; Malformed when it
// finds something.
Reason relay(Stream &run, Stream &server, Gate &gate, Reporter::Entry &entry, Opening *opening = nullptr);

} // namespace glovebox::network
