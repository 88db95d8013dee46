// SPDX-License-Identifier: Apache-2.0
#include "channel.h"

#include "scrub.h"

#include <bit>
#include <limits>

namespace glovebox::scrub {

namespace {

constexpr quint32 mostBitsShown = 8 * Scrubber::mostShownOfCut;

quint32 bitsOfToken(Reading reading)
{
    return reading == Reading::Hex ? 4 : reading == Reading::Base64 ? 6 : 8;
}

// Texts up to this length are those of which so many tokens are too much to show: of short ones that is more than half.
quint32 longestBetrayed(Reading reading, quint32 tokens)
{
    return tokens * bitsOfToken(reading) > mostBitsShown ? std::numeric_limits<quint32>::max() : 2 * tokens - 1;
}

} // namespace

Channel::Channel(Reading reading, const Automaton &automaton, const Starts &starts, bool isAsleep)
    : m_reading(reading)
    , m_automaton(&automaton)
    , m_starts(&starts)
    , m_begins(isAsleep ? 0 : std::bit_ceil(std::size_t(automaton.longest()) + 1))
{
}

void Channel::follow(const Channel &other)
{
    m_begins.resize(other.m_begins.size());
    m_state = other.m_state;
    m_tokens = other.m_tokens;
    for (quint32 back = 1; back <= m_automaton->depth(m_state); ++back) {
        const std::size_t at = (m_tokens - back) & (m_begins.size() - 1);
        m_begins[at] = other.m_begins[at];
    }
    m_readTo = other.m_readTo;
    m_count = 0;
}

// Of a byte that isn't alone, where nothing has begun.
bool Channel::mayBegin(char byte) const
{
    switch (m_reading) {
    case Reading::Base64: // with what follows, that may be a line break
    case Reading::Quoted: // no form begins with a quote
        return byte == '\\';
    case Reading::Hex:
    case Reading::Words:
        return false;
    case Reading::HexPairs:
    case Reading::Decimal:
        return digitValue(byte) >= 0;
    default:
        return true;
    }
}

bool Channel::counts(State match) const
{
    const bool isList = isOfNumbers();
    const bool hasEscapes = m_reading == Reading::Escapes || m_reading == Reading::Quoted;
    const bool isInPieces = m_reading == Reading::Quoted || m_reading == Reading::Words;
    if ((isList || isInPieces) && m_automaton->depth(match) < ScrubPlan::shortestEncoded)
        return false;
    if (isInPieces && isJoint(m_automaton->firstByte(match)))
        return false;
    switch (m_automaton->scope(match)) {
    case Scope::Lists:
        return isList;
    case Scope::Escapes:
        return hasEscapes;
    case Scope::Everywhere:
        break;
    }
    return true;
}

std::optional<Find> Channel::cutOff(qint64 end) const
{
    for (State state = m_state; state != 0; state = m_automaton->shorterBeginning(state)) {
        const quint32 depth = m_automaton->depth(state);
        const auto owner = m_automaton->ownerOfLonger(state, longestBetrayed(m_reading, depth),
                                                      [this](State text) { return counts(text); });
        if (owner)
            return Find{beginOf(depth), end, depth, *owner, true};
    }
    return std::nullopt;
}

} // namespace glovebox::scrub
