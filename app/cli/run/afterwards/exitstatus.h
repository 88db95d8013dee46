// SPDX-License-Identifier: Apache-2.0
// From a run's outcome to the exit status that scripts rely on.
#pragma once

#include "engine/engine.h"

namespace glovebox {

// stoppedBy: the signal that cancelled the run; 0: none.
int exitStatus(const RunResult &result, int stoppedBy);

} // namespace glovebox
