// SPDX-License-Identifier: Apache-2.0
// Deletes code, output and files of runs, old ones or some by name. Their entries stay whole, and so do bodies that another run shares.
#pragma once

#include "engine/artifacts/store/contentstore.h"

#include "engine/audit/audit.h"

#include <functional>
#include <stop_token>

namespace glovebox {

// Of one data folder. All outlive the call.
struct RetentionRooms
{
    const ContentStore &store;
    AuditLog &log;
    QString logFile;
    QString lockFile; // held while something is deleted; left behind by a program that is killed meanwhile
};

struct DeletedUntilNow
{
    qint64 runs = 0, allRuns = 0; // of this deletion, or of the earlier one that is finished first
    qint64 bytes = 0; // freed by both

    bool operator==(const DeletedUntilNow &) const = default;
};

// Called now and then, on the same thread; false stops the deletion.
using DeletionProgress = std::function<bool(const DeletedUntilNow &now)>;

// Deletes what these runs left, as far as they are over: on record first. Finishes an earlier deletion before it begins; where nothing
// else is to be deleted, nothing is begun (seq 0). Busy: another program is deleting. Cancelled: stopped; then, and after any other error,
// the next deletion or finishDeletion() does the rest. Else errors of deletableOf(). Blocks for the disk, file by file; on any thread but
// the log's.
Result<Deletion> deleteBodies(const RetentionRooms &rooms, const RunsToGo &runs, const Caller &caller,
                              const std::stop_token &stop = {}, const DeletionProgress &progress = {});

// Finishes what a program that is gone, or that failed, had begun to delete. Nothing: there is nothing to finish, or somebody is at it.
Result<std::optional<Deletion>> finishDeletion(const RetentionRooms &rooms, const Caller &caller,
                                               const std::stop_token &stop = {});

} // namespace glovebox
