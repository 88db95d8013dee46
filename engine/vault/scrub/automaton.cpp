// SPDX-License-Identifier: Apache-2.0
// Builds the trie, then its fallbacks in the order of depth.
#include "automaton.h"

#include <algorithm>

namespace glovebox::scrub {

namespace {

constexpr int tableFrom = 4; // children

} // namespace

Automaton::Automaton(qsizetype capacity)
    : m_text(capacity + 1)
    , m_nodes(1)
    , m_tables(1)
{
}

void Automaton::add(QByteArrayView text, Owner owner, Scope scope)
{
    State state = 0;
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        State child = state == 0 ? m_tables[0][byte] : childOf(state, byte);
        if (child == 0) {
            child = static_cast<State>(m_nodes.size());
            m_text.data()[child] = character;
            m_nodes.push_back({.sibling = m_nodes[state].child, .depth = m_nodes[state].depth + 1});
            m_nodes[state].child = child;
            if (state == 0)
                m_tables[0][byte] = child;
        }
        state = child;
    }
    if (state == 0)
        return;
    const auto [known, isNew] = m_texts.emplace(state, Text{owner, scope, text.front()});
    if (!isNew && scope < known->second.scope)
        known->second = {owner, scope, text.front()};
    m_nodes[state].match = state;
    m_longest = std::max(m_longest, m_nodes[state].depth);
}

void Automaton::makeTable(State parent)
{
    Table table{};
    for (State child = m_nodes[parent].child; child != 0; child = m_nodes[child].sibling)
        table[static_cast<unsigned char>(m_text.view()[child])] = child;
    m_nodes[parent].table = static_cast<quint32>(m_tables.size());
    m_tables.push_back(table);
}

void Automaton::finish()
{
    std::vector<State> byDepth;
    byDepth.reserve(m_nodes.size());
    byDepth.push_back(0);
    for (std::size_t i = 0; i < byDepth.size(); ++i) {
        const State parent = byDepth[i];
        int children = 0;
        for (State child = m_nodes[parent].child; child != 0; child = m_nodes[child].sibling) {
            Node &node = m_nodes[child];
            if (parent != 0)
                node.fallback = next(m_nodes[parent].fallback, static_cast<unsigned char>(m_text.view().at(child)));
            if (node.match == 0)
                node.match = m_nodes[node.fallback].match;
            byDepth.push_back(child);
            ++children;
        }
        if (parent != 0 && children >= tableFrom)
            makeTable(parent);
    }
}

} // namespace glovebox::scrub
