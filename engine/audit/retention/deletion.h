// SPDX-License-Identifier: Apache-2.0
// retention.applied, retention.finished: code, output and files of runs are deleted, of old ones or of some by name; their entries stay as
// they are.
//
// Deleting goes from run to run. First the salts of a run's bodies go, by which nobody takes them for kept any more; then files that no
// other run shares; then the digests, by which unfinished work is known until then. Whoever is killed in between is followed by
// a program that begins at the first run again.
#pragma once

#include "engine/audit/entry.h"
#include "engine/audit/reader.h"
#include "engine/policy/policy.h"

namespace glovebox {

constexpr qsizetype mostChosenRuns = 1000; // of one deletion, whose entry names them

// Which runs a deletion is about, of those that are over.
struct RunsToGo
{
    qint64 beforeMicroseconds = 0; // accepted before this
    QStringList chosen; // or these, by their whole ids

    bool operator==(const RunsToGo &) const = default;
};

// What a deletion would take away. Files that an earlier one left since they were young (Deletion::recent) are among it.
struct Deletable
{
    qint64 runs = 0;
    qint64 bytes = 0; // without those that younger runs share

    bool operator==(const Deletable &) const = default;
};

// A deletion on record.
struct Deletion
{
    qint64 seq = 0; // of retention.applied
    qint64 timeMicroseconds = 0; // when it began
    qint64 beforeMicroseconds =
        0; // runs that were accepted before, and over when it began; 0: of those that were chosen
    QStringList chosen; // ids of runs; empty: of old ones
    qint64 runs = 0;
    qint64 files = 0; // removed, as far as it is known: a program that was killed didn't count to the end
    qint64 bytes = 0; // of these
    bool isFinished = false;
    bool isResumed = false; // another program than the one that began it finished it
    // Known only to who just deleted:
    qint64 recent = 0; // files that stay until a deletion in an hour, as a program might be about to rely on them
    qint64 earlierFiles = 0; // removed to finish an earlier deletion
    qint64 earlierBytes = 0; // of these

    bool operator==(const Deletion &) const = default;
};

// Each looks at the whole log: blocks for a second where there are 100,000 runs.
// NotFound: there is no such run; Busy: one isn't over; InvalidInput: too many are chosen.
Result<Deletable> deletableOf(const AuditReader &reader, const RunsToGo &runs);
Result<std::optional<Deletion>> lastDeletion(const AuditReader &reader);
// When bodies of this run were deleted, in microseconds. Nothing: they weren't.
Result<std::optional<qint64>> whenDeleted(const AuditReader &reader, const RunRow &run);

// On record before anything is deleted. When the engine dies before the end, recovery writes retention.interrupted.
Entry beginningOf(const Deletion &deletion, const Caller &caller);
Entry endOf(const Deletion &deletion, const Caller &caller, bool isBegun);
// Whether the log waits for an end of this deletion: not where recovery wrote one.
Result<bool> isBegun(const AuditReader &reader, const Deletion &deletion);

// A run that still has bodies.
struct RunToDelete
{
    qint64 seq = 0;
    QString run;

    bool operator==(const RunToDelete &) const = default;
};

struct BodyToDelete
{
    qint64 seq = 0;
    QString what;
    QString run;
    QByteArray digest;

    bool operator==(const BodyToDelete &) const = default;
};

// The oldest of those that the deletion is about, after this one.
Result<QList<RunToDelete>> runsToDelete(const AuditReader &reader, const Deletion &deletion, qint64 afterSeq, int most);
// No entry: takes the salts of these runs' bodies, and the first line of their code.
Entry saltsTaken(const QList<RunToDelete> &runs);
// Those of these runs whose digests are there.
Result<QList<BodyToDelete>> bodiesToDelete(const AuditReader &reader, const QList<RunToDelete> &runs);
// Whether a body that isn't to be deleted has this content.
Result<bool> isShared(const AuditReader &reader, const QByteArray &digest);
// No entry: takes the digests.
Entry digestsTaken(const QList<BodyToDelete> &bodies);

} // namespace glovebox
