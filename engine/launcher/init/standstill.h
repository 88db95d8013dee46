// SPDX-License-Identifier: Apache-2.0
// What the PID 1 of a run sees of everything that the run started: how much it is, and whether it stands still. No Qt.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace glovebox::launcher {

// Of every process of this namespace but PID 1.
struct Look
{
    bool isStopped = true; // each thread
    bool mayRun = false; // a thread that isn't stopped, nor waits where no signal reaches it (proc(5): D)
    // Differs between two looks where a process used the processor between them, came or went: the states alone can be read of one
    // thread after the other while they continue each other.
    std::uint64_t mark = 0;
};

// Processes and threads of this namespace, PID 1 among them, and those that ended and nobody waited for: as RLIMIT_NPROC counts them.
std::uint64_t countTasks();

// Nothing: it can't be known, as where a process ended under the look.
std::optional<Look> lookAtAll();

// Stops every process of this namespace, and waits until all of them stand still: what they used until then. reap: waits for those that
// ended. Nothing: something runs on, and is to be ended. Takes three seconds at most; what is inside runs for one of them at most.
std::optional<Look> stopAll(const std::function<void()> &reap);

} // namespace glovebox::launcher
