// SPDX-License-Identifier: Apache-2.0
// Reads every control back from inside, after sealing: nothing counts because a call returned 0.
#pragma once

#include "engine/launcher/protocol.h"

namespace glovebox::launcher {

// What init found out while it sealed itself.
struct SealFacts
{
    std::string limitsProblem; // of applyLimits()
    int nestedError = 0; // of tryNestedUserNamespace()
    int landlockAbi = 0;
    int inheritedFilters = 0; // seccomp filters that were there before (a service manager's)
    bool reports = false; // the filter has a listener, and somebody answers there
};

// System call filters that this process has.
int countFilters();
// In the order in which a person would ask. The namespaces need /proc/self/ns, which an undumpable process still may read.
std::vector<Finding> readBack(const Plan &plan, const SealFacts &facts);

// The part of it that concerns limits: again when a sandbox that waited becomes a run's.
std::vector<Finding> readBackLimits(const Plan &plan, const std::string &limitsProblem);

} // namespace glovebox::launcher
