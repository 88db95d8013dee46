// SPDX-License-Identifier: Apache-2.0
#include "logthread.h"

namespace glovebox {
namespace {

constexpr auto betweenInterruptions = std::chrono::milliseconds(10);

} // namespace

LogThread::LogThread(QString file)
    : m_file(std::move(file))
{
}

LogThread::~LogThread()
{
    stop();
}

void LogThread::stop()
{
    {
        std::unique_lock lock(m_mutex);
        m_jobs.clear();
        m_stop = true;
        m_wake.notify_all();
        while (m_thread.joinable() && !m_ended.wait_for(lock, betweenInterruptions, [this] { return m_done; })) {
            if (m_reader)
                m_reader->interrupt();
        }
    }
    if (m_thread.joinable())
        m_thread.join();
}

void LogThread::post(Job job)
{
    const std::lock_guard lock(m_mutex);
    if (m_stop)
        return;
    // Shared: std::function wants what it holds to be copied.
    m_jobs.push_back(std::make_shared<Job>(std::move(job)));
    if (!m_thread.joinable())
        m_thread = std::thread([this] { work(); });
    m_wake.notify_one();
}

bool LogThread::drop()
{
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.clear();
        m_dropped = m_runs;
    }
    return isDropping();
}

bool LogThread::isDropping()
{
    // Under the mutex the thread can't begin with a job that is still wanted.
    const std::lock_guard lock(m_mutex);
    const bool still = m_runs && m_dropped;
    if (still && m_reader)
        m_reader->interrupt();
    return still;
}

void LogThread::reopen()
{
    const std::lock_guard lock(m_mutex);
    m_reopen = true;
}

void LogThread::work()
{
    blockSignals();
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_wake.wait(lock, [this] { return m_stop || !m_jobs.empty(); });
        if (m_stop)
            break;
        const std::shared_ptr<Job> job = std::move(m_jobs.front());
        m_jobs.pop_front();
        m_runs = true;
        m_dropped = false;
        if (std::exchange(m_reopen, false))
            m_reader.reset();
        std::optional<Error> trouble;
        if (!m_reader) {
            lock.unlock();
            auto opened = AuditReader::open(m_file);
            lock.lock();
            if (opened)
                m_reader = std::move(*opened);
            else
                trouble = opened.error();
        }
        AuditReader *reader = m_reader.get();
        lock.unlock();
        (*job)(trouble ? std::unexpected(*trouble) : Result<AuditReader *>(reader));
        lock.lock();
        m_runs = false;
    }
    m_reader.reset();
    m_done = true;
    m_ended.notify_all();
}

} // namespace glovebox
