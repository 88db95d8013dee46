// SPDX-License-Identifier: Apache-2.0
// The one corridor that every run goes through.
#pragma once

#include "live/liverun.h"
#include "rooms.h"
#include "soundrequest.h"

#include <functional>

namespace glovebox {

// Takes an accepted, authorised run that holds a slot to its end: blocks this thread, and returns when the run is Done and
// its entry closed. Gives the slot back once its program has ended: what follows waits for the kernel to take the sandbox away,
// and for the disk. All signals must be blocked in this thread. request: of the run.
void passThroughCorridor(const Rooms &rooms, LiveRun &run, const SoundRequest &request, std::stop_token stop,
                         const std::function<void()> &freeSlot);

// What is the same for every snippet of a language under this policy.
SandboxShape shapeFor(const LaunchRecipe &recipe, const Policy &policy);

} // namespace glovebox
