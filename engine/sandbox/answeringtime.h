// SPDX-License-Identifier: Apache-2.0
// Part of the room's public header (sandbox.h). Whoever answers what a run asks uses the processor for it, which is in no limit of the run.
#pragma once

#include <chrono>
#include <functional>

namespace glovebox {

// What answers to one run may use of the processor: a second at once, and a tenth of a core after it. Who wants more stands still
// meanwhile. Used by the one thread that answers.
class AnsweringTime
{
public:
    using Clock = std::chrono::steady_clock;

    // False: answers nobody before againAt().
    bool isLeft(Clock::time_point now) const { return now >= m_againAt; }
    Clock::time_point againAt() const { return m_againAt; }
    // Counts what this thread uses of the processor in it.
    void spend(const std::function<void()> &answer);

private:
    static constexpr std::chrono::nanoseconds atOnce = std::chrono::seconds(1);

    std::chrono::nanoseconds m_left = atOnce;
    Clock::time_point m_filledAt = Clock::now(), m_againAt = m_filledAt;
};

} // namespace glovebox
