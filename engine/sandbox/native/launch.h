// SPDX-License-Identifier: Apache-2.0
// One launch: what goes into a run is sent to glovebox-spawner, and both reports about it are awaited.
#pragma once

#include "sealedrun.h"
#include "spawnerlink.h"

#include <stop_token>

namespace glovebox::native {

// Sealed, verified, and nobody's yet; `plan` is an encoded launcher::Plan. Blocks until verified, at most 20 s. Errors:
// Cancelled, TimedOut, Unsupported and Unavailable; nothing of the run is left after any of them.
Result<std::unique_ptr<SealedRun>> launchSealed(std::shared_ptr<SpawnerLink> spawner, const std::string &plan,
                                                bool hasChannel, std::stop_token stop);

} // namespace glovebox::native
