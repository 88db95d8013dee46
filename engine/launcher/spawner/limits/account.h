// SPDX-License-Identifier: Apache-2.0
// What one run uses up, all of its processes together: counted by its leaf, or where there is none, seen by a watchdog. Says
// when it is too much.
#pragma once

#include "leaf.h"
#include "watchdog.h"

#include <chrono>
#include <optional>

struct rusage;

namespace glovebox::launcher {

class Account
{
public:
    using Time = std::chrono::steady_clock::time_point;
    struct Total
    {
        Spent spent;
        bool ranOutOfMemory = false; // the kernel killed somebody for it
    };

    Account() = default;
    // cpu in microseconds; tasks: processes and threads at once, PID 1 among them. 0: no limit.
    Account(Leaf leaf, MemoryBounds memory, std::uint64_t cpu, std::uint64_t tasks);

    // What init can't see: who counts it from outside. pid is in the leaf.
    std::vector<Finding> readBack(pid_t pid, const LeafLimits &limits) const;
    // From here on everything is the person's. init: PID 1 of the run. scratch: its tmpfs.
    void start(pid_t init, UniqueFd scratch);
    // When to look again.
    std::optional<Time> nextLook() const { return m_nextLook; }
    // Looks if it is time. Cause::Itself: all is well.
    Cause look(pid_t init, Time now);

    // Readable as soon as the leaf is out of memory; -1 where that is not said.
    int outOfMemory() const { return m_outOfMemory.get(); }
    // True once.
    bool takeOutOfMemory();

    // Of a run that is gone; waitStatus, used: of its PID 1, as its parent was told.
    Total close(int waitStatus, const rusage &used) const;
    Leaf takeLeaf() { return m_leaf.take(); }

private:
    std::optional<std::uint64_t> sinceStart(std::optional<std::uint64_t> cpu) const;
    Cause lookAtLeaf() const;
    Cause judge(const TreeUse &use) const;
    std::chrono::nanoseconds untilFull(const TreeUse &use, std::chrono::nanoseconds took) const;
    void remember(const TreeUse &use);

    Leaf m_leaf;
    MemoryBounds m_memory;
    std::uint64_t m_cpu = 0;
    std::uint64_t m_tasks = 0;
    std::optional<std::uint64_t> m_cpuBefore; // used by the set-up
    TreeUse m_highest; // of all looks, the one that may have seen the most
    std::uint64_t m_largest = 0; // bytes that one process was seen to have resident
    bool m_hadAllTasks = false;
    std::optional<std::uint64_t> m_watchedCpu; // the set-up included
    KernelMemory m_kernel;
    UniqueFd m_outOfMemory;
    UniqueFd m_scratch;
    std::optional<Time> m_nextLook;
};

} // namespace glovebox::launcher
