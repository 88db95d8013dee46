// SPDX-License-Identifier: Apache-2.0
// How a run ended and what was observed: the words that the run, the sandbox, the audit log and the views share.
#pragma once

#include "controlid.h"

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

template<>
inline constexpr auto enumNames<Outcome> = namesOf<Outcome>({
    {Outcome::Completed, "completed"},
    {Outcome::Failed, "failed"},
    {Outcome::Signalled, "signalled"},
    {Outcome::TimedOut, "timed_out"},
    {Outcome::CpuLimit, "cpu_limit"},
    {Outcome::OutOfMemory, "out_of_memory"},
    {Outcome::DiskLimit, "disk_limit"},
    {Outcome::Cancelled, "cancelled"},
    {Outcome::Rejected, "rejected"},
    {Outcome::Denied, "denied"},
    {Outcome::SetupFailed, "setup_failed"},
    {Outcome::Interrupted, "interrupted"},
});

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
    ControlId id = ControlId::Unknown;
    QString requested; // "on", "256 MiB", ...
    State state = State::Missing;
    Text detail;

    bool operator==(const Control &) const = default;
};

template<>
inline constexpr auto enumNames<Control::State> = namesOf<Control::State>({
    {Control::State::Verified, "verified"},
    {Control::State::Enforced, "enforced"},
    {Control::State::Degraded, "degraded"},
    {Control::State::Missing, "missing"},
});

QJsonObject toJson(const Control &control); // {"name","requested","state","detail"}

enum class EventType {
    Unknown, // on record by another version
    OutputTruncated,
    OutputIncomplete,
    InputRefused,
    CallRefused,
    FileRefused, // it looked where secrets usually lie, or tried to write where other programs start from
    EventsMore,
    ProcessesLimit,
    DiskFull, // at the end of code that went on all the same
    LeakOutput,
    SecretPrinted, // a secret that was lent; its value was taken out of the output
    NetworkLookup,
    NetworkConnect,
    NetworkTraffic,
    EgressLost,
    EgressMore,
    FolderShown,
    FolderSkipped,
    FolderChanges,
    FolderNotCompared,
    FolderSensitiveChange,
    FolderSecret, // a secret that was lent lies in what changed: nobody but a person applies that
    FolderHoldsSecret, // a secret that was lent lies in a file of a folder itself, which changed meanwhile
    FolderLost,
    ArtifactSkipped, // files that it left and that aren't kept
    HomeLeft, // files in its home, which went with it
    ArtifactSecret, // a file that it left has a secret in it that was lent: nobody but the person has it kept
    SessionWaits, // for another run in the same session
    SessionKept, // what it did to the session's files
    SessionSkipped, // files that the session doesn't keep
    InterpreterStarted, // a new one of the session, which knows of no earlier code
    InterpreterEnded, // the session's, with all that code had left in it
    SessionLost, // nothing of what the run did to them is kept
    PackagesShown, // which the run could import
    ToolServerStarted, // an MCP server of the person's, for the run
    ToolCalled, // of such a server, by the run
    ToolRefused, // a call that was not passed on
    RecordIncomplete,
    CodeNotRun, // of a run that was cancelled before its code began; other outcomes say that themselves (nothingRan())
    ErrorDetail, // the exact cause of what the ending says
};

