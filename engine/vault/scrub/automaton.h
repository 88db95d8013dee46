// SPDX-License-Identifier: Apache-2.0
// Looks for many texts at once in one pass (Aho and Corasick, 1975).
#pragma once

#include "engine/vault/secretvalue.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace glovebox::scrub {

using State = quint32; // 0: nothing has begun
using Owner = quint32;

// Where a text counts.
enum class Scope {
    Everywhere,
    Escapes, // it has anyCharacter in it
    Lists, // the beginning that a list of numbers is cut off after
};

// A trie. Values are long and have little in common but their first bytes, so only those are nodes: in lists, and the few nodes with many
// children have a table. Behind a head a text is a tail, of which each byte is a state; with a table each it would take gigabytes.
class Automaton
{
public:
    // So many texts, and bytes of all of them, at most.
    Automaton(qsizetype texts, qsizetype bytes);

    // All texts before finish(). Of equal texts the first one of the widest scope is told. Returns where the text ends. before: where
    // the same without its last byte does, so that long texts with many ends needn't be gone through for each.
    State add(QByteArrayView text, Owner owner, Scope scope = Scope::Everywhere, State before = 0);
    void finish();

    State next(State state, unsigned char byte) const
    {
        for (;;) {
            if (state == 0)
                return m_tables[0][byte];
            if (const State child = childOf(state, byte))
                return child;
            state = fallback(state);
        }
    }
    // How many of the latest bytes may be the beginning of a text.
    quint32 depth(State state) const
    {
        if (!isInTail(state))
            return m_nodes[state].depth;
        const Tail &tail = tailOf(indexOf(state));
        return tail.depth + (indexOf(state) - tail.begin);
    }
    // The longest text that ends here; 0: none does.
    State match(State state) const
    {
        while (isInTail(state)) {
            if (has(state, Ends))
                return state;
            if (!has(state, ShorterEnds))
                return 0;
            state = fallback(state);
        }
        return m_nodes[state].match;
    }
    // The next shorter text that ends where this one ends.
    State shorterMatch(State match) const { return this->match(fallback(match)); }
    Owner owner(State match) const { return m_texts.at(match).owner; }
    Scope scope(State match) const { return m_texts.at(match).scope; }
    char firstByte(State match) const { return m_texts.at(match).first; }
    // The longest proper end of what is in this state that is a beginning, too.
    State shorterBeginning(State state) const { return fallback(state); }
    // The lowest owner of the texts that go on after this state, have no more bytes than that, and count.
    template<typename Counts> std::optional<Owner> ownerOfLonger(State state, quint32 longestText, Counts counts) const
    {
        std::optional<Owner> lowest;
        std::vector<std::pair<State, quint32>> open{{state, depth(state)}};
        while (!open.empty()) {
            const auto [parent, bytes] = open.back();
            open.pop_back();
            if (bytes >= longestText)
                continue;
            forEachChild(parent, [&](State child) {
                open.emplace_back(child, bytes + 1);
                if (endsText(child) && counts(child))
                    lowest = std::min(lowest.value_or(owner(child)), owner(child));
            });
        }
        return lowest;
    }
    quint32 longest() const { return m_longest; }

private:
    // What the text is can't be told from these.
    struct Node
    {
        State child = 0; // of the last one of a head: its first tail
        State sibling = 0;
        State fallback = 0; // the longest proper end of this beginning that is a beginning itself
        State match = 0;
        quint32 depth = 0;
        quint32 table = 0; // of its children; 0: none
    };
    struct Text
    {
        Owner owner;
        Scope scope;
        char first;
    };
    using Table = std::array<State, 256>;
    // The rest of a text from the first byte on that no other text has after the same beginning.
    struct Tail
    {
        quint32 begin = 0; // in m_tails; so many bytes as a head has stand before that, those before it in the text
        quint32 depth = 0; // of its first byte
        State parent = 0;
        quint32 sibling = 0; // another tail behind the same parent; 0: none
    };
    enum Mark : unsigned char { // of a byte in a tail
        Ends = 1, // a text
        ShorterEnds = 2, // a text that begins later
        Last = 4, // of its tail
        Branches = 8, // another tail begins behind it
        FallsFar = 16, // its fallback is no shorter than a head: m_farFallbacks has it
        Settled = 32, // while that is so: ShorterEnds is known
    };
    // Where a text repeats what another one, or itself, begins with: the fallbacks of so many bytes in a row are so many states in a row.
    struct Repetition
    {
        quint32 bytes;
        State fallback; // of the first
    };

