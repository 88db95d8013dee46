// SPDX-License-Identifier: Apache-2.0
// What one thread at a time may do, where the others can give up waiting.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>

namespace glovebox {

// Thread-safe. Not std::timed_mutex: those who wait would have to look at their token again and again.
class Turn
{
public:
    struct Leave
    {
        void operator()(Turn *turn) const { turn->leave(); }
    };
    // The turn, as long as it is held; null: the wait was stopped, or in vain.
    using Held = std::unique_ptr<Turn, Leave>;

    Held take(const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        return taken(m_left.wait(lock, stop, [this] { return !m_isTaken; }));
    }
    Held takeUntil(std::chrono::steady_clock::time_point end, const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        return taken(m_left.wait_until(lock, stop, end, [this] { return !m_isTaken; }));
    }

private:
    Held taken(bool isMine)
    {
        m_isTaken = m_isTaken || isMine;
        return Held(isMine ? this : nullptr);
    }
    void leave()
    {
        const std::lock_guard lock(m_mutex);
        m_isTaken = false;
        m_left.notify_one();
    }

    std::mutex m_mutex;
    std::condition_variable_any m_left;
    bool m_isTaken = false;
};

} // namespace glovebox
