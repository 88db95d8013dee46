// SPDX-License-Identifier: Apache-2.0
#include "account.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace glovebox::launcher {

namespace {

using namespace std::chrono_literals;

constexpr auto watchInterval = 40ms; // how long a run can go unseen
constexpr auto shortestWatch = 2ms;
constexpr std::uint64_t fillingSpeed = 2'000; // bytes a microsecond that a thread takes from the kernel, page by page
constexpr int watchShare = 6; // of a processor's time one part of so many at most goes into looks
constexpr auto shortestCount = 2ms; // between two looks at a leaf's processor time

std::uint64_t microseconds(const timeval &time)
{
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
}

// bwrap tells by its status that PID 1 was killed.
bool endedByItself(int waitStatus)
{
    return WIFEXITED(waitStatus) && WEXITSTATUS(waitStatus) < 128;
}

// The same for all runs: the spawner wakes up once for all of them.
Account::Time nextRound(Account::Time now)
{
    const Account::Time later = now + watchInterval;
    return later - later.time_since_epoch() % watchInterval;
}

} // namespace

Account::Account(Leaf leaf, MemoryBounds memory, std::uint64_t cpu, std::uint64_t tasks)
    : m_leaf(std::move(leaf))
    , m_memory(memory)
    , m_cpu(cpu)
    , m_tasks(tasks)
{
    if (m_leaf)
        m_outOfMemory = m_leaf.watchMemory();
}

std::vector<Finding> Account::readBack(pid_t pid, const LeafLimits &limits) const
{
    if (m_leaf)
        return m_leaf.readBack(pid, limits);
    std::vector<Finding> findings;
    if (canWatch()) {
        findings.push_back({ControlId::Memory, Finding::State::Weaker, {}, Finding::Means::Watchdog});
        if (m_cpu != 0)
            findings.push_back({ControlId::CpuTime, Finding::State::Weaker, {}, Finding::Means::Watchdog});
    }
    return findings;
}

void Account::start(pid_t init, UniqueFd scratch)
{
    m_scratch = std::move(scratch);
    m_cpuBefore = m_leaf ? m_leaf.usage().cpuMicroseconds : useOfTree(init, -1, m_memory, m_kernel).cpuMicroseconds;
    const auto now = std::chrono::steady_clock::now();
    m_nextLook = m_leaf && m_cpu != 0 ? now + shortestCount : nextRound(now);
}

// A count that can't be read, and one that went backwards, say nothing: their difference would be any number.
std::optional<std::uint64_t> Account::sinceStart(std::optional<std::uint64_t> cpu) const
{
    if (!cpu || !m_cpuBefore || *cpu < *m_cpuBefore)
        return std::nullopt;
    return *cpu - *m_cpuBefore;
}

// What the kernel counts for all is cheap to read; what of it are processes, it has to sum up.
Cause Account::lookAtLeaf() const
{
    const std::optional<std::uint64_t> all = m_leaf.memory();
    if (m_memory.processes == 0 || !all || *all <= m_memory.processes)
        return Cause::Itself;
    const std::uint64_t files = bytesIn(m_scratch.get());
    return m_leaf.processMemory(files).value_or(0) > m_memory.processes ? Cause::ProcessMemory : Cause::Itself;
}

Cause Account::judge(const TreeUse &use) const
{
    if (m_memory.processes != 0 && use.processMemory > m_memory.processes)
        return Cause::ProcessMemory;
    return m_memory.together != 0 && use.memory > m_memory.together ? Cause::Memory : Cause::Itself;
}

// How soon its threads could use up the rest.
std::chrono::nanoseconds Account::untilFull(const TreeUse &use, std::chrono::nanoseconds took) const
{
    std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
    for (const auto &[bound, used] :
         {std::pair(m_memory.processes, use.processMemory), std::pair(m_memory.together, use.memory)}) {
        if (bound != 0)
            left = std::min(left, bound - std::min(bound, used));
    }
    const auto threads =
        std::clamp<std::uint64_t>(use.tasks, 1, std::uint64_t(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L)));
    const std::chrono::microseconds soon(std::min<std::uint64_t>(left / fillingSpeed / threads, 1'000'000));
    return std::clamp<std::chrono::nanoseconds>(std::max<std::chrono::nanoseconds>(soon, took * watchShare),
                                                shortestWatch, watchInterval);
}

