// SPDX-License-Identifier: Apache-2.0
// What the files of `glovebox session ...` share.
#pragma once

#include "app/cli/command.h"

namespace glovebox {

class CopyLine;

std::vector<Command> sessionLifeCommands(); // create, fork, rename, delete
std::vector<Command> sessionLookCommands(); // list, status
std::vector<Command> sessionPastCommands(); // snapshots, snapshot, rollback, diff
std::vector<Command> sessionJobCommands(); // jobs, logs, stop
std::vector<Command> sessionPortCommands(); // open, close
std::vector<Command> sessionFileCommands(); // files, put, get, remove
std::vector<Command> sessionPackageCommands(); // install, uninstall

// Does something to a session, on record. Says what became of its files, and how to undo that; the exit status.
// line: of its progress, which ends before anything is said; null: it has none.
int doToSession(const Session &session, const SessionDeed &deed, const QString &whenUnchanged,
                CopyLine *line = nullptr);

} // namespace glovebox
