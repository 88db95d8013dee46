// SPDX-License-Identifier: Apache-2.0
// The tasks of one client (revision 2025-11-25, "Tasks"): runs whose calls were answered at once, and whose answers are fetched later.
#pragma once

#include "followedrun.h"

#include "engine/base/base.h"

#include <QList>
#include <QString>

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

namespace glovebox::mcp {

// What is known of a task at one moment.
struct Task
{
    enum class Status { Working, Completed, Failed, Cancelled };
    QString id; // of 122 random bits
    QString tool; // that was called
    std::shared_ptr<FollowedRun> run;
    Status status = Status::Working; // Failed: nothing of the code ran
    qint64 created = 0, updated = 0; // milliseconds since 1970: the task, its status
    std::chrono::milliseconds ttl{}; // from its creation until it may be forgotten

    bool isOver() const { return status != Status::Working; }
};

// Thread-safe. Keeps no run alive that the client's runs have dropped: its task goes with it.
class ClientTasks
{
public:
    static constexpr qsizetype kept = 64; // the oldest that is over goes for a new one
    static constexpr std::chrono::milliseconds ttlMin = std::chrono::minutes(1), ttlMax = std::chrono::hours(24);
    static constexpr std::chrono::milliseconds ttlUsual = std::chrono::hours(1);

    explicit ClientTasks(const Clock &clock = Clock::system())
        : m_clock(clock)
    {
    }

    // Busy: none of those that are kept is over. ttl: bounded by the two above.
    Result<Task> add(const QString &tool, const std::shared_ptr<FollowedRun> &run, std::chrono::milliseconds ttl);
    // Nothing: there is none with this id any more.
    std::optional<Task> find(const QString &id);
    // The youngest first.
    QList<Task> all();
    // Ends the run. From then on the task is cancelled, whatever becomes of the run. InvalidInput: it was over before.
    Result<Task> cancel(const QString &id);

private:
    struct Kept
    {
        Task task; // without its run
        std::weak_ptr<FollowedRun> run;
    };

    void refresh(); // m_mutex is held
    qint64 now() const { return m_clock.nowMicroseconds() / 1000; }

    const Clock &m_clock;
    std::mutex m_mutex;
    std::deque<Kept> m_tasks; // the youngest first
};

} // namespace glovebox::mcp