void Account::remember(const TreeUse &use)
{
    m_watchedCpu = std::max(m_watchedCpu, use.cpuMicroseconds);
    if (use.most > m_highest.most)
        m_highest = use;
    m_largest = std::max(m_largest, use.largest);
    m_hadAllTasks = m_hadAllTasks || (m_tasks != 0 && use.tasks >= m_tasks);
}

Cause Account::look(pid_t init, Time now)
{
    if (!m_nextLook || now < *m_nextLook)
        return Cause::Itself;
    m_nextLook.reset();
    // A set-up that could not be counted counts as the person's.
    const auto counted = [this](std::optional<std::uint64_t> count) { return m_cpuBefore ? sinceStart(count) : count; };
    std::optional<std::uint64_t> cpu;
    Cause cause = Cause::Itself;
    std::chrono::nanoseconds soonest = watchInterval;
    if (m_leaf) {
        cause = lookAtLeaf();
        if (m_cpu != 0)
            cpu = counted(m_leaf.usage().cpuMicroseconds);
    } else {
        const TreeUse use = useOfTree(init, m_scratch.get(), m_memory, m_kernel);
        soonest = untilFull(use, std::chrono::steady_clock::now() - now);
        cpu = counted(use.cpuMicroseconds);
        remember(use);
        cause = judge(use);
    }
    if (cause != Cause::Itself)
        return cause;
    if (m_cpu != 0 && cpu && *cpu >= m_cpu)
        return Cause::CpuTime;
    m_nextLook = nextRound(now);
    if (soonest < watchInterval)
        m_nextLook = std::min<Time>(*m_nextLook, now + soonest);
    if (m_leaf && m_cpu != 0 && cpu) {
        // All processors at once can't use up the rest sooner.
        const auto processors = std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L);
        const auto left = std::chrono::microseconds(m_cpu - *cpu) / processors;
        m_nextLook = std::min(*m_nextLook, now + std::max<std::chrono::steady_clock::duration>(left, shortestCount));
    }
    return Cause::Itself;
}

bool Account::takeOutOfMemory()
{
    const bool isOut = m_outOfMemory.isValid();
    m_outOfMemory.reset();
    return isOut;
}

Account::Total Account::close(int waitStatus, const rusage &used) const
{
    Total total;
    Spent &spent = total.spent;
    if (m_leaf) {
        const LeafUsage usage = m_leaf.usage();
        spent.counted = m_leaf.kind();
        spent.cpuMicroseconds = sinceStart(usage.cpuMicroseconds);
        spent.peakMemory = usage.peakMemory;
        spent.refusedForks = usage.refusedForks;
        total.ranOutOfMemory = usage.oomKills.value_or(0) > 0;
    } else {
        // An upper bound is no peak, and where one is above all that was seen exactly, neither is that.
        const auto watched = m_highest.exact ? std::optional(m_highest.memory) : std::nullopt;
        spent.cpuMicroseconds = m_watchedCpu;
        spent.peakMemory = watched;
        spent.watched = watched || !endedByItself(waitStatus);
        spent.hadAllTasks = m_hadAllTasks;
        // Nobody waited for those that were killed with PID 1, and what PID 1 itself used says nothing about them.
        const bool leftOthersBehind = WIFEXITED(waitStatus) && WEXITSTATUS(waitStatus) == leftOthers;
        const bool wasWaitedFor = endedByItself(waitStatus) && !leftOthersBehind;
        if (wasWaitedFor || (leftOthersBehind && m_watchedCpu))
            spent.cpuMicroseconds = std::max(spent.cpuMicroseconds,
                                             std::optional(microseconds(used.ru_utime) + microseconds(used.ru_stime)));
        // No peak is known either where a process was larger than all that were waited for (wait(2): its parent ignores SIGCHLD).
        const std::uint64_t largest = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
        if (wasWaitedFor && m_largest <= largest)
            spent.peakMemory = std::max(spent.peakMemory, std::optional(largest));
    }
    return total;
}

} // namespace glovebox::launcher
