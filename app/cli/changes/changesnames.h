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
// The changes with these names, with those that they can't be taken over without. An error is a sentence.
std::expected<QList<FolderChanges>, QString> changesNamed(const QByteArrayList &names, const PendingChanges &waiting);
// The changes with these names, and all below the folders of these names, for looking. An error is a sentence.
std::expected<QList<FolderChanges>, QString> changesAtOrBelow(const QByteArrayList &names,
                                                              const PendingChanges &waiting);

} // namespace glovebox
