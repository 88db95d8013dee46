// SPDX-License-Identifier: Apache-2.0
// What the processes of a run make the kernel hold that is in no count of theirs, and can't be refused: mappings, file locks, epoll
// watches, pipes. For machines where no cgroup counts it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include <sys/types.h>

namespace glovebox::launcher {

class KernelMemory
{
public:
    // Counts for one of the processes, another one each time, since whoever reads such a list walks it and a run can make it long. A
    // process that hasn't had its turn counts with nothing, those that are gone no more.
    void look(std::vector<pid_t> tree);
    std::uint64_t bytes() const;

private:
    struct Held
    {
        std::uint64_t bytes = 0;
        std::vector<std::uint64_t> pipes; // inodes; several processes may have the same one
    };
    static Held heldBy(pid_t pid);

    std::map<pid_t, Held> m_held;
    pid_t m_last = 0;
    std::chrono::steady_clock::time_point m_next;
};

} // namespace glovebox::launcher
