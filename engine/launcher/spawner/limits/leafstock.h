// SPDX-License-Identifier: Apache-2.0
// The spawner's leaves besides those of live runs: one that is made ahead, so that no run waits for it, and those that are to
// be removed.
#pragma once

#include "leaf.h"

#include "engine/launcher/packet.h"

namespace glovebox::launcher {

class LeafStock
{
public:
    // Message::Leaves. A leaf is made there and bounded; it then waits for the first run. Returns what failed; then there are
    // no leaves.
    std::string use(Packet &packet);
    // The rest of the trial, for who hasn't forked into it: under v1 it is entered and left. As use().
    std::string tryEntering();

    LeafKind kind() const { return m_home.kind(); }
    // A leaf ready to be forked into, not bounded yet; under v1 this process is in it until forked(). Returns what failed.
    std::string take(LeafKind kind, Leaf &leaf);
    void forked(const Leaf &leaf) const;
    // Makes the next one.
    std::string refill();
    // Nothing runs in it any more.
    void giveBack(Leaf leaf);
    // Removes what can be: the kernel needs a moment to see that a leaf is empty.
    void sweep();
    bool isSweeping() const { return !m_empty.empty(); }
    // Everything, with some patience.
    void clear();

private:
    void giveUp();

    LeafHome m_home;
    Leaf m_spare;
    std::uint64_t m_number = 0;
    std::vector<Leaf> m_empty;
};

} // namespace glovebox::launcher
