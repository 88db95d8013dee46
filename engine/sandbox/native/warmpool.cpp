// SPDX-License-Identifier: Apache-2.0
#include "warmpool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace glovebox::native {

namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr int sparesOfShape = 2; // one is taken while the next is being built
constexpr std::size_t mostShapes = 4;
constexpr auto checkInterval = 2s; // memory and files, while something waits
constexpr auto delayAfterStart = 100ms; // of a run that doesn't end soon
constexpr auto delayAfterEnd = 4ms; // the run's record and its answer go first, while another one waits
constexpr double highPressure = 10; // percent of the last 10 s in which somebody waited for memory
constexpr double fewAvailable = 0.05; // of all memory

// The number after word in a file of /proc; -1: there is none.
double numberAfter(const char *file, std::string_view word)
{
    const UniqueFd in(::open(file, O_RDONLY | O_CLOEXEC));
    const std::string text = in ? readWhole(in.get()) : std::string();
    const std::size_t at = text.find(word);
    return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + word.size(), nullptr);
}

} // namespace

std::string stampOf(const std::vector<std::string> &files)
{
    launcher::Writer stamp;
    for (const std::string &file : files) {
        struct stat info = {};
        if (::stat(file.c_str(), &info) != 0)
            info = {};
        for (const auto time : {info.st_mtim, info.st_ctim})
            stamp.put(std::int64_t(time.tv_sec)).put(std::int64_t(time.tv_nsec));
        stamp.put(std::uint64_t(info.st_dev)).put(std::uint64_t(info.st_ino)).put(std::int64_t(info.st_size));
    }
    return stamp.bytes();
}

bool systemMemoryIsLow()
{
    if (numberAfter("/proc/pressure/memory", "avg10=") > highPressure)
        return true;
    const double total = numberAfter("/proc/meminfo", "MemTotal:");
    const double available = numberAfter("/proc/meminfo", "MemAvailable:");
    return total > 0 && available >= 0 && available < total * fewAvailable;
}

