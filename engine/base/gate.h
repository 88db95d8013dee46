// SPDX-License-Identifier: Apache-2.0
// The door of something that ends while callers on other threads may still be inside: closing it waits for them.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

namespace glovebox {

// Thread-safe.
class Gate
{
public:
    struct Leave
    {
        void operator()(Gate *gate) const { gate->leave(); }
    };
    // Held while inside; null: the gate is closed, and the caller may not go on.
    using Pass = std::unique_ptr<Gate, Leave>;

    Pass enter()
    {
        const std::lock_guard lock(m_mutex);
        if (m_isClosed)
            return nullptr;
        ++m_inside;
        return Pass(this);
    }

    // Nobody enters from here on.
    void shut()
    {
        const std::lock_guard lock(m_mutex);
        m_isClosed = true;
    }

    // Shuts, and returns when everybody has left. Not by who is inside.
    void close()
    {
        std::unique_lock lock(m_mutex);
        m_isClosed = true;
        m_left.wait(lock, [this] { return m_inside == 0; });
    }

private:
    void leave()
    {
        const std::lock_guard lock(m_mutex); // also while notifying: who closes may destroy the gate at once
        --m_inside;
        m_left.notify_all();
    }

    std::mutex m_mutex;
    std::condition_variable m_left;
    int m_inside = 0;
    bool m_isClosed = false;
};

} // namespace glovebox
