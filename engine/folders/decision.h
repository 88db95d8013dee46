// SPDX-License-Identifier: Apache-2.0
// What a person decides about a run's changes to copies of folders: on record before anything is done, and when it is done.
#pragma once

#include "folders.h"

#include "engine/audit/audit.h"

namespace glovebox {

struct FolderDecision
{
    QString run;
    Caller caller;
    FolderDeed deed = FolderDeed::Discard;
    QStringList folders; // the originals, on the host
    qint64 changes = 0; // so many of them
    qint64 refused = 0; // of those: not done, and why is the person's to see
    bool isStopped = false; // before all was done: the others wait

    bool operator==(const FolderDecision &) const = default;
};

// folder.applying, folder.undoing, folder.discarding. When the engine dies before the end, recovery writes folder.interrupted.
Entry beginningOf(const FolderDecision &decision);
// folder.applied, folder.undone, folder.discarded. began: number of the entry that began it.
Entry endOf(const FolderDecision &decision, qint64 began);

} // namespace glovebox
