// SPDX-License-Identifier: Apache-2.0
// What the processes of a run hold and write: files that are in no folder any more take their space all the same. POSIX tells nothing of
// them: there are none, and how much they hold is not known.
#pragma once

#include <QByteArray>

#include <optional>
#include <set>
#include <vector>

#include <sys/types.h>

namespace glovebox {

// Parents first.
std::vector<pid_t> processesBelow(pid_t init);
QByteArray statesOfProcess(pid_t process); // of each thread the letter of proc(5), stat; empty: it is gone
bool isToldToStop(pid_t process); // by a signal that it hasn't got to yet
// Tells it from another one that has its number later; empty: it has ended.
QByteArray startOfProcess(pid_t process);

// init: the run's first process, not counted itself. Bytes written to files on disk by those below it, and by those that they
// waited for; rewriting counts, too, and file systems in memory count nothing.
qint64 writtenBelow(pid_t init);

// Bytes on these file systems of files without a name that processes below this one have open. Nothing: some can't be measured,
// because they are only mapped, or under way from one process to another.
std::optional<qint64> namelessBelow(pid_t init, const std::set<dev_t> &fileSystems);

} // namespace glovebox
