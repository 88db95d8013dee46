// SPDX-License-Identifier: Apache-2.0
#include "clientruns.h"

#include <algorithm>
#include <ranges>

namespace glovebox::mcp {
namespace {

bool isDone(const std::shared_ptr<FollowedRun> &run)
{
    return run->run().result() != nullptr;
}

} // namespace

ClientRuns::ClientRuns(ClientBounds bounds)
    : m_bounds(bounds)
{
}

ClientRuns::~ClientRuns()
{
    close();
}

Result<std::shared_ptr<FollowedRun>> ClientRuns::start(Engine &engine, RunRequest request)
{
    std::lock_guard lock(m_mutex);
    if (m_isClosed)
        return fail(ErrorCode::Cancelled, QT_TRANSLATE_NOOP("engine", "The client has gone, so nothing was run."), {});
    dropOld();
    if (std::ranges::count_if(m_runs, std::not_fn(isDone)) >= m_bounds.live)
        return fail(ErrorCode::Busy,
                    QT_TRANSLATE_NOOP("engine", "%1 runs of yours are going on, which is the most. Wait for one with "
                                                "wait_run, or stop one with cancel_run."),
                    {QString::number(m_bounds.live)});
    auto run = engine.start(request);
    run->closeInput(); // nobody types
    m_runs.push_back(std::make_shared<FollowedRun>(std::move(run), std::move(request)));
    return m_runs.back();
}

// Runs that are done go, the oldest first, until the rest is within the bounds.
void ClientRuns::dropOld()
{
    int results = 0;
    qint64 bytes = 0;
    for (const auto &run : m_runs) {
        if (isDone(run)) {
            ++results;
            bytes += run->keptBytes();
        }
    }
    for (auto &run : m_runs) {
        if (results <= m_bounds.results && bytes <= m_bounds.resultBytes)
            break;
        if (!isDone(run))
            continue;
        --results;
        bytes -= run->keptBytes();
        if (const QString id = run->run().id(); !id.isEmpty())
            m_past.push_back(id);
        run.reset();
    }
    std::erase(m_runs, nullptr);
    while (std::ssize(m_past) > m_bounds.known)
        m_past.pop_front();
}

std::shared_ptr<FollowedRun> ClientRuns::find(const QString &id) const
{
    std::lock_guard lock(m_mutex);
    const auto run = std::ranges::find_if(
        m_runs, [&](const auto &candidate) { return !id.isEmpty() && candidate->run().id() == id; });
    return run == m_runs.end() ? nullptr : *run;
}

bool ClientRuns::isKnown(const QString &id) const
{
    if (find(id))
        return true;
    std::lock_guard lock(m_mutex);
    return std::ranges::find(m_past, id) != m_past.end();
}

QStringList ClientRuns::ids() const
{
    std::lock_guard lock(m_mutex);
    QStringList ids;
    for (const auto &run : m_runs | std::views::reverse) {
        if (const QString id = run->run().id(); !id.isEmpty())
            ids.append(id);
    }
    ids.append(QStringList(m_past.rbegin(), m_past.rend()));
    return ids;
}

void ClientRuns::close()
{
    std::deque<std::shared_ptr<FollowedRun>> runs;
    {
        std::lock_guard lock(m_mutex);
        m_isClosed = true;
        runs.swap(m_runs);
    }
    for (const auto &run : runs) {
        if (!isDone(run))
            run->run().cancel();
    }
}

} // namespace glovebox::mcp
