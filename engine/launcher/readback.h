// SPDX-License-Identifier: Apache-2.0
// Reads every control back from inside, after sealing: nothing counts because a call returned 0.
#pragma once

#include "protocol.h"

namespace glovebox::launcher {

// In the order in which a person would ask. The namespaces need /proc/self/ns, which an undumpable process still may read.
// reports: the filter has a listener, and somebody answers there.
std::vector<Finding> readBack(const Plan &plan, int landlockAbi, const std::string &limitsProblem, bool reports);

} // namespace glovebox::launcher
