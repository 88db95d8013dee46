// SPDX-License-Identifier: Apache-2.0
// One poll(2) loop over a pipe on which runs and signals ring.
#include "batchloop.h"

#include <poll.h>

namespace glovebox {

BatchLoop::BatchLoop(Engine &engine, TaskList &tasks, std::vector<bool> skips, Journal *journal, Options options)
    : m_engine(engine)
    , m_tasks(tasks)
    , m_skips(std::move(skips))
    , m_journal(journal)
    , m_options(options)
    , m_view(options.view, m_bell, [this] { return takeSignals(); })
{
}

BatchLoop::~BatchLoop()
{
    for (const Active &active : m_active)
        active.run->onChange({});
}

void BatchLoop::run(BatchTally &tally)
{
    for (;;) {
        takeSignals();
        m_rang = false;
        takeEnded(tally);
        startMore(tally);
        if (m_active.empty() && (m_atEnd || !mayStart()))
            break;
        m_view.progress(tally, qsizetype(m_active.size()));
        pollfd ring{m_bell.descriptor(), POLLIN, 0};
        const auto due = m_view.nextDrawing();
        ::poll(&ring, 1, m_rang ? 0 : due ? int(due->count()) : -1);
    }
    m_view.endProgress();
}

// False at a second signal.
bool BatchLoop::takeSignals()
{
    m_rang = true;
    for (const int signal : m_bell.takeSignals()) {
        if (m_stoppedBy == 0)
            m_stoppedBy = signal;
        ++m_signals;
        stop();
    }
    return m_signals < 2;
}

void BatchLoop::stop()
{
    for (const Active &active : m_active)
        active.run->cancel();
}

bool BatchLoop::mayStart() const
{
    return !m_failed && m_stoppedBy == 0 && !m_journalError && m_view.writeError() == 0;
}

void BatchLoop::startMore(BatchTally &tally)
{
    while (!m_atEnd && mayStart() && m_active.size() < std::size_t(m_options.jobs)) {
        auto item = m_tasks.next();
        if (!item) {
            m_atEnd = true;
            return;
        }
        if (!*item) { // a file that was there when the list was checked
            RunResult result;
            result.outcome = Outcome::Rejected;
            result.reason = item->error().error.message;
            ended(item->error().place, result, tally);
            continue;
        }
        Task &task = **item;
        const auto index = std::size_t(task.place.index - 1);
        if (index < m_skips.size() && m_skips[index])
            continue;
        Active &active = m_active.emplace_back(std::move(task.place), m_engine.start(std::move(task.request)),
                                               std::move(task.input));
        active.run->onChange(m_bell.ringer());
        passInput(active);
    }
}

void BatchLoop::passInput(Active &active)
{
    if (active.isInputClosed)
        return;
    if (!active.input.isEmpty())
        active.input.remove(0, active.run->write(active.input));
    if (active.input.isEmpty()) {
        active.run->closeInput();
        active.isInputClosed = true;
    }
}

void BatchLoop::takeEnded(BatchTally &tally)
{
    for (auto active = m_active.begin(); active != m_active.end();) {
        if (active->run->state() != RunState::Done) {
            passInput(*active);
            ++active;
            continue;
        }
        active->run->onChange({});
        const std::shared_ptr<const RunResult> result = active->run->wait();
        const TaskPlace place = std::move(active->place);
        active = m_active.erase(active);
        ended(place, *result, tally);
    }
}

// The journal first: what was shown as done is never run again. What can't be shown any more is as if it had not ended.
void BatchLoop::ended(const TaskPlace &place, const RunResult &result, BatchTally &tally)
{
    ++tally.outcomes[result.outcome];
    const bool isLost = std::ranges::find(result.events, EventType::FolderLost, &RunEvent::type) != result.events.end();
    if (isLost)
        ++tally.lost;
    else if (!result.changes.isEmpty())
        ++tally.changes;
    m_failed = m_failed || (!m_options.keepsGoing && result.outcome != Outcome::Completed);
    if (m_view.writeError() != 0)
        return;
    const QList<ShownPiece> pieces = m_view.pieces(place, result, tally);
    // What a task was to leave and didn't has to be made again, mostly once there is space.
    const bool isKept = m_journal && hasEnded(result.outcome) && !isLost && !m_journalError;
    if (isKept) {
        if (const Status written = m_journal->append(place, result, pieces, m_view.isJson()); !written) {
            m_journalError = written.error();
            stop();
        }
    }
    show(pieces, isKept && !m_journalError);
}

void BatchLoop::showAgain(const Journal::Unshown &unshown)
{
    show(unshown.pieces, true);
}

void BatchLoop::show(const QList<ShownPiece> &pieces, bool isInJournal)
{
    if (!m_view.show(pieces))
        stop();
    else if (isInJournal)
        m_journal->shown();
}

} // namespace glovebox
