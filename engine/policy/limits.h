// SPDX-License-Identifier: Apache-2.0
// What one run may use up.
#pragma once

#include <QtGlobal>

#include <algorithm>
#include <chrono>
#include <optional>

namespace glovebox {

constexpr qint64 kibibyte = 1024;
constexpr qint64 mebibyte = 1024 * kibibyte;

struct Limits
{
    std::chrono::milliseconds wall = std::chrono::seconds(30); // real time from the first instruction
    std::optional<std::chrono::milliseconds> cpu; // processor time of all processes; none: only wall counts
    std::optional<int> cpuPercent; // of one processor that all processes together get at once; none: all there are
    qint64 memoryBytes = 256 * mebibyte;
    int processes = 64; // processes and threads at once
    qint64 outputBytes = 1 * mebibyte; // kept of stdout and of stderr each; what is beyond is counted
    qint64 diskBytes = 256 * mebibyte; // /work, /tmp and /dev/shm together
    std::optional<qint64> trafficBytes; // over the network, both ways and all connections together; none: no limit
    std::optional<qint64> bandwidthBytes; // the same in a second; none: as fast as it goes

    // Files and folders that may be made; follows the space.
    qint64 diskFiles() const { return std::max<qint64>(1024, diskBytes / mebibyte * 64); }

    bool operator==(const Limits &) const = default;
};

// What a person may ask for. Beyond these a number is a typing error.
struct LimitRange
{
    static constexpr std::chrono::milliseconds wallMin{1}, wallMax = std::chrono::hours(1);
    static constexpr std::chrono::milliseconds jobWallMax = std::chrono::hours(24); // of a run in the background
    static constexpr std::chrono::milliseconds cpuMin = std::chrono::seconds(1), cpuMax = std::chrono::hours(24);
    static constexpr int cpuPercentMin = 1, cpuPercentMax = 102'400;
    static constexpr qint64 memoryMin = 16 * mebibyte, memoryMax = 1024 * 1024 * mebibyte;
    static constexpr int processesMin = 1, processesMax = 32768;
    static constexpr qint64 outputMin = 0, outputMax = 1024 * mebibyte;
    static constexpr qint64 diskMin = 1 * mebibyte, diskMax = 1024 * 1024 * mebibyte;
    static constexpr qint64 trafficMin = 1 * mebibyte, trafficMax = 1024 * 1024 * mebibyte;
    static constexpr qint64 bandwidthMin = 1 * kibibyte, bandwidthMax = 1024 * 1024 * kibibyte;
};

} // namespace glovebox
