// SPDX-License-Identifier: Apache-2.0
// The tables of the log, and the check that a file is one.
#pragma once

#include "sqlite.h"

namespace glovebox {

constexpr int schemaVersion = 3; // PRAGMA user_version

// SELECT name, seq: which runs asked for which secrets, from their entries. For a log without the table lent.
extern const char *const lentFromEntries;

enum class LogState { Empty, Older, Ready, Newer };

// What the file is, without changing it. Damaged when it is no log of ours.
Result<LogState> inspectLog(const Connection &connection, const QString &file);

// Opens the log for writing: makes it (0600) if there is none, adds what an older one lacks, and makes sure that it can be written now.
Result<Connection> openLog(const QString &file);

} // namespace glovebox
