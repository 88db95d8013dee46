// SPDX-License-Identifier: Apache-2.0
// Times things that take turns, so that a busy machine disturbs all of them alike, and prints their medians as ratios.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace glovebox::bench {

// One thing that is measured. once() does it, and says whether it worked and how long the part took that counts.
struct Series
{
    std::string name;
    std::function<std::chrono::nanoseconds()> once; // negative: it failed
    std::string promise; // "<= raw + 4 ms"; printed, not asserted
    std::vector<double> milliseconds;

    double percentile(double part) const;
};

// The whole call counts; false is a failure.
std::function<std::chrono::nanoseconds()> timed(std::function<bool()> work);

// Every series in turn, rounds times, after three that don't count. False: one of them failed (named on stderr).
bool measure(std::vector<Series> &all, int rounds);
// A line each; the first one is the baseline. Noise is half the distance of the quartiles.
void print(const char *title, const std::vector<Series> &all);

// Exit status of a program without input and output and with this environment.
int runProcess(const std::vector<std::string> &arguments, const std::vector<std::string> &environment);

} // namespace glovebox::bench
