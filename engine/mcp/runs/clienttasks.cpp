// SPDX-License-Identifier: Apache-2.0
#include "clienttasks.h"

#include <QUuid>

#include <algorithm>

namespace glovebox::mcp {

namespace {

Task::Status statusOf(const Run &run)
{
    const auto result = run.result();
    if (!result)
        return Task::Status::Working;
    if (result->outcome == Outcome::Cancelled)
        return Task::Status::Cancelled;
    return nothingRan(result->outcome) ? Task::Status::Failed : Task::Status::Completed;
}

Task withRun(Task task, std::shared_ptr<FollowedRun> run)
{
    task.run = std::move(run);
    return task;
}

} // namespace

// Forgets what is past its time, and looks at the rest.
void ClientTasks::refresh()
{
    const qint64 time = now();
    std::erase_if(m_tasks, [&](Kept &one) {
        const auto run = one.run.lock();
        if (!run)
            return true;
        Task &task = one.task;
        if (!task.isOver() && statusOf(run->run()) != Task::Status::Working) {
            task.status = statusOf(run->run());
            task.updated = time;
        }
        return task.isOver() && time - task.created > task.ttl.count();
    });
}

Result<Task> ClientTasks::add(const QString &tool, const std::shared_ptr<FollowedRun> &run,
                              std::chrono::milliseconds ttl)
{
    const std::lock_guard lock(m_mutex);
    refresh();
    if (std::ssize(m_tasks) >= kept) {
        const auto oldest =
            std::find_if(m_tasks.rbegin(), m_tasks.rend(), [](const Kept &one) { return one.task.isOver(); });
        if (oldest == m_tasks.rend())
            return fail(
                ErrorCode::Busy,
                QT_TRANSLATE_NOOP("engine",
                                  "%1 tasks of yours are going on, which is the most. Wait for one with tasks/result."),
                {QString::number(kept)});
        m_tasks.erase(std::next(oldest).base());
    }
    const qint64 time = now();
    const Task task{.id = QUuid::createUuid().toString(QUuid::WithoutBraces),
                    .tool = tool,
                    .run = nullptr,
                    .created = time,
                    .updated = time,
                    .ttl = std::clamp(ttl, ttlMin, ttlMax)};
    m_tasks.push_front({task, run});
    return withRun(task, run);
}

std::optional<Task> ClientTasks::find(const QString &id)
{
    const QList<Task> tasks = all();
    const auto found = std::ranges::find(tasks, id, &Task::id);
    return found == tasks.end() ? std::nullopt : std::optional(*found);
}

QList<Task> ClientTasks::all()
{
    const std::lock_guard lock(m_mutex);
    refresh();
    QList<Task> tasks;
    for (const Kept &one : m_tasks) {
        if (auto run = one.run.lock())
            tasks.append(withRun(one.task, std::move(run)));
    }
    return tasks;
}

Result<Task> ClientTasks::cancel(const QString &id)
{
    const std::lock_guard lock(m_mutex);
    refresh();
    const auto found = std::ranges::find(m_tasks, id, [](const Kept &one) { return one.task.id; });
    const auto run = found == m_tasks.end() ? nullptr : found->run.lock();
    if (!run)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "There is no such task of yours. See tasks/list."), {});
    if (found->task.isOver())
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP(
                        "engine", "The task is over, so it can't be cancelled. Fetch its answer with tasks/result."),
                    {});
    run->run().cancel();
    found->task.status = Task::Status::Cancelled;
    found->task.updated = now();
    return withRun(found->task, run);
}

} // namespace glovebox::mcp
