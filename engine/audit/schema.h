// SPDX-License-Identifier: Apache-2.0
// The tables of the database, and the check that a file is one. Tables beside the log belong to other rooms (secrets: vault,
// install: identity, clients and grants: approval), and are made here, as all share one version.
#pragma once

#include "engine/sqlite/sqlite.h"

namespace glovebox {

constexpr int schemaVersion = 5; // PRAGMA user_version

// SELECT name, seq: which runs asked for which secrets, from their entries. For a log without the table lent.
extern const char *const lentFromEntries;

enum class LogState { Empty, Older, Ready, Newer };

// What the file is, without changing it. Damaged when it is no log of ours.
Result<LogState> inspectLog(const Connection &connection, const QString &file);

// Damaged where the file has no byte, but what the log wrote of is there still: somebody emptied it. Before it is opened, as SQLite takes
// an empty file for a new database, and removes the WAL beside it.
Status checkNotEmptied(const QString &file);

// Not whole, as SQLite sees it.
std::unexpected<Error> damagedLog(const QString &file);

// Inside a transaction, which keeps the answer true until its end. Newer when the tables are of a later version by now.
Status checkWritable(const Connection &connection, const QString &file);

// Opens the log for writing: makes it (0600) if there is none, adds what an older one lacks, and makes sure that it is
// whole, as far as its size tells, and can be written now.
Result<Connection> openLog(const QString &file);

} // namespace glovebox
