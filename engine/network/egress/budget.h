// SPDX-License-Identifier: Apache-2.0
// How much a run may move over the network, all its connections together, and how fast.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>

namespace glovebox::network {

// Thread-safe. 0 means no limit.
class Budget
{
public:
    Budget(std::uint64_t bytes, std::uint64_t perSecond)
        : m_bytes(bytes)
        , m_perSecond(perSecond)
    {
    }

    // Before so many bytes are moved on. Waits its turn; how many of them may be. Fewer: that was all that is left for anybody.
    std::uint64_t spend(std::uint64_t bytes)
    {
        if (m_bytes == 0 && m_perSecond == 0)
            return bytes;
        using namespace std::chrono;
        std::unique_lock lock(m_mutex);
        if (m_bytes != 0 && bytes > m_bytes - m_spent) {
            m_isSpent = true;
            bytes = m_bytes - m_spent;
        }
        m_spent += bytes;
        if (m_perSecond == 0)
            return bytes;
        // What was not used for more than a moment is lost.
        m_next = std::max(m_next, steady_clock::now() - milliseconds(100))
                 + nanoseconds(bytes * 1'000'000'000 / m_perSecond);
        const auto turn = m_next;
        lock.unlock();
        std::this_thread::sleep_until(turn);
        return bytes;
    }

    bool isSpent() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_isSpent;
    }

    // How much to take at once, at least a byte: no more than a moment's, so that connections take turns, nor than is left.
    std::uint64_t piece(std::uint64_t most) const
    {
        if (m_perSecond != 0)
            most = std::min(most, std::max<std::uint64_t>(m_perSecond / 10, 512));
        if (m_bytes == 0)
            return most;
        const std::scoped_lock lock(m_mutex);
        return std::clamp<std::uint64_t>(m_bytes - m_spent, 1, most);
    }

private:
    const std::uint64_t m_bytes;
    const std::uint64_t m_perSecond;
    mutable std::mutex m_mutex;
    std::uint64_t m_spent = 0;
    bool m_isSpent = false;
    std::chrono::steady_clock::time_point m_next;
};

} // namespace glovebox::network
