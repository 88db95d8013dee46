// SPDX-License-Identifier: Apache-2.0
#include "answeringtime.h"

#include <algorithm>
#include <ctime>

namespace glovebox {

namespace {

using namespace std::chrono_literals;

constexpr int coreForAnswers = 10; // a tenth of it
constexpr auto again = 10ms; // have gathered when a run that had spent all goes on

std::chrono::nanoseconds processorTime()
{
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

} // namespace

void AnsweringTime::spend(const std::function<void()> &answer)
{
    const auto before = processorTime();
    answer();
    const Clock::time_point now = Clock::now();
    m_left = std::min(atOnce, m_left + (now - m_filledAt) / coreForAnswers) - (processorTime() - before);
    m_filledAt = now;
    if (m_left <= 0ns)
        m_againAt = now + (again - m_left) * coreForAnswers;
}

} // namespace glovebox
