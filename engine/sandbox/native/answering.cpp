// SPDX-License-Identifier: Apache-2.0
#include "answering.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace glovebox::native {

namespace {

using namespace std::chrono_literals;

constexpr auto lastLookPatience = 1s; // with the last look into the memory of a run that is over

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
    AnsweringTime time;
    const auto tell = [&shared](RunEvent event) {
        const std::scoped_lock lock(shared.mutex);
        shared.told.append(std::move(event));
        ::eventfd_write(shared.isTold.get(), 1);
    };
    while (shared.listener.descriptor() >= 0) {
        const auto now = AnsweringTime::Clock::now();
        const bool waits = !time.isLeft(now);
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(time.againAt() - now);
        pollfd asked{waits ? -1 : shared.listener.descriptor(), POLLIN, 0};
        if (::poll(&asked, 1, waits ? int(left.count()) : -1) <= 0)
            continue;
        if (shared.isNew.exchange(false))
            shared.listener.tellAnew();
        time.spend([&] { shared.listener.answer(tell); });
    }
}

} // namespace glovebox::native
