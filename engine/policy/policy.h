// SPDX-License-Identifier: Apache-2.0
// The room's public header: what a run may do, who asked for it and how it ended, as plain values without I/O.
#pragma once

#include "limits.h"
#include "outcome.h"
#include "secrets.h"
#include "tools.h"
#include "variables.h"

#include "engine/base/base.h"

#include <QJsonObject>
#include <QList>
#include <QStringList>

namespace glovebox {

// A host folder shown to a run.
struct FolderGrant
{
    enum class Mode { ReadOnly, Stage, ReadWrite };
    QString hostPath; // absolute
    QString path; // absolute path inside
    Mode mode = Mode::ReadOnly;

    bool operator==(const FolderGrant &) const = default;
};

template<>
inline constexpr auto enumNames<FolderGrant::Mode> = namesOf<FolderGrant::Mode>({
    {FolderGrant::Mode::ReadOnly, "ro"},
    {FolderGrant::Mode::Stage, "stage"},
    {FolderGrant::Mode::ReadWrite, "rw"},
});

struct Policy
{
    Limits limits;
    bool strict = false; // every control is a must: nothing may be degraded
    QString backend = QStringLiteral("native");
    QStringList allow; // HOST[:PORT]; empty allows nothing
    QList<FolderGrant> folders; // empty shows nothing of the host's
    QStringList tools; // SERVER.TOOL of the person's MCP servers that the code may call; empty: none

    bool operator==(const Policy &) const = default;
};

// InvalidInput with a sentence for the first value out of range (LimitRange), unknown backend, or folder whose place inside
// makes no sense. What is at a folder's host path is not looked at. wallMax: of a job LimitRange::jobWallMax.
Status validate(const Policy &policy, std::chrono::milliseconds wallMax = LimitRange::wallMax);

// {"backend","folders":[{"host","mode","path"}],"limits":{"cpu_ms","cpu_percent","disk_bytes","memory_bytes","output_bytes",
// "processes","wall_ms"},"network":{"allow":[],"bandwidth_bytes","traffic_bytes"},"strict","tools":[]}; cpu_ms, cpu_percent and the two of
// the network are null when there is no limit; "tools" is there only where it isn't empty. Part of the audit entry's format.
QJsonObject toJson(const Policy &policy);
// An unknown or missing field, a wrong type or a value out of range is refused. (cpu_percent, the limits of the network and
// the tools may be missing: entries from before there were such things are on record.)
Result<Policy> policyFromJson(const QJsonObject &object, std::chrono::milliseconds wallMax = LimitRange::wallMax);

// A file that is put inside before the first instruction.
struct InnerFile
{
    QByteArray name; // one path component, in /work; of a driver's file a path below /run/glovebox
    QByteArray content;

    bool operator==(const InnerFile &) const = default;
};

// A terminal of a run's own.
struct Terminal
{
    int rows = 24;
    int columns = 80;
    QByteArray type = "dumb"; // TERM: what the place understands where its output is shown

    bool operator==(const Terminal &) const = default;
};

// Who asked for a run.
struct Caller
{
    enum class Kind { Cli, Workbench, Mcp };
    // How a client of MCP is connected. Who doesn't say so is trusted with the least.
    enum class Way {
        Unknown,
        Stdio, // started it as a program of its own
        Socket,
        Http,
    };
    Kind kind = Kind::Cli;
    qint64 pid = 0;
    QString program; // as the kernel names it
    QString claimed; // what it calls itself; shown, never trusted
    Way way = Way::Unknown; // of a client of MCP
    QString pairing; // id of the paired client that proved to be it; empty: none did
    QString connection; // id of its connection, an id of its own even where the program is the same; on no record
    QString folder; // that it was started in, where that is known; on no record
    bool isAskable = false; // the client can ask the person for us, in a dialog of its own; on no record

    bool operator==(const Caller &) const = default;
};

template<>
inline constexpr auto enumNames<Caller::Kind> = namesOf<Caller::Kind>({
    {Caller::Kind::Cli, "cli"},
    {Caller::Kind::Workbench, "workbench"},
    {Caller::Kind::Mcp, "mcp"},
});

template<>
inline constexpr auto enumNames<Caller::Way> = namesOf<Caller::Way>({
    {Caller::Way::Unknown, "unknown"},
    {Caller::Way::Stdio, "stdio"},
    {Caller::Way::Socket, "socket"},
    {Caller::Way::Http, "http"},
});

// Whose runs take turns with those of others, and are counted together. Nothing that a client claims is in it.
QString partyOf(const Caller &caller);

// {"kind","pid","program","claimed"}; null where unknown. Of a client of MCP also "way" and "pairing", where known.
QJsonObject toJson(const Caller &caller);

} // namespace glovebox
