// SPDX-License-Identifier: Apache-2.0
#include "queue.h"

#include "engine/run/record/runsession.h"

#include <algorithm>
#include <system_error>

namespace glovebox {
namespace {

// Empty: none.
QString occupiedSession(const LiveRun &run)
{
    return run.request().isParallel ? QString() : run.request().session;
}

} // namespace

Queue::Queue(int slots, int limit, Work work, Refuse refuse)
    : m_slots(std::max(slots, 1))
    , m_limit(std::max(limit, 0))
    , m_work(std::move(work))
    , m_refuse(std::move(refuse))
{
}

Queue::~Queue()
{
    std::unique_lock lock(m_mutex);
    m_idle.wait(lock, [this] { return m_running.empty(); });
    Threads last = std::move(m_ended);
    lock.unlock();
    last.clear(); // joins
}

void Queue::admit(std::shared_ptr<LiveRun> run)
{
    News news;
    {
        std::lock_guard lock(m_mutex);
        if (hasSlot() && isSessionFree(*run)) { // whoever waits can't take it
            start(std::move(run), news);
        } else if (m_waiting >= m_limit) {
            news.refused.emplace_back(
                std::move(run),
                Error{ErrorCode::Busy,
                      Text(QT_TRANSLATE_NOOP("engine",
                                             "The queue is full: %1 runs are waiting. Try again when some have ended."),
                           {QString::number(m_waiting)}),
                      {}});
        } else {
            // Of one that is done only the thread is left: nobody waits for its session.
            const LiveRun *before = m_sessions.value(occupiedSession(*run));
            if (!isSessionFree(*run) && before->state() != RunState::Done)
                news.waitsForSession = run;
            const QString party = partyOf(run->request().caller);
            auto line = std::ranges::find(m_lines, party, &Line::party);
            if (line == m_lines.end())
                line = m_lines.insert(line, Line{party, {}});
            line->runs.push_back(std::move(run));
            ++m_waiting;
            renumber(news);
        }
    }
    tell(news);
}

bool Queue::startNow(const std::shared_ptr<LiveRun> &run)
{
    News news;
    std::lock_guard lock(m_mutex);
    if (!hasSlot() || !isSessionFree(*run))
        return false;
    start(run, news);
    return news.refused.empty();
}

bool Queue::remove(const LiveRun &run)
{
    News news;
    bool found = false;
    {
        std::lock_guard lock(m_mutex);
        for (auto line = m_lines.begin(); line != m_lines.end() && !found; ++line) {
            found = std::erase_if(line->runs, [&](const auto &waiting) { return waiting.get() == &run; }) > 0;
            if (found && line->runs.empty()) {
                m_lines.erase(line);
                break;
            }
        }
        if (found) {
            --m_waiting;
            renumber(news);
        }
    }
    tell(news);
    return found;
}

int Queue::threadCount()
{
    std::lock_guard lock(m_mutex);
    return static_cast<int>(m_running.size() + m_ended.size());
}

void Queue::start(std::shared_ptr<LiveRun> run, News &news)
{
    const auto thread = m_running.emplace(m_running.end());
    m_sessions.insert(occupiedSession(*run), run.get());
    try {
        *thread = std::jthread([this, run, thread] {
            blockSignals();
            bool hasSlot = true;
            m_work(*run, [this, &hasSlot] {
                hasSlot = false;
                freeSlot();
            });
            ended(thread, *run, hasSlot);
        });
    } catch (const std::system_error &error) {
        m_running.erase(thread);
        m_sessions.remove(occupiedSession(*run));
        news.refused.emplace_back(
            std::move(run),
            Error{
                ErrorCode::Unavailable,
                Text(QT_TRANSLATE_NOOP(
                    "engine", "The system has no room for another thread. Try again when other programs have ended.")),
                Text("%1", {QString::fromLocal8Bit(error.what())})});
    }
}

void Queue::startNext(News &news)
{
    while (hasSlot()) {
        auto run = takeNext();
        if (!run)
            break;
        start(std::move(run), news);
    }
    renumber(news);
}

// Of the first caller who has one that needn't wait for its session; that caller's next turn comes last. Null: nobody has.
std::shared_ptr<LiveRun> Queue::takeNext()
{
    for (auto line = m_lines.begin(); line != m_lines.end(); ++line) {
        const auto next = std::ranges::find_if(line->runs, [this](const auto &run) { return isSessionFree(*run); });
        if (next == line->runs.end())
            continue;
        std::shared_ptr<LiveRun> run = std::move(*next);
        line->runs.erase(next);
        --m_waiting;
        Line rest = std::move(*line);
        m_lines.erase(line);
        if (!rest.runs.empty())
            m_lines.push_back(std::move(rest));
        return run;
    }
    return nullptr;
}

bool Queue::isSessionFree(const LiveRun &run) const
{
    const QString session = occupiedSession(run);
    return session.isEmpty() || !m_sessions.contains(session);
}

// Plays the turns through: what starts first has nothing before it.
void Queue::renumber(News &news)
{
    int position = 0;
    for (size_t turn = 0; position < m_waiting; ++turn) {
        for (const Line &line : m_lines) {
            if (turn >= line.runs.size())
                continue;
            const auto &run = line.runs[turn];
            if (run->placeInQueue(position++))
                news.moved.push_back(run);
        }
    }
}

// A disk that is slow to record must not gather threads.
bool Queue::hasSlot() const
{
    const auto threads = std::ssize(m_running);
    return threads - m_finishing < m_slots && threads < 2 * m_slots;
}

void Queue::freeSlot()
{
    News news;
    {
        std::lock_guard lock(m_mutex);
        ++m_finishing;
        startNext(news);
    }
    tell(news);
}

// A thread can't join itself, so it joins those that ended before it and leaves itself to the next.
void Queue::ended(Threads::iterator thread, const LiveRun &run, bool hadSlot)
{
    News news;
    Threads before;
    {
        std::lock_guard lock(m_mutex);
        before.swap(m_ended);
        m_ended.splice(m_ended.end(), m_running, thread);
        m_sessions.remove(occupiedSession(run));
        if (!hadSlot)
            --m_finishing;
        startNext(news);
        if (m_running.empty())
            m_idle.notify_all();
    }
    tell(news);
}

void Queue::tell(const News &news)
{
    for (const auto &run : news.moved)
        run->announce();
    for (const auto &[run, error] : news.refused)
        m_refuse(run, error);
    if (news.waitsForSession)
        tellWaiting(*news.waitsForSession);
}

} // namespace glovebox
