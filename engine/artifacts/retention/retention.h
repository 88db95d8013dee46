// SPDX-License-Identifier: Apache-2.0
// Deletes code, output and files of old runs. Their entries stay whole, and so do bodies that a younger run shares.
#pragma once

#include "engine/artifacts/store/contentstore.h"

#include "engine/audit/audit.h"

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

// Deletes what runs left that were accepted before this time and are over: on record first. Finishes an earlier deletion before it
// begins; where nothing else is to be deleted, nothing is begun (seq 0). Busy: another program is deleting. Cancelled: stopped; then, and
// after any other error, the next deletion or finishDeletion() does the rest. Blocks for the disk, file by file; on any thread but the
// log's.
Result<Deletion> deleteBodies(const RetentionRooms &rooms, qint64 beforeMicroseconds, const Caller &caller,
                              const std::stop_token &stop = {});

// Finishes what a program that is gone, or that failed, had begun to delete. Nothing: there is nothing to finish, or somebody is at it.
Result<std::optional<Deletion>> finishDeletion(const RetentionRooms &rooms, const Caller &caller,
                                               const std::stop_token &stop = {});

} // namespace glovebox