    static constexpr quint32 headLength = 16; // bytes
    static constexpr quint32 beginningLength = 4;
    static constexpr State inTail = 1U << 31; // the other bits are an index into m_tails
    static constexpr quint32 blockSize = 64;

    static bool isInTail(State state) { return state & inTail; }
    static quint32 indexOf(State state) { return state & ~inTail; }
    bool has(State state, Mark mark) const { return m_marks[indexOf(state)] & mark; }
    bool endsText(State state) const { return isInTail(state) ? has(state, Ends) : m_nodes[state].match == state; }
    char byteAt(quint32 index) const { return m_tails.view().data()[index]; }
    const Tail &tailOf(quint32 index) const
    {
        quint32 tail = m_tailOfBlock[index / blockSize];
        while (tail + 1 < m_allTails.size() && m_allTails[tail + 1].begin <= index)
            ++tail;
        return m_allTails[tail];
    }
    quint32 firstTailBehind(State state) const
    {
        if (!isInTail(state))
            return m_nodes[state].child;
        return has(state, Branches) ? m_branches.at(state) : 0;
    }
    bool hasNodes(State state) const { return !isInTail(state) && m_nodes[state].depth < headLength; } // for children

    State childOf(State state, unsigned char byte) const
    {
        if (hasNodes(state))
            return nodeBehind(state, byte);
        if (isInTail(state) && !has(state, Last) && static_cast<unsigned char>(byteAt(indexOf(state) + 1)) == byte)
            return state + 1;
        quint32 tail = firstTailBehind(state);
        while (tail != 0 && static_cast<unsigned char>(byteAt(m_allTails[tail].begin)) != byte)
            tail = m_allTails[tail].sibling;
        return tail != 0 ? inTail | m_allTails[tail].begin : 0;
    }
    State nodeBehind(State state, unsigned char byte) const
    {
        if (const quint32 table = m_nodes[state].table)
            return m_tables[table][byte];
        State child = m_nodes[state].child;
        while (child != 0 && static_cast<unsigned char>(m_heads.view().data()[child]) != byte)
            child = m_nodes[child].sibling;
        return child;
    }
    template<typename Each> void forEachChild(State state, Each each) const
    {
        if (hasNodes(state)) {
            for (State child = m_nodes[state].child; child != 0; child = m_nodes[child].sibling)
                each(child);
            return;
        }
        if (isInTail(state) && !has(state, Last))
            each(state + 1);
        for (quint32 tail = firstTailBehind(state); tail != 0; tail = m_allTails[tail].sibling)
            each(inTail | m_allTails[tail].begin);
    }
    State fallback(State state) const { return isInTail(state) ? fallbackOfTail(state) : m_nodes[state].fallback; }
    State fallbackOfTail(State state) const;
    State nextOfHeads(State state, char byte) const;

    State addTail(State parent, QByteArrayView text, quint32 from);
    void makeTable(State parent);
    void finishHeads();
    std::size_t bitOfBeginning(const char *bytes) const;
    bool mayBegin(quint32 index) const;
    void finishTails();
    void finishTail(const Tail &tail, std::vector<quint32> &repetitions);
    void followRepetitions(const std::vector<quint32> &begins);
    void settleShorterEnds();
    bool endsAny(State state) const
    {
        return isInTail(state) ? has(state, Ends) || has(state, ShorterEnds) : m_nodes[state].match != 0;
    }

    SecretValue m_heads; // by node: the byte that leads to it
    std::vector<Node> m_nodes;
    std::vector<Table> m_tables; // the first one is the root's
    SecretValue m_tails;
    std::vector<unsigned char> m_marks; // by byte of m_tails
    std::vector<Tail> m_allTails; // by where they begin; the first one is none
    std::vector<quint32> m_tailOfBlock; // the last one that begins before so many bytes of m_tails
    std::unordered_map<State, quint32> m_branches; // the first tail behind a state in another one
    std::map<quint32, Repetition> m_farFallbacks; // by index of the first
    std::unordered_map<State, Text> m_texts;
    quint32 m_longest = 0;
    std::vector<bool> m_beginnings; // until finish(): of all texts, by hash; empty: there are shorter ones
};

} // namespace glovebox::scrub
