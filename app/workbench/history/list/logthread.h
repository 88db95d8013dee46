// SPDX-License-Identifier: Apache-2.0
// A thread that reads the log, so that nobody on the GUI thread ever waits for the disk or for a long search.
#pragma once

#include "engine/engine.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace glovebox {

// Used from the GUI thread. Questions are answered one after the other, with a connection of its own.
class LogThread
{
public:
    explicit LogThread(QString file);
    ~LogThread(); // stops

    // Interrupts what runs, forgets what waits and answers nothing any more.
    void stop();

    // work(AuditReader &) runs on the thread and returns a Result; then(result) runs on the GUI thread, unless receiver is gone
    // by then. Where the log can't be opened, the result is that error.
    template<typename Work, typename Then> void ask(QObject *receiver, Work work, Then then)
    {
        using Answer = std::invoke_result_t<Work, AuditReader &>;
        post([guard = QPointer<QObject>(receiver), work = std::move(work),
              then = std::move(then)](const Result<AuditReader *> &reader) mutable {
            auto answer = std::make_shared<Answer>(reader ? work(**reader) : Answer(std::unexpected(reader.error())));
            // The hop goes through the application object: the guard is read on the GUI thread only.
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [guard = std::move(guard), then = std::move(then), answer = std::move(answer)]() mutable {
                    if (guard)
                        then(std::move(*answer));
                },
                Qt::QueuedConnection);
        });
    }

    // Forgets what waits and interrupts what runs; an answer that is on its way already still comes. True: something still runs,
    // which an interruption can miss when it comes before its query began, so call this again a little later.
    bool drop();
    bool isDropping(); // interrupts it once more
    void reopen(); // before the next question: the file may be another one now

private:
    using Job = std::function<void(const Result<AuditReader *> &)>;

    void post(Job job);
    void work();

    const QString m_file;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::condition_variable m_ended;
    std::deque<std::shared_ptr<Job>> m_jobs;
    std::unique_ptr<AuditReader> m_reader; // changed by the thread only, under the mutex
    bool m_runs = false; // a job
    bool m_dropped = false; // the job that runs
    bool m_reopen = false;
    bool m_stop = false;
    bool m_done = false;
    std::thread m_thread;
};

} // namespace glovebox
