// SPDX-License-Identifier: Apache-2.0
// A run of a client's that any number of calls may wait for.
#pragma once

#include "engine/run/run.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace glovebox::mcp {

// Thread-safe. A run has one wake (Run::onChange): here it wakes every call that waits.
class FollowedRun
{
public:
    // request: what the run was started with.
    FollowedRun(std::shared_ptr<Run> run, RunRequest request);
    ~FollowedRun();
    FollowedRun(const FollowedRun &) = delete;
    FollowedRun &operator=(const FollowedRun &) = delete;

    Run &run() const { return *m_run; }
    const RunRequest &request() const { return m_request; }

    // Counts up with every change. Read it before the run is looked at, then wait for the next one.
    quint64 changes() const;
    // Returns when there were more changes than seen, at the latest at this moment, or when the call is to stop.
    void waitForChange(quint64 seen, std::chrono::steady_clock::time_point until, const std::stop_token &stop) const;
    // Blocks until the run is done: true; or until this moment, or until the call is to stop.
    bool waitUntilDone(std::chrono::steady_clock::time_point until, const std::stop_token &stop) const;

    // About how much memory a run that is done keeps: its request, and twice its output.
    qint64 keptBytes() const;

private:
    const std::shared_ptr<Run> m_run;
    const RunRequest m_request;
    mutable std::mutex m_mutex;
    mutable std::condition_variable_any m_changed;
    quint64 m_changes = 0;
};

} // namespace glovebox::mcp
