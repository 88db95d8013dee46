// SPDX-License-Identifier: Apache-2.0
// Gives accepted runs a slot and a thread each, as many at a time as the machine bears, fairly between callers.
#pragma once

#include "engine/run/live/liverun.h"

#include <QHash>

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace glovebox {

// Thread-safe. Callers take turns, however many runs one of them has waiting; the runs of one caller start in their order, but for
// those that wait until another run has left their session.
class Queue
{
public:
    // On the run's own thread. The slot is free when it calls freeSlot, once, or returns.
    using Work = std::function<void(LiveRun &, const std::function<void()> &freeSlot)>;
    using Refuse = std::function<void(const std::shared_ptr<LiveRun> &, const Error &)>; // must not block

    // slots: runs at once. limit: runs that may wait for one.
    Queue(int slots, int limit, Work work, Refuse refuse);
    // Waits for the runs that have started; those that wait must have been removed before.
    ~Queue();

    // Starts it, lets it wait, or refuses it (Busy).
    void admit(std::shared_ptr<LiveRun> run);
    // Starts it if there is a slot that nobody can take who waits. False: nothing was done. So it may overtake a run of the same caller
    // that isn't admitted yet.
    bool startNow(const std::shared_ptr<LiveRun> &run);
    // True: it was waiting, and won't start any more.
    bool remove(const LiveRun &run);
    // Threads that are not joined yet: those that run, and at most about as many that have ended.
    int threadCount();

private:
    struct Line
    {
        QString party; // partyOf() their callers
        std::deque<std::shared_ptr<LiveRun>> runs;
    };
    // What has to be told to others after the lock is gone.
    struct News
    {
        std::vector<std::shared_ptr<LiveRun>> moved;
        std::vector<std::pair<std::shared_ptr<LiveRun>, Error>> refused;
        std::shared_ptr<LiveRun> waitsForSession;
    };
    using Threads = std::list<std::jthread>;

    void start(std::shared_ptr<LiveRun> run, News &news);
    void startNext(News &news);
    void renumber(News &news);
    bool hasSlot() const;
    bool isSessionFree(const LiveRun &run) const;
    std::shared_ptr<LiveRun> takeNext();
    void freeSlot();
    void ended(Threads::iterator thread, const LiveRun &run, bool hadSlot);
    void tell(const News &news);

    const int m_slots;
    const int m_limit;
    const Work m_work;
    const Refuse m_refuse;

    std::mutex m_mutex;
    std::condition_variable m_idle;
    std::deque<Line> m_lines; // none is empty; the front's turn is next
    int m_waiting = 0;
    QHash<QString, const LiveRun *> m_sessions; // that runs with a thread are in
    Threads m_running;
    int m_finishing = 0; // of those: without a slot any more
    Threads m_ended; // about to end, or ended; joined by the next one that ends
};

} // namespace glovebox
