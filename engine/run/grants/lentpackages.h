// SPDX-License-Identifier: Apache-2.0
// Packages that one run is lent: its own, else its session's.
#pragma once

#include "engine/run/rooms.h"
#include "engine/run/soundrequest.h"

namespace glovebox {

// Those that the session has for the run's language; null: none, or the run names its own. session: null where the run is in none.
const SessionPackages *sessionPackages(const SoundRequest &request, const Session *session);
// The interpreter's program from now on is that of the packages, which leads to the interpreter. Nothing: the run is lent none.
Result<std::optional<LentPackages>> lendPackages(const SoundRequest &request, const Session *session,
                                                 const Rooms &rooms, InterpreterCandidate &interpreter);

} // namespace glovebox
