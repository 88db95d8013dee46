// SPDX-License-Identifier: Apache-2.0
// Builds the trie, then the fallbacks of its heads in the order of depth. Those of tails are found again when they are needed, by
// reading the last bytes anew: a head's length of them had to be read to come there, so that costs as much again at most. Only those that
// are no shorter than a head are kept: there a text repeats what one begins with.
#include "automaton.h"

#include <bit>
#include <cstring>
#include <functional>
#include <queue>

namespace glovebox::scrub {

namespace {

constexpr int tableFrom = 4; // children

} // namespace

Automaton::Automaton(qsizetype texts, qsizetype bytes)
    : m_heads(std::min<qsizetype>(bytes, texts * headLength) + 1)
    , m_nodes(1)
    , m_tables(1)
    , m_tails(texts * headLength + bytes + beginningLength)
    , m_allTails(1)
    , m_beginnings(std::bit_ceil(std::clamp<std::size_t>(std::size_t(texts) * 64, 1 << 10, 1 << 20)))
{
    m_marks.reserve(std::size_t(m_tails.size()));
}

State Automaton::add(QByteArrayView text, Owner owner, Scope scope, State before)
{
    State state = before;
    const auto size = static_cast<quint32>(text.size());
    quint32 depth = before == 0 ? 0 : size - 1;
    for (; depth < std::min(size, headLength); ++depth) {
        const auto byte = static_cast<unsigned char>(text[depth]);
        State child = state == 0 ? m_tables[0][byte] : nodeBehind(state, byte);
        if (child == 0) {
            child = static_cast<State>(m_nodes.size());
            m_heads.data()[child] = text[depth];
            m_nodes.push_back({.sibling = m_nodes[state].child, .depth = depth + 1});
            m_nodes[state].child = child;
            if (state == 0)
                m_tables[0][byte] = child;
        }
        state = child;
    }
    while (depth < size) {
        const State child = childOf(state, static_cast<unsigned char>(text[depth]));
        if (child == 0)
            break;
        state = child;
        ++depth;
    }
    if (depth < size)
        state = addTail(state, text, depth);
    if (state == 0)
        return 0;
    const auto [known, isNew] = m_texts.emplace(state, Text{owner, scope, text.front()});
    if (!isNew && scope < known->second.scope)
        known->second = {owner, scope, text.front()};
    if (isInTail(state))
        m_marks[indexOf(state)] |= Ends;
    else
        m_nodes[state].match = state;
    m_longest = std::max(m_longest, size);
    if (size < beginningLength)
        m_beginnings.clear();
    if (!m_beginnings.empty())
        m_beginnings[bitOfBeginning(text.data())] = true;
    return state;
}

std::size_t Automaton::bitOfBeginning(const char *bytes) const
{
    quint32 word = 0;
    std::memcpy(&word, bytes, beginningLength);
    return (word * 0x9e3779b1U >> 12) & (m_beginnings.size() - 1);
}

// False: no text begins with what stands there in m_tails.
bool Automaton::mayBegin(quint32 index) const
{
    return m_beginnings.empty() || m_beginnings[bitOfBeginning(m_tails.view().data() + index)];
}

// Returns the state at its end.
State Automaton::addTail(State parent, QByteArrayView text, quint32 from)
{
    const QByteArrayView copied = text.sliced(from - headLength);
    const auto begin = static_cast<quint32>(m_marks.size());
    std::ranges::copy(copied, m_tails.data() + begin);
    m_marks.resize(begin + std::size_t(copied.size()));
    m_marks.back() |= Last;
    quint32 &first = isInTail(parent) ? m_branches[parent] : m_nodes[parent].child;
    const quint32 sibling = std::exchange(first, static_cast<quint32>(m_allTails.size()));
    m_allTails.push_back({begin + headLength, from + 1, parent, sibling});
    if (isInTail(parent))
        m_marks[indexOf(parent)] |= Branches;
    return inTail | static_cast<State>(m_marks.size() - 1);
}

void Automaton::makeTable(State parent)
{
    Table table{};
    for (State child = m_nodes[parent].child; child != 0; child = m_nodes[child].sibling)
        table[static_cast<unsigned char>(m_heads.view()[child])] = child;
    m_nodes[parent].table = static_cast<quint32>(m_tables.size());
    m_tables.push_back(table);
}

void Automaton::finish()
{
    finishHeads();
    finishTails();
}

void Automaton::finishHeads()
{
    std::vector<State> byDepth;
    byDepth.reserve(m_nodes.size());
    byDepth.push_back(0);
    for (std::size_t i = 0; i < byDepth.size(); ++i) {
        const State parent = byDepth[i];
        if (!hasNodes(parent))
            continue;
        int children = 0;
        for (State child = m_nodes[parent].child; child != 0; child = m_nodes[child].sibling) {
            Node &node = m_nodes[child];
            if (parent != 0)
                node.fallback = next(m_nodes[parent].fallback, static_cast<unsigned char>(m_heads.view().at(child)));
            if (node.match == 0)
                node.match = m_nodes[node.fallback].match;
            byDepth.push_back(child);
            ++children;
        }
        if (parent != 0 && children >= tableFrom)
            makeTable(parent);
    }
}

// What follows if texts ended with their heads: the longest end that is no longer than one.
State Automaton::nextOfHeads(State state, char byte) const
{
    if (m_nodes[state].depth == headLength)
        state = m_nodes[state].fallback;
    return next(state, static_cast<unsigned char>(byte));
}

void Automaton::finishTails()
{
    std::vector<quint32> repetitions;
    for (std::size_t number = 1; number < m_allTails.size(); ++number) {
        const Tail &tail = m_allTails[number];
        while (m_tailOfBlock.size() * blockSize < tail.begin)
            m_tailOfBlock.push_back(static_cast<quint32>(number - 1));
        finishTail(tail, repetitions);
    }
    while (m_tailOfBlock.size() * blockSize < m_marks.size())
        m_tailOfBlock.push_back(static_cast<quint32>(m_allTails.size() - 1));
    m_beginnings = {};
    followRepetitions(repetitions);
    settleShorterEnds();
}

// Marks where shorter texts end, and tells where whole heads do. Nearly everywhere four bytes tell that nothing begins.
void Automaton::finishTail(const Tail &tail, std::vector<quint32> &repetitions)
{
    State end = 0;
    bool wasHead = false;
    for (quint32 i = tail.begin - headLength;; ++i) {
        if (end != 0 || mayBegin(i))
            end = nextOfHeads(end, byteAt(i));
        while (end != 0 && m_nodes[end].depth < beginningLength && !mayBegin(i + 1 - m_nodes[end].depth))
            end = m_nodes[end].fallback;
        const bool isHead = !hasNodes(end);
        if (i >= tail.begin) {
            if (m_nodes[end].match != 0)
                m_marks[i] |= ShorterEnds;
            if (isHead && !wasHead)
                repetitions.push_back(i);
            if (m_marks[i] & Last)
                return;
        }
        wasHead = isHead && (i + 1 != tail.begin || isInTail(tail.parent)); // else it is this text's own
    }
}

// From where a whole head is repeated on, as far as that goes. What comes then is found by shorter fallbacks, and so in the order of depth.
void Automaton::followRepetitions(const std::vector<quint32> &begins)
{
    using Place = std::pair<quint32, quint32>; // depth and index
    std::priority_queue<Place, std::vector<Place>, std::greater<>> open;
    for (const quint32 index : begins)
        open.emplace(depth(inTail | index), index);
    while (!open.empty()) {
        auto [bytes, index] = open.top();
        open.pop();
        const Tail &tail = tailOf(index);
        const State parent = index == tail.begin ? tail.parent : inTail | (index - 1);
        State shorter =
            has(inTail | index, FallsFar) ? 0 : next(fallback(parent), static_cast<unsigned char>(byteAt(index)));
        auto repetition = m_farFallbacks.end();
        while (!hasNodes(shorter) && !has(inTail | index, FallsFar)) {
            m_marks[index] |= FallsFar;
            if (repetition != m_farFallbacks.end() && repetition->second.fallback + repetition->second.bytes == shorter)
                ++repetition->second.bytes;
            else
                repetition = m_farFallbacks.emplace(index, Repetition{1, shorter}).first;
            ++bytes;
            if (has(inTail | index, Branches)) {
                for (quint32 other = firstTailBehind(inTail | index); other != 0; other = m_allTails[other].sibling)
                    open.emplace(bytes, m_allTails[other].begin);
            }
            if (has(inTail | index, Last))
                break;
            ++index;
            shorter = childOf(shorter, static_cast<unsigned char>(byteAt(index)));
            if (shorter == 0)
                open.emplace(bytes, index);
        }
    }
}

// A text that ends where another one's repetition does may end in a repetition itself: each state once, what it depends on before it.
void Automaton::settleShorterEnds()
{
    std::vector<std::pair<State, State>> waiting; // and their fallbacks
    for (const auto &[first, repetition] : m_farFallbacks) {
        for (quint32 i = 0; i < repetition.bytes; ++i) {
            State state = inTail | (first + i);
            State shorter = repetition.fallback + i;
            while (!has(state, Settled)) {
                waiting.emplace_back(state, shorter);
                if (!isInTail(shorter) || !has(shorter, FallsFar))
                    break;
                state = std::exchange(shorter, fallback(shorter));
            }
            for (; !waiting.empty(); waiting.pop_back()) {
                const auto &[one, itsFallback] = waiting.back();
                if (endsAny(itsFallback))
                    m_marks[indexOf(one)] |= ShorterEnds;
                m_marks[indexOf(one)] |= Settled;
            }
        }
    }
}

State Automaton::fallbackOfTail(State state) const
{
    const quint32 index = indexOf(state);
    if (has(state, FallsFar)) {
        const auto &[first, repetition] = *std::prev(m_farFallbacks.upper_bound(index));
        return repetition.fallback + (index - first);
    }
    State end = 0;
    for (quint32 i = index - headLength + 1; i <= index; ++i)
        end = next(end, static_cast<unsigned char>(byteAt(i)));
    return end;
}

} // namespace glovebox::scrub
