// SPDX-License-Identifier: Apache-2.0
// Moves bytes between a started sandbox and its live run until its program has ended, and ends it when it must.
#pragma once

#include "liverun.h"
#include "runnetwork.h"

#include "engine/network/network.h"
#include "engine/sandbox/sandbox.h"

#include <functional>

namespace glovebox {

// What ended a run first. Later findings never overwrite it.
enum class EndedBy { Itself, Deadline, Cancel };

struct PumpEnd
{
    SandboxEnd sandbox;
    EndedBy by = EndedBy::Itself;

    bool operator==(const PumpEnd &) const = default;
};

// Blocks, from just after start() until every process inside is gone and its output is read to the end. Kills at the wall
// time, and on cancel (Ctrl+C first, kill after a second or at the second cancel). SIGPIPE must be blocked in this thread.
// network: as it was opened; null: nobody serves it. onProgramEnd: called once when the backend tells that the run's own program
// has ended, which it needn't.
PumpEnd pump(SealedProcess &process, LiveRun &run, std::chrono::milliseconds wall, RunNetwork *network = nullptr,
             std::function<void()> onProgramEnd = {});

} // namespace glovebox
