// SPDX-License-Identifier: Apache-2.0
// What a run left: the outcome first, then everything that was observed.
#pragma once

#include "engine/artifacts/artifacts.h"
#include "engine/folders/folders.h"
#include "engine/languages/languages.h"
#include "engine/network/network.h"
#include "engine/policy/policy.h"

#include <QJsonObject>

namespace glovebox {

struct StoredEntry;

// What is kept of one stream.
struct CapturedOutput
{
    QByteArray head; // all of it, or its first bytes (3/4 of the limit)
    QByteArray tail; // empty, or its last bytes (1/4 of the limit)
    qint64 totalBytes = 0;

    // How much of an output limit is for the beginning.
    static constexpr qint64 headLimit(qint64 limit) { return limit - limit / 4; }
    bool isTruncated() const { return totalBytes > head.size() + tail.size(); }
    QByteArray kept() const { return head + tail; } // the body in the store, and what the log commits to
    bool operator==(const CapturedOutput &) const = default;
};

struct RunResult
{
    QString id; // empty: it could not be accepted, and there is no entry
    Outcome outcome = Outcome::SetupFailed;
    Text reason; // one sentence; empty for Completed
    std::optional<int> exitCode;
    std::optional<int> signal;
    CapturedOutput out;
    CapturedOutput err;
    std::optional<CellValue>
        value; // of a cell that completed, as its code says it; not on record; nothing: it has none
    Usage usage;
    bool isCpuInherited = false; // CpuLimit by a limit of whoever started Glovebox (ulimit -t)
    QString backend;
    QString builder;
    bool warm = false; // the sandbox was built before the request was there
    std::chrono::microseconds setUp{0}; // from asking for the sandbox to having its verified report
    QList<Control> controls;
    QList<EgressAttempt> egress; // what it wanted of the network, allowed or not
    QList<RunEvent> events;
    QList<FolderChanges> changes; // to the copies that it was shown; they wait in Staging under the run's id
    QList<Artifact> artifacts; // what it left in its workspace and is kept
    QList<SkippedFiles> skipped; // and what isn't, by reason
    QString session; // id of the one that it was in; empty: none
    qint64 auditSeq = 0; // of the finished entry; 0: it could not be written (an event says so)
    QByteArray auditLeaf;

    bool operator==(const RunResult &) const = default;
};

// The object of the command line's contract, but for "schema": "run" in resources/schema/glovebox.schema.json.
QJsonObject toJson(const RunResult &result);

// What an entry run.finished or run.interrupted says, of this version or another one. What ran wrote isn't in there, but how long it was.
void takeEnd(RunResult &result, const StoredEntry &stored, const QJsonObject &entry);

} // namespace glovebox
