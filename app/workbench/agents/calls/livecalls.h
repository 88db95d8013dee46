// SPDX-License-Identifier: Apache-2.0
// The latest calls of tools that agents made to this window: in memory only, from the time that the window opened.
#pragma once

#include "engine/mcp/mcp.h"

#include <chrono>
#include <functional>
#include <mutex>

namespace glovebox {

struct LiveCall
{
    quint64 number = 0; // counts up
    mcp::BegunCall call;
    QString run; // id of the one that it is about; empty: none, or not known yet
    qint64 beganMicroseconds = 0; // since 1970
    std::chrono::steady_clock::time_point began;
    std::chrono::microseconds took{0}; // once it has ended
    std::optional<mcp::EndedCall> end; // nothing: it is going on

    bool operator==(const LiveCall &) const = default;
};

// Thread-safe: the server's threads tell, the window reads.
class LiveCalls final : public mcp::CallWatcher
{
public:
    static constexpr std::size_t most = 50; // of more, those that ended first are dropped first

    struct Contents
    {
        QList<LiveCall> calls; // newest first
        quint64 total = 0; // that were made, dropped ones too

        bool operator==(const Contents &) const = default;
    };
    Contents contents();
    // wake is called, from any thread, when something changed; at most once until the next contents(). It must not block or call
    // back. When this returned, an earlier wake is not called any more, so an empty one ends it.
    void onChange(std::function<void()> wake);

    quint64 begun(const mcp::BegunCall &call) override;
    void concerns(quint64 call, const QString &run) override;
    void ended(quint64 call, const mcp::EndedCall &end) override;

private:
    LiveCall *find(quint64 number); // m_mutex is held
    void tell(); // m_mutex is held

    std::mutex m_mutex;
    QList<LiveCall> m_calls; // oldest first
    quint64 m_total = 0;
    std::function<void()> m_wake;
    bool m_isToTell = true;
};

} // namespace glovebox
