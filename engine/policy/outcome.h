// SPDX-License-Identifier: Apache-2.0
// How a run ended and what was observed: the words that the run, the sandbox, the audit log and the views share.
#pragma once

#include "engine/base/base.h"

#include <QJsonObject>
#include <QString>

#include <chrono>
#include <optional>

namespace glovebox {

enum class Outcome {
    Completed, // exit status 0
    Failed, // exit status not 0
    Signalled, // ended by a signal that Glovebox did not send
    TimedOut,
    CpuLimit,
    OutOfMemory,
    DiskLimit,
    Cancelled,
    Rejected, // the request makes no sense or the queue is full; nothing ran
    Denied, // a person or their policy said no; nothing ran
    SetupFailed, // the sandbox could not be built or verified; nothing ran
    Interrupted, // Glovebox itself ended in the middle
};

QString toString(Outcome outcome); // "completed", "failed", "signalled", "timed_out", "cpu_limit", "out_of_memory",
    // "disk_limit", "cancelled", "rejected", "denied", "setup_failed", "interrupted"
std::optional<Outcome> outcomeFromString(const QString &text);
// True when no instruction of the person's code was executed.
bool nothingRan(Outcome outcome);

// One protection of a run: what was asked for, and what was found by reading it back.
struct Control
{
    enum class State {
        Verified, // read back from inside or outside before the first instruction
        Enforced, // set, but there is nothing that could be read back
        Degraded, // weaker than asked for; detail says how
        Missing, // not there
    };
    QString name; // "user-namespace", "seccomp", ...; ids, not sentences
    QString requested; // "on", "256 MiB", ...
    State state = State::Missing;
    Text detail;

    bool operator==(const Control &) const = default;
};

QString toString(Control::State state); // "verified", "enforced", "degraded", "missing"
QJsonObject toJson(const Control &control); // {"name","requested","state","detail"}

// Something the run did or tried to do, or that Glovebox did to it.
struct RunEvent
{
    QString type; // "output.truncated", "input.refused", ...
    Text detail;

    bool operator==(const RunEvent &) const = default;
};

QJsonObject toJson(const RunEvent &event); // {"type","detail"}

// What a run used up, with where each number comes from. Fields that could not be had are nullopt.
struct Usage
{
    std::chrono::microseconds wall{0};
    std::optional<std::chrono::microseconds> cpu;
    std::optional<qint64> peakMemoryBytes;
    std::optional<qint64> processes; // processes and threads started, the interpreter included
    QString source; // "rusage", later "cgroup2"

    bool operator==(const Usage &) const = default;
};

QJsonObject
toJson(const Usage &usage); // {"wall_ms","cpu_ms","peak_memory_bytes","processes","source"}; null where unknown

QJsonObject toJson(const Text &text); // {"source","args":[]}

} // namespace glovebox
