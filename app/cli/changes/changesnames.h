// SPDX-License-Identifier: Apache-2.0
// What a person's words mean among changes that wait: a run, and files that it changed.
#pragma once

#include "engine/engine.h"

#include <expected>

namespace glovebox {

bool meansLatest(const QByteArray &word);
// The id of the one among these runs that a person named: "last" is the latest, else an id or at least eight characters of it. Of fewer
// any run's could be meant, and what is discarded is gone. Fewer digits are a number of the log, as in "audit show". A word that names
// none stays as it is.
Result<QString> runCalled(const QByteArray &word, const QList<PendingChanges> &among);
// The changes with these names (a path in the folder, or with the folder's on either side, or from the current folder), with those that
// they can't be taken over without. An error is a sentence.
std::expected<QList<FolderChanges>, QString> changesNamed(const QByteArrayList &typed, const PendingChanges &waiting);
// The changes with these names, and all in and below the folders of these names, for looking. An error is a sentence.
std::expected<QList<FolderChanges>, QString> changesAtOrBelow(const QByteArrayList &typed,
                                                              const PendingChanges &waiting);

} // namespace glovebox
