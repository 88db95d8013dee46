// SPDX-License-Identifier: Apache-2.0
// What the processes of a run use together, summed up from /proc: for machines where no cgroup counts it. Approximate: it
// looks now and then, and of the kernel's own memory only what is named here and in KernelMemory is in it.
#pragma once

#include "kernelmemory.h"

#include <cstdint>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace glovebox::launcher {

// Bytes; 0: no bound.
struct MemoryBounds
{
    std::uint64_t processes = 0; // what processes hold
    std::uint64_t together = 0; // with the files of their tmpfs, and what of the kernel's memory is counted
};

struct TreeUse
{
    std::uint64_t memory = 0; // bytes, together
    std::uint64_t processMemory = 0; // bytes of it that processes hold
    bool exact =
        false; // proportional shares of all but the root: from half of the limit on; below, memory is an upper bound
    std::uint64_t most = 0; // what memory may be at most: more where somebody's share can't be read
    std::uint64_t largest = 0; // bytes that one process has resident
    std::uint64_t tasks = 0; // processes and threads, the root among them
    // Of the living, and of the dead whom somebody waited for; without a value where the root itself can't be read.
    std::optional<std::uint64_t> cpuMicroseconds;
};

// The process and all that descend from it. scratch: its tmpfs, whose files are memory, too; -1: none. kernel: of earlier looks.
TreeUse useOfTree(pid_t root, int scratch, MemoryBounds bounds, KernelMemory &kernel);

// What the files of a tmpfs hold; 0 for -1.
std::uint64_t bytesIn(int scratch);

// Children of a process with one thread; empty when it is gone.
std::vector<pid_t> childrenOf(pid_t parent);

// Whether proportional shares can be read at all.
bool canWatch();

// Whether a /proc shows only the processes that one may trace (proc(5), hidepid).
bool isProcHidden();

} // namespace glovebox::launcher
