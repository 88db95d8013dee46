// SPDX-License-Identifier: Apache-2.0
// Whether this machine gives control groups to who runs a test, found by making some: none of the code that is tested has a say,
// so that a test which is skipped for want of them can't hide that Glovebox fails to make them.
#pragma once

#include <QString>

namespace glovebox::test {

struct ControlGroups
{
    // Each empty, or the machine's reason.
    QString
        missing; // what it said to each attempt; empty: one was made, has a process in it, bounds its memory and processes
    QString shareMissing; // of those that bound the share of the processors
    QString swapMissing; // of those that count swap
};

// Tried once a program, best first as cgroups(7) and systemd.io/CGROUP_DELEGATION have it: in a scope of systemd's, in the
// nearest cgroup of v2 that gives its controllers away, in v1. Everything is removed again.
const ControlGroups &controlGroups();

} // namespace glovebox::test
