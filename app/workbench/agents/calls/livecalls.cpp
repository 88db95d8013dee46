// SPDX-License-Identifier: Apache-2.0
#include "livecalls.h"

#include <algorithm>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

LiveCalls::Contents LiveCalls::contents()
{
    const std::lock_guard lock(m_mutex);
    m_isToTell = true;
    return {{m_calls.crbegin(), m_calls.crend()}, m_total};
}

void LiveCalls::onChange(std::function<void()> wake)
{
    const std::lock_guard lock(m_mutex);
    m_wake = std::move(wake);
    m_isToTell = true;
}

quint64 LiveCalls::begun(const mcp::BegunCall &call)
{
    const std::lock_guard lock(m_mutex);
    if (std::size_t(m_calls.size()) >= most) {
        const auto oldest = std::ranges::find_if(m_calls, [](const LiveCall &each) { return each.end.has_value(); });
        m_calls.erase(oldest == m_calls.end() ? m_calls.begin() : oldest);
    }
    m_calls.append({.number = ++m_total,
                    .call = call,
                    .run = call.about["run"_L1].toString(),
                    .beganMicroseconds = Clock::system().nowMicroseconds(),
                    .began = std::chrono::steady_clock::now()});
    tell();
    return m_total;
}

void LiveCalls::concerns(quint64 call, const QString &run)
{
    const std::lock_guard lock(m_mutex);
    LiveCall *const found = find(call);
    if (!found || found->run == run)
        return;
    found->run = run;
    tell();
}

void LiveCalls::ended(quint64 call, const mcp::EndedCall &end)
{
    const std::lock_guard lock(m_mutex);
    LiveCall *const found = find(call);
    if (!found)
        return;
    found->end = end;
    found->took =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - found->began);
    tell();
}

LiveCall *LiveCalls::find(quint64 number)
{
    const auto found = std::ranges::lower_bound(m_calls, number, {}, &LiveCall::number);
    return found != m_calls.end() && found->number == number ? &*found : nullptr;
}

void LiveCalls::tell()
{
    if (m_wake && std::exchange(m_isToTell, false))
        m_wake();
}

} // namespace glovebox
