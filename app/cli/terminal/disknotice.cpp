// SPDX-License-Identifier: Apache-2.0
#include "disknotice.h"

#include "console.h"

#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <system_error>
#include <utility>

namespace glovebox {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr auto untilSaid = 1s;
constexpr auto betweenLooks = 100ms;

struct Shared
{
    std::mutex mutex;
    std::condition_variable_any changed;
    std::function<void()> ring; // of who says it; empty: nobody
    bool isDue = false;
    bool isSaid = false;
};

Shared &shared()
{
    static auto *const all = new Shared; // never destroyed: std::exit() doesn't end the thread that waits
    return *all;
}

void watch(const std::stop_token &stop)
{
    Shared &all = shared();
    while (DiskWait::await(stop) && !stop.stop_requested()) {
        std::unique_lock lock(all.mutex);
        if (DiskWait::lasting() >= untilSaid) {
            all.isSaid = true;
            if (all.ring) {
                all.isDue = true;
                all.ring();
            } else {
                say(DiskNotice::sentence());
            }
        }
        if (all.isSaid)
            all.changed.wait(lock, stop, [&all] { return !all.isSaid; });
        else
            all.changed.wait_for(lock, stop, betweenLooks, [] { return false; });
    }
}

} // namespace

DiskNotice::DiskNotice(bool isShown)
{
    if (!isShown || !isTerminal(STDERR_FILENO))
        return;
    // Signals are for the thread that waits for an answer or for a run: the new thread must not take one between its start and
    // its first line.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    try {
        m_thread = std::jthread(watch);
    } catch (const std::system_error &) {
        m_thread = {}; // there are no more threads: whoever needs one says so
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

DiskNotice::~DiskNotice() = default;

QString DiskNotice::sentence()
{
    const auto paths = Paths::standard();
    return paths ? u"Waiting for a slow disk: Glovebox keeps its log in %1."_s.arg(paths->data)
                 : u"Waiting for a slow disk, on which Glovebox keeps its log."_s;
}

DiskNotice::Speaker::Speaker(std::function<void()> ring)
{
    const std::scoped_lock lock(shared().mutex);
    shared().ring = std::move(ring);
}

DiskNotice::Speaker::~Speaker()
{
    const std::scoped_lock lock(shared().mutex);
    shared().ring = nullptr;
}

void DiskNotice::Speaker::again()
{
    const std::scoped_lock lock(shared().mutex);
    shared().isSaid = false;
    shared().changed.notify_all();
}

bool DiskNotice::Speaker::isDue()
{
    const std::scoped_lock lock(shared().mutex);
    return std::exchange(shared().isDue, false);
}

} // namespace glovebox
