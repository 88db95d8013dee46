// SPDX-License-Identifier: Apache-2.0
#include "workthread.h"

#include "engine/base/base.h"

namespace glovebox {

WorkThread::WorkThread()
    : m_thread([this] { work(); })
{
}

WorkThread::~WorkThread()
{
    std::lock_guard lock(m_mutex);
    m_ending = true;
    m_changed.notify_one();
    // m_thread is declared last, hence joined first, after the lock is gone.
}

void WorkThread::post(std::function<void()> job)
{
    std::lock_guard lock(m_mutex);
    m_jobs.push_back(std::move(job));
    m_changed.notify_one();
}

void WorkThread::work()
{
    blockSignals();
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [this] { return m_ending || !m_jobs.empty(); });
        if (m_jobs.empty())
            return;
        const auto job = std::move(m_jobs.front());
        m_jobs.pop_front();
        lock.unlock();
        job();
        lock.lock();
    }
}

} // namespace glovebox