WarmPool::WarmPool(WarmLimits limits, Build build)
    : m_limits(std::move(limits))
    , m_build(std::move(build))
    , m_news(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
    , m_thread([this](std::stop_token stop) { work(stop); })
{
}

WarmPool::~WarmPool()
{
    stop();
}

void WarmPool::stop()
{
    if (!m_thread.joinable())
        return;
    m_thread.request_stop();
    wake();
    m_thread.join();
    Spares discarded; // ends after the lock
    const std::scoped_lock lock(m_mutex);
    discarded.splice(discarded.end(), m_spares);
}

std::unique_ptr<SealedRun> WarmPool::take(const WarmShape &shape)
{
    Spares discarded; // ends after the lock
    const std::scoped_lock lock(m_mutex);
    // The oldest first: its interpreter has surely settled down.
    for (auto spare = m_spares.begin(); spare != m_spares.end();) {
        const auto next = std::next(spare);
        if (spare->shape == shape) {
            std::unique_ptr<SealedRun> run = std::move(spare->run);
            m_spares.erase(spare);
            if (run->isWaiting())
                return run;
        } else if (spare->shape.shape == shape.shape) { // built before something changed
            discarded.splice(discarded.end(), m_spares, spare);
        }
        spare = next;
    }
    return nullptr;
}

void WarmPool::want(const WarmShape &shape, bool later)
{
    {
        const std::scoped_lock lock(m_mutex);
        std::erase_if(m_wanted, [&](const WarmShape &other) { return other.shape == shape.shape; });
        m_wanted.push_back(shape);
        if (m_wanted.size() > mostShapes)
            m_wanted.pop_front();
        if (later)
            m_notBefore = SteadyClock::now() + delayAfterStart;
    }
    wake();
}

void WarmPool::runEnded()
{
    {
        const std::scoped_lock lock(m_mutex);
        const bool oneWaits = !m_wanted.empty() && std::ranges::count(m_spares, m_wanted.back(), &Spare::shape) > 0;
        if (!oneWaits)
            m_notBefore.reset();
        else if (m_notBefore)
            m_notBefore = std::min(*m_notBefore, SteadyClock::now() + delayAfterEnd);
    }
    wake();
}

int WarmPool::waiting()
{
    const std::scoped_lock lock(m_mutex);
    return static_cast<int>(m_spares.size());
}

void WarmPool::wake() const
{
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(m_news.get(), &one, sizeof one);
}

bool WarmPool::mayUseMachine()
{
    const std::scoped_lock lock(m_mutex);
    if (m_notBefore && SteadyClock::now() < *m_notBefore)
        return false;
    m_notBefore.reset();
    return true;
}

void WarmPool::work(std::stop_token stop)
{
    blockSignals();
    while (!stop.stop_requested()) {
        if (!mayUseMachine()) {
            waitForNews();
            continue;
        }
        Spares discarded;
        std::optional<WarmShape> shape;
        const bool isLow = m_limits.memoryIsLow ? m_limits.memoryIsLow() : systemMemoryIsLow();
        {
            const std::scoped_lock lock(m_mutex);
            discardUnfit(isLow, discarded);
            shape = nextToBuild();
            if (shape)
                makeRoom(*shape, discarded);
        }
        discarded.clear();
        if (!shape) {
            waitForNews();
            continue;
        }
        auto built = m_build(*shape, stop);
        const std::scoped_lock lock(m_mutex);
        if (built)
            m_spares.push_back({*std::move(shape), *std::move(built), SteadyClock::now()});
        else // the next run says why; it is wanted again then
            std::erase(m_wanted, *shape);
    }
}

// With the lock. What is thrown away for whatever reason is built again only when a run wants it again: nothing is built over
// and over.
void WarmPool::discardUnfit(bool memoryIsLow, Spares &discarded)
{
    if (memoryIsLow) {
        m_wanted.clear();
        discarded.splice(discarded.end(), m_spares);
        return;
    }
    std::erase_if(m_wanted, [](const WarmShape &shape) { return stampOf(shape.watched) != shape.stamp; });
    const auto now = SteadyClock::now();
    for (auto spare = m_spares.begin(); spare != m_spares.end();) {
        const auto next = std::next(spare);
        if (now - spare->since >= m_limits.idle || !spare->run->isWaiting()
            || stampOf(spare->shape.watched) != spare->shape.stamp) {
            std::erase(m_wanted, spare->shape);
            discarded.splice(discarded.end(), m_spares, spare);
        }
        spare = next;
    }
}

// With the lock. Whether one more fits beside those of the same shape, or beside all.
bool WarmPool::fits(const WarmShape &shape, bool besideAll) const
{
    int count = 1;
    qint64 bytes = shape.shape.limits.memoryBytes;
    for (const Spare &spare : m_spares) {
        if (besideAll || spare.shape == shape) {
            ++count;
            bytes += spare.shape.shape.limits.memoryBytes;
        }
    }
    return count <= m_limits.most && bytes <= m_limits.mostBytes;
}

// With the lock. The shape that was wanted last has the right to two; the others get what room is left.
std::optional<WarmShape> WarmPool::nextToBuild()
{
    for (auto shape = m_wanted.rbegin(); shape != m_wanted.rend(); ++shape) {
        const bool isLatest = shape == m_wanted.rbegin();
        const auto there = std::ranges::count(m_spares, *shape, &Spare::shape);
        if (there < (isLatest ? sparesOfShape : 1) && fits(*shape, !isLatest))
            return *shape;
    }
    return std::nullopt;
}

// With the lock.
void WarmPool::makeRoom(const WarmShape &shape, Spares &discarded)
{
    while (!fits(shape, true)) {
        const auto other = std::ranges::find_if(m_spares, [&](const Spare &spare) { return spare.shape != shape; });
        discarded.splice(discarded.end(), m_spares, other); // the oldest; there is one, as it fits beside its own
    }
}

void WarmPool::waitForNews()
{
    std::vector<pollfd> sources{{m_news.get(), POLLIN, 0}};
    std::optional<SteadyClock::time_point> until;
    {
        const std::scoped_lock lock(m_mutex);
        for (const Spare &spare : m_spares) // one that says something is no good any more
            sources.push_back({spare.run->reportDescriptor(), POLLIN, 0});
        if (!m_spares.empty())
            until = SteadyClock::now() + std::min<SteadyClock::duration>(checkInterval, m_limits.idle);
        if (m_notBefore)
            until = std::min(until.value_or(*m_notBefore), *m_notBefore);
    }
    int timeout = -1;
    if (until)
        timeout = static_cast<int>(
            std::max<qint64>(std::chrono::ceil<std::chrono::milliseconds>(*until - SteadyClock::now()).count(), 0));
    ::poll(sources.data(), sources.size(), timeout);
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(m_news.get(), &count, sizeof count);
}

} // namespace glovebox::native
