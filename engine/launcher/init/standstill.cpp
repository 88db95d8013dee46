// SPDX-License-Identifier: Apache-2.0
#include "standstill.h"

#include "engine/launcher/packet.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace glovebox::launcher {

namespace {

// Of a folder of /proc: its names that are numbers.
std::optional<std::vector<int>> numbersIn(const std::string &folder)
{
    const std::unique_ptr<DIR, int (*)(DIR *)> entries(::opendir(folder.c_str()), ::closedir);
    if (!entries)
        return std::nullopt;
    std::vector<int> numbers;
    errno = 0;
    while (const dirent *entry = ::readdir(entries.get())) { // NOLINT(concurrency-mt-unsafe): PID 1 has one thread
        if (const long number = std::strtol(entry->d_name, nullptr, 10); number > 0)
            numbers.push_back(static_cast<int>(number));
    }
    return errno == 0 ? std::optional(numbers) : std::nullopt;
}

// proc(5), /proc/pid/stat: behind the name, which may have brackets. 0: the task is gone.
char stateOf(const std::string &task)
{
    char text[256] = {};
    const UniqueFd fd(::open((task + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd || ::read(fd.get(), text, sizeof text - 1) <= 0)
        return 0;
    const char *const name = std::strrchr(text, ')');
    return name && name[1] == ' ' ? name[2] : char(0);
}

// Of all its threads, also those that ended.
std::optional<std::uint64_t> cpuNanoseconds(int process)
{
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0)
        return std::nullopt;
    return static_cast<std::uint64_t>(used.tv_sec) * 1000000000 + static_cast<std::uint64_t>(used.tv_nsec);
}

} // namespace

std::uint64_t countTasks()
{
    std::uint64_t count = 0;
    for (const int process : numbersIn("/proc").value_or(std::vector<int>()))
        count += numbersIn("/proc/" + std::to_string(process) + "/task").value_or(std::vector<int>()).size();
    return count;
}

std::optional<Look> lookAtAll()
{
    constexpr std::uint64_t prime = 1099511628211; // of FNV-1a
    Look look;
    const auto processes = numbersIn("/proc");
    if (!processes)
        return std::nullopt;
    for (const int process : *processes) {
        if (process == ::getpid())
            continue;
        const std::string tasks = "/proc/" + std::to_string(process) + "/task";
        const auto threads = numbersIn(tasks);
        if (!threads)
            return std::nullopt;
        for (const int thread : *threads) {
            const char state = stateOf(tasks + "/" + std::to_string(thread));
            if (state == 0)
                return std::nullopt;
            const bool isStopped = std::strchr("TtZX", state) != nullptr;
            look.isStopped = look.isStopped && isStopped;
            look.mayRun = look.mayRun || (!isStopped && state != 'D');
        }
        const auto used = cpuNanoseconds(process);
        if (!used)
            return std::nullopt;
        for (const std::uint64_t part : {static_cast<std::uint64_t>(process), *used})
            look.mark = (look.mark ^ part) * prime;
    }
    return look;
}

// The kernel signals all of them under the lock that a fork takes, so that no copy escapes. But a SIGCONT, which code may send itself
// without end, takes the stop back before it is obeyed (signal(7)): what counts is that nothing used the processor around it.
std::optional<Look> stopAll(const std::function<void()> &reap)
{
    using Clock = std::chrono::steady_clock;
    using namespace std::chrono_literals;
    constexpr timespec forThemToStop{.tv_sec = 0, .tv_nsec = 1'000'000};
    constexpr auto longest = 3s, longestRunning = 1s;
    // A task that waits for a disk, or for a child that hasn't got to its program, stops before its code runs again. The end of the wait
    // itself takes processor time, which the look before the next cell would take for code that ran: hence it is waited for first, but not
    // for ever, since the child may be stopped, too.
    constexpr auto longestWait = 800ms;
    const auto begin = Clock::now();
    auto since = begin;
    auto lastRan = begin;
    Clock::duration running{};
    for (auto before = lookAtAll(); running <= longestRunning && since - begin <= longest;) {
        if (::kill(-1, SIGSTOP) != 0)
            return std::nullopt;
        ::nanosleep(&forThemToStop, nullptr);
        reap();
        const auto after = lookAtAll();
        const auto now = Clock::now();
        if (!before || !after || before->mark != after->mark) {
            running += now - since;
            lastRan = now;
        } else {
            // Both times, as the kernel counts what a task used a moment after it shows the task as stopped.
            const bool isStopped = before->isStopped && after->isStopped;
            if (isStopped || (now - lastRan > longestWait && !before->mayRun && !after->mayRun))
                return after;
        }
        before = after;
        since = now;
    }
    return std::nullopt;
}

} // namespace glovebox::launcher
