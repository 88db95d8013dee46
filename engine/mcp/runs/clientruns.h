// SPDX-License-Identifier: Apache-2.0
// The runs of one client: nobody else can wait for them, cancel them or read what they printed.
#pragma once

#include "followedrun.h"

#include "engine/engine.h"

#include <deque>

namespace glovebox::mcp {

struct ClientBounds
{
    int live = 32; // runs that aren't done
    int results = 64; // runs that are done and whose output is still in memory
    qint64 resultBytes = 32 * mebibyte; // of those, together
    qsizetype known = 4096; // older runs that the client is answered about, from the log
    std::chrono::milliseconds longestCall = std::chrono::seconds(45); // clients give up after 60 s
    std::chrono::milliseconds untilTask =
        std::chrono::seconds(5); // of a call that may become a task: polling costs, too
    std::chrono::milliseconds heartbeat = std::chrono::seconds(5); // of progress where a run prints nothing
    std::chrono::milliseconds betweenLines = std::chrono::seconds(1); // of output that are shown as progress
};

// Thread-safe.
class ClientRuns
{
public:
    explicit ClientRuns(ClientBounds bounds = {});
    // Cancels what isn't done.
    ~ClientRuns();
    ClientRuns(const ClientRuns &) = delete;
    ClientRuns &operator=(const ClientRuns &) = delete;

    const ClientBounds &bounds() const { return m_bounds; }

    // Starts it as a run of this client's. Busy: too many of them go on.
    Result<std::shared_ptr<FollowedRun>> start(Engine &engine, RunRequest request);
    // Null: it isn't in memory any more, or it is no run of this client's.
    std::shared_ptr<FollowedRun> find(const QString &id) const;
    // Whether it is a run of this client's, in memory or not.
    bool isKnown(const QString &id) const;
    // All that are known, the youngest first.
    QStringList ids() const;

    // Cancels what isn't done, and drops the rest from memory. Nothing starts any more.
    void close();

private:
    void dropOld();

    const ClientBounds m_bounds;
    mutable std::mutex m_mutex;
    std::deque<std::shared_ptr<FollowedRun>> m_runs; // the youngest last
    std::deque<QString> m_past; // runs that were dropped, the youngest last
    bool m_isClosed = false;
};

} // namespace glovebox::mcp
