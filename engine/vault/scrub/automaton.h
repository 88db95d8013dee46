// SPDX-License-Identifier: Apache-2.0
// Looks for many texts at once in one pass (Aho and Corasick, 1975).
#pragma once

#include "engine/vault/secretvalue.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
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

// A trie in lists: a table of 256 entries for each byte would take gigabytes for long texts. Only the few nodes with many children,
// which are near the root, have one.
class Automaton
{
public:
    // capacity: bytes of all texts together.
    explicit Automaton(qsizetype capacity);

    // All texts before finish(). Of equal texts the first one of the widest scope is told.
    void add(QByteArrayView text, Owner owner, Scope scope = Scope::Everywhere);
    void finish();

    State next(State state, unsigned char byte) const
    {
        for (;;) {
            if (state == 0)
                return m_tables[0][byte];
            if (const State child = childOf(state, byte))
                return child;
            state = m_nodes[state].fallback;
        }
    }
    // How many of the latest bytes may be the beginning of a text.
    quint32 depth(State state) const { return m_nodes[state].depth; }
    // The longest text that ends here; 0: none does.
    State match(State state) const { return m_nodes[state].match; }
    // The next shorter text that ends where this one ends.
    State shorterMatch(State match) const { return m_nodes[m_nodes[match].fallback].match; }
    Owner owner(State match) const { return m_texts.at(match).owner; }
    Scope scope(State match) const { return m_texts.at(match).scope; }
    char firstByte(State match) const { return m_texts.at(match).first; }
    // The longest proper end of what is in this state that is a beginning, too.
    State shorterBeginning(State state) const { return m_nodes[state].fallback; }
    // The lowest owner of the texts that go on after this state, have no more bytes than that, and count.
    template<typename Counts> std::optional<Owner> ownerOfLonger(State state, quint32 longestText, Counts counts) const
    {
        std::optional<Owner> lowest;
        std::vector<State> open{state};
        while (!open.empty()) {
            const Node &node = m_nodes[open.back()];
            open.pop_back();
            for (State child = node.child; child != 0 && node.depth < longestText; child = m_nodes[child].sibling) {
                open.push_back(child);
                if (m_nodes[child].match == child && counts(child))
                    lowest = std::min(lowest.value_or(owner(child)), owner(child));
            }
        }
        return lowest;
    }
    quint32 longest() const { return m_longest; }

private:
    // What the text is can't be told from these.
    struct Node
    {
        State child = 0;
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

    State childOf(State state, unsigned char byte) const
    {
        if (const quint32 table = m_nodes[state].table)
            return m_tables[table][byte];
        State child = m_nodes[state].child;
        while (child != 0 && static_cast<unsigned char>(m_text.view()[child]) != byte)
            child = m_nodes[child].sibling;
        return child;
    }

    void makeTable(State parent);

    SecretValue m_text; // by node: the byte that leads to it
    std::vector<Node> m_nodes;
    std::vector<Table> m_tables; // the first one is the root's
    std::unordered_map<State, Text> m_texts;
    quint32 m_longest = 0;
};

} // namespace glovebox::scrub
