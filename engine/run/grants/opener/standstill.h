// SPDX-License-Identifier: Apache-2.0
// While a run moves, what it holds can't be counted: a file that is renamed in the middle of a walk is seen twice or never.
#pragma once

#include <chrono>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace glovebox::opener {

// As long as it lives, the processes below a run's first one stand still, for at most 2 s: whoever looks at a file system that doesn't
// answer may never come back. Those that stood still before are left so afterwards.
class Standstill
{
public:
    explicit Standstill(pid_t init);
    ~Standstill();
    Standstill(const Standstill &) = delete;
    Standstill &operator=(const Standstill &) = delete;

private:
    struct Process
    {
        pid_t id;
        bool isOurs; // to start again
    };
    bool stopNew(pid_t init, std::chrono::steady_clock::time_point end);
    void release();

    std::vector<Process> m_processes; // parents first; the timer's until it has ended
    std::jthread m_timer;
};

} // namespace glovebox::opener
