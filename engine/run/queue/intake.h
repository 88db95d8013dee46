// SPDX-License-Identifier: Apache-2.0
// From a request to a slot: accepts (audit entry), authorises and queues. What happens here holds no slot and no thread.
#pragma once

#include "queue.h"
#include "workthread.h"

#include "engine/run/ending.h"
#include "engine/run/rooms.h"
#include "engine/run/soundrequest.h"

#include <optional>
#include <unordered_map>

namespace glovebox {

// Thread-safe. Held by a shared pointer, as an approver may answer when the engine is gone.
//
// A run goes through it like this. Whoever moves a run from one stage to the next, under one lock, goes on with it, so that an
// answer, a slot and a cancel that come at the same time don't meet:
//
//   start() -> Accepting   its code goes into the store and its entry into the log: accepted()
//                -> Asking     where decide() says so: a person answers: answered()
//                -> Admitted   the queue has it, and gives it a slot and a thread for the corridor. Where nothing of the person is lent,
//                              nobody is to be asked and a slot is free, that comes before accepted(): goesAhead()
//                -> Closing    refused, denied or cancelled: gets its finished entry without having begun: end()
//   and then it is forgotten.
class Intake : public std::enable_shared_from_this<Intake>
{
public:
    Intake(const Rooms &rooms, const Clock &clock);

    // Never blocks. Hashing, storing and committing the code happen on the intake's own thread and the log's.
    std::shared_ptr<Run> start(RunRequest request);
    // A run that isn't over, by its id; null: there is none. For whoever didn't start it.
    std::shared_ptr<Run> find(const QString &id);
    int countRuns(Caller::Kind kind);
    // Of a paired client; returns how many there were.
    int cancelRunsOf(const QString &pairing, const Text &why);
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
    enum class Stage { Accepting, Asking, Admitted, Closing };
    struct Acceptance;
    // What the engine holds of a run that isn't Done.
    struct Guest
    {
        RunPointer run;
        QString entry; // the run's id, also before it is accepted
        Stage stage = Stage::Accepting;
        std::optional<SoundRequest> request; // if it is sound
        std::unique_ptr<std::stop_callback<std::function<void()>>> onCancel;
    };

    void accept(const RunPointer &run);
    bool goesAhead(const RunPointer &run, Acceptance &acceptance);
    void caughtUp(LiveRun &run, const Acceptance &acceptance);
    void accepted(const RunPointer &run, const Acceptance &acceptance);
    void ask(const RunPointer &run, ApprovalRequest request, const QList<Want> &wants);
    void answered(const RunPointer &run, const ApprovalDecision &decision);
    void admit(const RunPointer &run);
    void cancelled(const RunPointer &run);
    void end(const RunPointer &run, const Ending &ending, const Text &detail = {});
    void finish(const RunPointer &run, RunResult result);
    void forget(const LiveRun &run);

    // True: the run was in the one stage and is in the other now, and the caller goes on with it.
    bool move(const LiveRun &run, Stage from, Stage to);

    const Rooms m_rooms;
    const Clock &m_clock;

    std::mutex m_mutex;
    std::condition_variable m_empty;
    std::unordered_map<const LiveRun *, Guest> m_guests;
    bool m_closed = false;

    std::stop_source m_stopAhead;
    std::unique_ptr<WorkThread>
        m_ahead; // for runs that are only expected, so that looking for their interpreters holds up none
    std::unique_ptr<WorkThread> m_work;
    std::unique_ptr<Queue> m_queue; // ends first: its threads post work
};

} // namespace glovebox
