// SPDX-License-Identifier: Apache-2.0
// What a run changed in the copies of folders, as lines for a person, and their decision.
#pragma once

#include "engine/engine.h"

namespace glovebox {

// A line a change, control characters escaped; most: of those that aren't marked.
QByteArray shownChangeList(const QList<FolderChange> &changes, qsizetype most = 40);
// The same of each folder, at most forty.
QByteArray shownChanges(const PendingChanges &changes);
// Asks at the terminal on standard error; anything but yes is no. What other programs obey, and what is withheld, is asked about by
// itself, first. What is to be applied; nothing: none of it.
ChosenChanges asksToApply(const PendingChanges &changes);
// Applies them and says on standard error what came of it, and on a terminal meanwhile how far it is. SIGINT, SIGTERM and SIGHUP stop it
// between two files. Returns the exit status.
int applyAndSay(Engine &engine, const QString &run, const ChosenChanges &chosen);
// The same of undoing.
int undoAndSay(Engine &engine, const QString &run);

} // namespace glovebox
