// SPDX-License-Identifier: Apache-2.0
// What a run puts on record: its accepted and its finished entry, with the bodies that these commit to.
#pragma once

#include "engine/run/rooms.h"
#include "engine/run/run.h"

#include <functional>

namespace glovebox {

// The entry for a request, whatever is in it: what the log's format can't hold (a limit beyond 2^53, half a surrogate pair)
// is brought into its range, as such a request is rejected afterwards. Of code beyond maximumCodeBytes the beginning is
// committed to and kept, and the entry says how long it was. language: null where none is known. Hashes the code.
AcceptedEntry acceptedEntry(const QString &id, const RunRequest &request, const Language *language);
// The part of the code that acceptedEntry() commits to.
QByteArrayView recordedCode(const RunRequest &request);
// The first line that says something, for the history's list.
QString firstLineOf(QByteArrayView code);

// An event that says what of the run isn't on record.
void addIncomplete(RunResult &result, const Text &reason);

// The result of a run that has no entry, and hence didn't run, because of this.
RunResult unacceptedResult(const Error &error);

using Closed = std::function<void(RunResult)>;

// Bodies into the store, then the finished entry into the log. closed gets the result with its place in the log, or with an
// event "record.incomplete"; it is called on this thread or the log's writer.
void closeEntry(const Rooms &rooms, RunResult result, const Closed &closed);
// The same, waiting for it.
RunResult closeEntry(const Rooms &rooms, RunResult result);

} // namespace glovebox
