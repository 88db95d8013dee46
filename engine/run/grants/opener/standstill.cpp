// SPDX-License-Identifier: Apache-2.0
#include "standstill.h"

#include "engine/base/base.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <ranges>
#include <system_error>
#include <thread>

namespace glovebox::opener {

namespace {

using namespace std::chrono_literals;

constexpr int mostPasses = 1000;
constexpr auto longestCall = 50ms; // that is waited for
constexpr auto longestStandstill = 2s;

bool standsStill(pid_t process)
{
    return std::ranges::all_of(statesOfProcess(process),
                               [](char state) { return QByteArrayView("TtZX").contains(state); });
}

void waitUntilStill(pid_t process, std::chrono::steady_clock::time_point end)
{
    while (!standsStill(process) && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(200us);
}

} // namespace

// Who is stopped can't fork any more (fork(2) in the middle of a signal begins anew), so that a pass without anybody new is the last one.
// A call that goes on longer than that may end, and nothing follows it.
Standstill::Standstill(pid_t init)
{
    const auto end = std::chrono::steady_clock::now() + longestCall;
    for (int pass = 0; pass < mostPasses && stopNew(init, end); ++pass) { }
    const auto lastEnd = std::chrono::steady_clock::now() + longestCall;
    for (const Process &process : m_processes)
        waitUntilStill(process.id, lastEnd);
    try {
        m_timer = std::jthread([this](const std::stop_token &stop) {
            std::mutex mutex;
            std::condition_variable_any never;
            std::unique_lock lock(mutex);
            never.wait_for(lock, stop, longestStandstill, [] { return false; });
            release();
        });
    } catch (const std::system_error &) { // no more threads
        release();
    }
}

// Children first: a shell that looks after its children sees none of them stopped.
Standstill::~Standstill()
{
    m_timer.request_stop();
}

void Standstill::release()
{
    for (const Process &process : std::views::reverse(m_processes)) {
        if (process.isOurs)
            ::kill(process.id, SIGCONT);
    }
}

bool Standstill::stopNew(pid_t init, std::chrono::steady_clock::time_point end)
{
    bool isNew = false;
    const std::vector<pid_t> tree = processesBelow(init);
    const auto isBelow = [&](pid_t id) {
        const auto parent = pid_t(parentOfProcess(id));
        return parent == init || std::ranges::find(tree, parent) != tree.end();
    };
    for (const pid_t id : tree) {
        if (std::ranges::find(m_processes, id, &Process::id) != m_processes.end() || parentOfProcess(id) == 0)
            continue;
        isNew = true;
        const bool isOurs = !standsStill(id) && !isToldToStop(id);
        if (!isBelow(id) || (isOurs && ::kill(id, SIGSTOP) != 0))
            continue;
        if (isBelow(id))
            m_processes.push_back({id, isOurs});
        else if (isOurs) // the number was another one's by then
            ::kill(id, SIGCONT);
        waitUntilStill(id, end); // before its children are looked at, which it may be stopping just now
    }
    return isNew;
}

} // namespace glovebox::opener
