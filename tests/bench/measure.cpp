// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <thread>

namespace glovebox::bench {

namespace {
using SteadyClock = std::chrono::steady_clock;
constexpr int roundsToWarmUp = 3;
// The kernel takes away what a run left, and the launcher makes the next one's process, when the result is out already:
// neither may fall into the next figure. What runs in a row cost is bench_flow's.
constexpr auto pause = std::chrono::milliseconds(5);
} // namespace

double Series::percentile(double part) const
{
    std::vector<double> sorted = milliseconds;
    std::ranges::sort(sorted);
    return sorted.at(static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1)));
}

std::function<std::chrono::nanoseconds()> timed(std::function<bool()> work)
{
    return [work = std::move(work)] {
        const auto begin = SteadyClock::now();
        const bool worked = work();
        return worked ? SteadyClock::now() - begin : std::chrono::nanoseconds(-1);
    };
}

bool measure(std::vector<Series> &all, int rounds)
{
    for (int round = -roundsToWarmUp; round < rounds; ++round) {
        for (Series &series : all) {
            std::this_thread::sleep_for(pause);
            const std::chrono::nanoseconds took = series.once();
            if (took.count() < 0) {
                std::fprintf(stderr, "%s failed\n", series.name.c_str());
                return false;
            }
            if (round >= 0)
                series.milliseconds.push_back(std::chrono::duration<double, std::milli>(took).count());
        }
    }
    return true;
}

void print(const char *title, const std::vector<Series> &all)
{
    std::printf("\n%-34s %9s %9s %9s %7s %10s  %s\n", title, "median ms", "p10", "noise", "ratio", "added ms",
                "promised");
    const double base = all.front().percentile(0.5);
    const double best = all.front().percentile(0.1);
    for (const Series &series : all) {
        const double median = series.percentile(0.5);
        std::printf("%-34s %9.2f %9.2f %9.2f %7.2f %+10.2f  %s\n", series.name.c_str(), median, series.percentile(0.1),
                    (series.percentile(0.75) - series.percentile(0.25)) / 2, median / base, median - base,
                    series.promise.c_str());
    }
    std::printf("(at p10: ");
    for (const Series &series : all)
        std::printf("%s %.2f x, %+.2f; ", series.name.c_str(), series.percentile(0.1) / best,
                    series.percentile(0.1) - best);
    std::printf(")\n");
    std::fflush(stdout);
}

int runProcess(const std::vector<std::string> &arguments, const std::vector<std::string> &environment)
{
    const auto pointers = [](const std::vector<std::string> &list) {
        std::vector<char *> all;
        for (const std::string &text : list)
            all.push_back(const_cast<char *>(text.c_str()));
        all.push_back(nullptr);
        return all;
    };
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    for (int fd : {0, 1})
        ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    pid_t pid = -1;
    int status = -1;
    if (::posix_spawn(&pid, arguments.front().c_str(), &actions, nullptr, pointers(arguments).data(),
                      pointers(environment).data())
        == 0)
        ::waitpid(pid, &status, 0);
    ::posix_spawn_file_actions_destroy(&actions);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace glovebox::bench
