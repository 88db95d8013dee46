// SPDX-License-Identifier: Apache-2.0
#include "answering.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace glovebox::native {

namespace {

using namespace std::chrono_literals;
using AnsweringClock = std::chrono::steady_clock;

// Answers take time of the processor that is in no limit of the run. A run has this much at once and gets a tenth of a core after it.
constexpr std::chrono::nanoseconds answeringAtOnce = 1s;
constexpr int coreForAnswers = 10;
constexpr auto answeringAgain = 10ms; // of it have gathered when a run that had spent it goes on
constexpr auto lastLookPatience = 1s; // with the last look into the memory of a run that is over

std::chrono::nanoseconds processorTime()
{
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

} // namespace

struct Answering::Shared
{
    CallListener listener; // the thread's; but unseen() is the pump's
    const UniqueFd isTold{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    std::atomic<bool> isNew = false; // what follows is of another piece of code
    std::mutex mutex; // of what follows
    QList<RunEvent> told;
    bool hasEnded = true; // the thread
    std::condition_variable ended;
};

bool Answering::adopt(CallListener listener)
{
    m_shared = std::make_shared<Shared>(std::move(listener));
    return bool(m_shared->isTold);
}

CallListener &Answering::listener()
{
    return m_shared->listener;
}

bool Answering::begin()
{
    if (m_shared->listener.descriptor() < 0)
        return true; // nobody asks
    m_shared->hasEnded = false;
    try {
        std::thread([shared = m_shared] {
            blockSignals();
            serve(*shared);
            const std::scoped_lock lock(shared->mutex);
            shared->hasEnded = true;
            shared->ended.notify_all();
        }).detach();
    } catch (const std::system_error &) { // no more threads
        m_shared->hasEnded = true;
        return false;
    }
    return true;
}

Answering::~Answering()
{
    if (!m_shared)
        return; // nobody was verified
    std::unique_lock lock(m_shared->mutex); // everybody inside is being killed, which ends the thread
    m_shared->ended.wait_for(lock, lastLookPatience, [this] { return m_shared->hasEnded; });
}

int Answering::descriptor() const
{
    return m_shared->isTold.get();
}

QList<RunEvent> Answering::take()
{
    const std::scoped_lock lock(m_shared->mutex);
    eventfd_t ignored = 0;
    ::eventfd_read(m_shared->isTold.get(), &ignored);
    return std::exchange(m_shared->told, {});
}

std::optional<RunEvent> Answering::unseen()
{
    return m_shared->listener.unseen();
}

void Answering::tellAnew()
{
    m_shared->isNew = true;
}

void Answering::serve(Shared &shared)
{
    std::chrono::nanoseconds left = answeringAtOnce;
    AnsweringClock::time_point filledAt = AnsweringClock::now(), againAt = filledAt;
    const auto tell = [&shared](RunEvent event) {
        const std::scoped_lock lock(shared.mutex);
        shared.told.append(std::move(event));
        ::eventfd_write(shared.isTold.get(), 1);
    };
    while (shared.listener.descriptor() >= 0) {
        const AnsweringClock::time_point now = AnsweringClock::now();
        const bool waits = now < againAt;
        pollfd asked{waits ? -1 : shared.listener.descriptor(), POLLIN, 0};
        if (::poll(&asked, 1, waits ? int(std::chrono::ceil<std::chrono::milliseconds>(againAt - now).count()) : -1)
            <= 0)
            continue;
        if (shared.isNew.exchange(false))
            shared.listener.tellAnew();
        const auto before = processorTime();
        shared.listener.answer(tell);
        const AnsweringClock::time_point after = AnsweringClock::now();
        left = std::min(answeringAtOnce, left + (after - filledAt) / coreForAnswers) - (processorTime() - before);
        filledAt = after;
        if (left <= 0ns)
            againAt = after + (answeringAgain - left) * coreForAnswers;
    }
}

} // namespace glovebox::native
