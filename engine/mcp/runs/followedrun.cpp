// SPDX-License-Identifier: Apache-2.0
#include "followedrun.h"

namespace glovebox::mcp {

FollowedRun::FollowedRun(std::shared_ptr<Run> run, RunRequest request)
    : m_run(std::move(run))
    , m_request(std::move(request))
{
    m_run->onChange([this] {
        {
            std::lock_guard lock(m_mutex);
            ++m_changes;
        }
        m_changed.notify_all();
    });
}

FollowedRun::~FollowedRun()
{
    m_run->onChange({}); // the run may go on without anybody who follows it
}

quint64 FollowedRun::changes() const
{
    std::lock_guard lock(m_mutex);
    return m_changes;
}

void FollowedRun::waitForChange(quint64 seen, std::chrono::steady_clock::time_point until,
                                const std::stop_token &stop) const
{
    std::unique_lock lock(m_mutex);
    m_changed.wait_until(lock, stop, until, [&] { return m_changes != seen; });
}

bool FollowedRun::waitUntilDone(std::chrono::steady_clock::time_point until, const std::stop_token &stop) const
{
    for (;;) {
        const quint64 seen = changes();
        if (m_run->state() == RunState::Done)
            return true;
        if (stop.stop_requested() || std::chrono::steady_clock::now() >= until)
            return false;
        waitForChange(seen, until, stop);
    }
}

qint64 FollowedRun::keptBytes() const
{
    qint64 bytes = m_request.code.size();
    for (const InnerFile &file : m_request.files)
        bytes += file.content.size();
    if (const auto result = m_run->result()) {
        for (const CapturedOutput *output : {&result->out, &result->err})
            bytes += 2 * (output->head.size() + output->tail.size());
    }
    return bytes;
}

} // namespace glovebox::mcp
