// SPDX-License-Identifier: Apache-2.0
// From what was observed at the end of a run to its outcome and the sentence that says why.
#pragma once

#include "live/pump.h"

namespace glovebox {

struct Ending
{
    Outcome outcome = Outcome::Interrupted;
    Text reason;

    bool operator==(const Ending &) const = default;
};

// Pure. cancelReason is the sentence for a cancelled run.
Ending endingOf(const PumpEnd &end, const Limits &limits, const Text &cancelReason);

} // namespace glovebox
