// SPDX-License-Identifier: Apache-2.0
// What a run sees of this machine: decided here, built by the builder, read back by init.
#pragma once

#include "engine/launcher/plan.h"
#include "engine/sandbox/sandbox.h"

namespace glovebox::native {

// Fills steps, submounts, rules and canary of the plan. Looks at the host's paths (stat) and notes their identity.
// InvalidInput when a folder can't be shown.
Status planMounts(const SandboxShape &shape, const Assignment &assignment, launcher::Plan &plan);
// Where nobody watches (watchedplaces.h), since a folder is shown at, above or below that place: "/home, /opt". Empty: all are watched.
std::string coveredPlaces(const SandboxShape &shape, const Assignment &assignment);

} // namespace glovebox::native