template<>
inline constexpr auto enumNames<EventType> = namesOf<EventType>({
    {EventType::Unknown, "unknown"},
    {EventType::OutputTruncated, "output.truncated"},
    {EventType::OutputIncomplete, "output.incomplete"},
    {EventType::InputRefused, "input.refused"},
    {EventType::CallRefused, "call.refused"},
    {EventType::FileRefused, "file.refused"},
    {EventType::EventsMore, "events.more"},
    {EventType::ProcessesLimit, "processes.limit"},
    {EventType::DiskFull, "disk.full"},
    {EventType::LeakOutput, "leak.output"},
    {EventType::SecretPrinted, "secret.printed"},
    {EventType::NetworkLookup, "network.lookup"},
    {EventType::NetworkConnect, "network.connect"},
    {EventType::NetworkTraffic, "network.traffic"},
    {EventType::EgressLost, "egress.lost"},
    {EventType::EgressMore, "egress.more"},
    {EventType::FolderShown, "folder.shown"},
    {EventType::FolderSkipped, "folder.skipped"},
    {EventType::FolderChanges, "folder.changes"},
    {EventType::FolderNotCompared, "folder.not-compared"},
    {EventType::FolderSensitiveChange, "folder.sensitive-change"},
    {EventType::FolderSecret, "folder.secret"},
    {EventType::FolderHoldsSecret, "folder.holds-secret"},
    {EventType::FolderLost, "folder.lost"},
    {EventType::ArtifactSkipped, "artifact.skipped"},
    {EventType::HomeLeft, "home.left"},
    {EventType::ArtifactSecret, "artifact.secret"},
    {EventType::SessionWaits, "session.waits"},
    {EventType::SessionKept, "session.kept"},
    {EventType::SessionSkipped, "session.skipped"},
    {EventType::InterpreterStarted, "session.interpreter_started"},
    {EventType::InterpreterEnded, "session.interpreter_ended"},
    {EventType::SessionLost, "session.lost"},
    {EventType::PackagesShown, "packages.shown"},
    {EventType::ToolServerStarted, "tool.server"},
    {EventType::ToolCalled, "tool.called"},
    {EventType::ToolRefused, "tool.refused"},
    {EventType::RecordIncomplete, "record.incomplete"},
    {EventType::CodeNotRun, "code.not-run"},
    {EventType::ErrorDetail, "error.detail"},
});

// What code had once it began; untrue of a run that never did, though older versions logged it.
constexpr bool isOfBegunRun(EventType type)
{
    return type == EventType::FolderShown || type == EventType::PackagesShown;
}

// Why nobody told of looks for the person's keys, where half of telling can't be had, so that silence about them means nothing. Nothing:
// they were told. controls: of a run whose code began.
std::optional<Text> whyLooksAreUntold(const QList<Control> &controls);

// A place on another machine, or on the run's own.
struct Destination
{
    QString host; // an address, without brackets
    quint16 port = 0;

    bool operator==(const Destination &) const = default;
};

// Files of a granted folder that other programs execute or load, and that a run added, changed or removed.
struct PlantedFiles
{
    QString folder; // on the host
    QString name; // of one, as it is shown; empty: count further ones, which no event names
    qint64 count = 1;

    bool operator==(const PlantedFiles &) const = default;
};

// Something the run did or tried to do, or that Glovebox did to it.
struct RunEvent
{
    EventType type = EventType::Unknown;
    Text detail;
    std::optional<Destination> destination; // of NetworkConnect and -Lookup, unless the run meant itself; in no JSON
    QByteArray question; // of NetworkLookup, as it was sent but for its number; empty: it can't be read. In no JSON
    std::optional<PlantedFiles> files; // of FolderSensitiveChange; nothing: read from the log. In no JSON
    // Of EventsMore: attempts at addresses that no call shows. Nothing: more like the events before it, or an entry of an older version,
    // whose sentence says which.
    std::optional<qint64> unseen;
    // Of FolderChanges: those to files that other programs execute or load. Nothing: an entry of an older version.
    std::optional<qint64> sensitive;
    std::optional<Destination>
        own; // of NetworkConnect to the run's own loopback; nothing: read from the log. In no JSON

    bool operator==(const RunEvent &) const = default;
};

QJsonObject toJson(const RunEvent &event); // {"type","detail"}, with "unseen" and "sensitive" where they are known

// Who counted what a run used up.
enum class UsageSource {
    Rusage, // the kernel, for its parent: processes that were waited for
    Watchdog, // the launcher, by looking
    Cgroup1,
    Cgroup2,
};

template<>
inline constexpr auto enumNames<UsageSource> = namesOf<UsageSource>({
    {UsageSource::Rusage, "rusage"},
    {UsageSource::Watchdog, "watchdog"},
    {UsageSource::Cgroup1, "cgroup1"},
    {UsageSource::Cgroup2, "cgroup2"},
});

// What a run used up, with where each number comes from. Fields that could not be had are nullopt.
struct Usage
{
    std::chrono::microseconds wall{0};
    std::optional<std::chrono::microseconds> cpu;
    std::optional<qint64> peakMemoryBytes;
    std::optional<qint64> processes; // processes and threads started, the interpreter included
    std::optional<UsageSource> source; // nullopt: nobody counted; "" in JSON

    bool operator==(const Usage &) const = default;
};

QJsonObject
toJson(const Usage &usage); // {"wall_ms","cpu_ms","peak_memory_bytes","processes","source"}; null where unknown

QJsonObject toJson(const Text &text); // {"source","args":[]}
Text textFrom(const QJsonValue &value); // the same again

} // namespace glovebox
