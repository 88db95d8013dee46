// SPDX-License-Identifier: Apache-2.0
// Reads a whole batch before anything of it runs.
#pragma once

#include "journal.h"
#include "tasklist.h"

namespace glovebox {

// Says what is wrong on standard error, the first twenty things in full, and returns how many tasks there are. The error is an exit status:
// there was something.
std::expected<qint64, int> checkTasks(const Engine &engine, TaskList &tasks);

// What a journal says of a batch.
struct EndedTasks
{
    std::vector<bool> skips; // by index - 1
    qint64 count = 0; // of those
    qint64 failed = 0; // of those
    qint64 changed = 0; // tasks that ended, but are others now: these run again
    bool hasUnshown = false; // the one that was perhaps not shown is among those skipped
    bool isOfOthers = false; // no task is in the journal
};
EndedTasks endedTasks(const Journal &journal, TaskList &tasks, bool runsFailedAgain);

} // namespace glovebox
