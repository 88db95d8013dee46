// SPDX-License-Identifier: Apache-2.0
// Brings what a job prints to an output log, as it comes.
#pragma once

#include "app/workbench/runpanel/output/outputlog.h"

#include "engine/jobs/jobs.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace glovebox {

// Lives on the GUI thread; reads on one of its own, which waits while the window is behind.
class JobFollower : public QObject
{
    Q_OBJECT
public:
    explicit JobFollower(QObject *parent = nullptr);
    ~JobFollower() override;

    // From its beginning, into a new log.
    void follow(const Jobs &jobs, const Job &job);
    void leave();
    const QString &run() const { return m_run; } // empty: nothing is followed
    OutputLog *log() const { return m_log.get(); } // of what was followed last; null: nothing was
    bool hasEnded() const { return m_hasEnded; }

Q_SIGNALS:
    void begun(); // log() is another one
    void ended(); // the job, or its process

private:
    struct Piece
    {
        OutputChunk chunk;
        qint64 skipped = 0;
    };
    void read(const Jobs &jobs, const Job &job, const std::stop_token &stop);
    void take(int generation);

    QString m_run;
    std::unique_ptr<OutputLog> m_log;
    bool m_hasEnded = false;
    int m_generation = 0; // what an earlier thread posted is dropped

    std::mutex m_mutex; // guards the next four
    std::condition_variable_any m_hasRoom;
    QList<Piece> m_waiting;
    qint64 m_waitingBytes = 0;
    std::optional<Result<WatchEnd>> m_end;
    bool m_isPosted = false; // take() will come

    std::jthread m_thread; // the last, so that it ends before what it uses
};

} // namespace glovebox
