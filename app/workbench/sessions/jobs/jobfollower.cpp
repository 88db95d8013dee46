// SPDX-License-Identifier: Apache-2.0
#include "jobfollower.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/words/sessionwords.h"
#include "app/workbench/shell/words/words.h"

#include <utility>

namespace glovebox {

namespace {

constexpr qint64 mostWaiting = 1 * mebibyte;

} // namespace

JobFollower::JobFollower(QObject *parent)
    : QObject(parent)
{
}

JobFollower::~JobFollower()
{
    leave();
}

void JobFollower::leave()
{
    m_thread.request_stop();
    m_thread = {};
    ++m_generation;
    const std::scoped_lock lock(m_mutex);
    m_waiting.clear();
    m_waitingBytes = 0;
    m_end.reset();
    m_isPosted = false;
    m_run.clear();
}

void JobFollower::follow(const Jobs &jobs, const Job &job)
{
    leave();
    m_run = job.run;
    m_hasEnded = false;
    auto before = std::exchange(m_log, std::make_unique<OutputLog>());
    Q_EMIT begun(); // whoever shows the log before lets it go
    before.reset();
    m_thread = std::jthread([this, jobs, job](const std::stop_token &stop) {
        glovebox::blockSignals(); // of this thread, and no QObject's
        read(jobs, job, stop);
    });
}

void JobFollower::read(const Jobs &jobs, const Job &job, const std::stop_token &stop)
{
    const auto post = [this] {
        if (!std::exchange(m_isPosted, true))
            QMetaObject::invokeMethod(
                this, [this, generation = m_generation] { take(generation); }, Qt::QueuedConnection);
    };
    const auto end = jobs.watch(
        job, true,
        [&](const OutputChunk &chunk, qint64 skipped) {
            std::unique_lock lock(m_mutex);
            if (!m_hasRoom.wait(lock, stop, [this] { return m_waitingBytes < mostWaiting; }))
                return;
            m_waiting.append({chunk, skipped});
            m_waitingBytes += chunk.bytes.size();
            post();
        },
        stop);
    if (stop.stop_requested())
        return;
    const std::scoped_lock lock(m_mutex);
    m_end = end;
    post();
}

void JobFollower::take(int generation)
{
    if (generation != m_generation || !m_log)
        return;
    QList<Piece> pieces;
    std::optional<Result<WatchEnd>> end;
    {
        const std::scoped_lock lock(m_mutex);
        pieces.swap(m_waiting);
        m_waitingBytes = 0;
        end.swap(m_end);
        m_isPosted = false;
    }
    m_hasRoom.notify_one();
    for (const Piece &piece : std::as_const(pieces)) {
        if (piece.skipped > 0)
            m_log->skip(piece.skipped);
        m_log->append(piece.chunk);
    }
    if (!end)
        return;
    m_hasEnded = true;
    m_log->finish();
    if (!*end)
        m_log->remark(OutputLine::Kind::Warning, withHiddenShown(translated(end->error().message)));
    else
        m_log->remark(**end == WatchEnd::Done ? OutputLine::Kind::Summary : OutputLine::Kind::Warning,
                      **end == WatchEnd::Done ? tr("The job has ended. Its run is in the history.")
                                              : tr("The job's process ended in the middle."));
    Q_EMIT ended();
}

} // namespace glovebox
