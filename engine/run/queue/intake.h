// SPDX-License-Identifier: Apache-2.0
// From a request to a slot: accepts (audit entry), authorises and queues. What happens here holds no slot and no thread.
#pragma once

#include "engine/run/pipeline.h"
#include "queue.h"
#include "workthread.h"

#include "engine/approval/approval.h"
#include "engine/settings/settings.h"

#include <unordered_map>

namespace glovebox {

// Thread-safe. Held by a shared pointer, as an approver may answer when the engine is gone.
class Intake : public std::enable_shared_from_this<Intake>
{
public:
    Intake(Rooms rooms, const Settings &settings, const Clock &clock, std::shared_ptr<Approver> approver);

    // Never blocks. Hashing, storing and committing the code happen on the intake's own thread and the log's.
    std::shared_ptr<Run> start(RunRequest request);
    // Engine::expect().
    void expect(const QString &language);
    // A run that is over before it began, without an entry.
    static std::shared_ptr<Run> refuse(RunRequest request, const Error &error);

    // Refuses what comes from now on and cancels everything that is there.
    void close();
    // True when no run is left.
    bool waitUntilEmpty(std::chrono::milliseconds atMost);
    // Joins the threads. close() and waitUntilEmpty() must have come first.
    void stop();

private:
    using RunPointer = std::shared_ptr<LiveRun>;
    struct Acceptance;
    // What the engine holds of a run that isn't Done.
    struct Guest
    {
        RunPointer run;
        std::unique_ptr<std::stop_callback<std::function<void()>>> onCancel;
        bool isAsked = false; // a person is being asked
    };

    void accept(const RunPointer &run);
    void accepted(const RunPointer &run, const Acceptance &acceptance);
    void ask(const RunPointer &run, const ApprovalRequest &request);
    void admit(const RunPointer &run);
    void answered(const RunPointer &run, const ApprovalDecision &decision);
    void cancelled(const RunPointer &run);
    bool takeAsked(const LiveRun &run);
    void endUnstarted(const RunPointer &run, Outcome outcome, const Text &reason, const Text &detail = {});
    void finish(const RunPointer &run, RunResult result);
    void forget(const LiveRun &run);

    const Rooms m_rooms;
    const Settings &m_settings;
    const Clock &m_clock;
    const std::shared_ptr<Approver> m_approver;

    std::mutex m_mutex;
    std::condition_variable m_empty;
    std::unordered_map<const LiveRun *, Guest> m_guests;
    bool m_closed = false;

    std::unique_ptr<Queue> m_queue;
    std::unique_ptr<WorkThread> m_work;
};

} // namespace glovebox
