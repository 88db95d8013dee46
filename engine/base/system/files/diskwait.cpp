// SPDX-License-Identifier: Apache-2.0
#include "diskwait.h"

#include <condition_variable>
#include <mutex>

namespace glovebox {

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

// One run waits several times, with little to do in between.
constexpr auto betweenWaits = 250ms;

struct Waits
{
    std::mutex mutex;
    std::condition_variable_any begins;
    int threads = 0;
    Steady::time_point since, ended;
};

// Never destroyed: threads of the program's end may wait.
Waits &waits()
{
    static auto *const all = new Waits;
    return *all;
}

} // namespace

DiskWait::DiskWait()
{
    Waits &all = waits();
    const std::scoped_lock lock(all.mutex);
    if (all.threads++ > 0)
        return;
    const auto now = Steady::now();
    if (now - all.ended > betweenWaits)
        all.since = now;
    all.begins.notify_all();
}

DiskWait::~DiskWait()
{
    Waits &all = waits();
    const std::scoped_lock lock(all.mutex);
    if (--all.threads == 0)
        all.ended = Steady::now();
}

std::optional<std::chrono::milliseconds> DiskWait::lasting()
{
    Waits &all = waits();
    const std::scoped_lock lock(all.mutex);
    if (all.threads == 0)
        return std::nullopt;
    return std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - all.since);
}

bool DiskWait::await(const std::stop_token &stop)
{
    Waits &all = waits();
    std::unique_lock lock(all.mutex);
    return all.begins.wait(lock, stop, [&all] { return all.threads > 0; });
}

} // namespace glovebox
