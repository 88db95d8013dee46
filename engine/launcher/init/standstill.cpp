// SPDX-License-Identifier: Apache-2.0
#include "standstill.h"

#include "engine/launcher/packet.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
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
    while (const dirent *entry = ::readdir(entries.get())) {
        if (const int number = std::atoi(entry->d_name); number > 0)
            numbers.push_back(number);
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

} // namespace glovebox::launcher
