// SPDX-License-Identifier: Apache-2.0
// The process that becomes PID 1 of a run. Its namespaces are what takes the kernel longest, so one process is made ahead: a
// blank, in namespaces and a leaf of its own, that waits for its plan. Nothing of any run is inside, and it serves once.
#pragma once

#include "builder.h"
#include "limits/leafstock.h"

namespace glovebox::launcher {

// A child in these namespaces, as PID 1 there if they say so, and in the leaf. As fork(2) otherwise.
pid_t cloneInto(unsigned long long namespaces, const Leaf &leaf, UniqueFd &process);

class Blank
{
public:
    explicit operator bool() const { return m_pid > 0; }
    pid_t pid() const { return m_pid; }
    LeafKind leafKind() const { return m_leaf.kind(); }

    // initProgram: see buildWhenTold(). uid and gid are the spawner's.
    SetupError make(LeafKind kind, LeafStock &leaves, int initProgram, unsigned uid, unsigned gid);
    // Bounds its leaf, and gives it plan and descriptors (protocol.h, LaunchDescriptor).
    SetupError begin(const LeafLimits &limits, const std::vector<UniqueFd> &descriptors);
    UniqueFd takeProcess() { return std::move(m_process); }
    Leaf takeLeaf() { return m_leaf.take(); }
    // Nobody has a use for it.
    void discard(LeafStock &leaves);

private:
    pid_t m_pid = -1;
    UniqueFd m_process;
    UniqueFd m_orders;
    Leaf m_leaf;
};

} // namespace glovebox::launcher
