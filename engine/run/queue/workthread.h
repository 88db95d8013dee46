// SPDX-License-Identifier: Apache-2.0
// One thread that does small jobs in the order in which they were posted.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace glovebox {

// post() is thread-safe. The destructor does what was posted before it, then joins.
class WorkThread
{
public:
    WorkThread();
    ~WorkThread();

    void post(std::function<void()> job);

private:
    void work();

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::function<void()>> m_jobs;
    bool m_ending = false;
    std::jthread m_thread;
};

} // namespace glovebox
