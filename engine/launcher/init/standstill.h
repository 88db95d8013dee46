// SPDX-License-Identifier: Apache-2.0
// Whether everything that a run started stands still, as its PID 1 sees it. No Qt.
#pragma once

#include <cstdint>
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

// Nothing: it can't be known, as where a process ended under the look.
std::optional<Look> lookAtAll();

} // namespace glovebox::launcher
