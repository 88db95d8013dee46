// SPDX-License-Identifier: Apache-2.0
// What a run changed in the copies of folders, as lines for a person, and their decision.
#pragma once

#include "engine/engine.h"

#include <functional>

namespace glovebox {

// What stands below the line of a change; folder: its path inside.
using BelowChange = std::function<QByteArray(const QString &folder, const FolderChange &change)>;

// A line a change, control characters escaped; most: of those that aren't marked.
QByteArray shownChangeList(const QList<FolderChange> &changes, qsizetype most = 40,
                           const std::function<QByteArray(const FolderChange &)> &below = {});
// Of a copy that isn't whole (FolderChanges::isWhole): why there are no changes to show.
QString uncomparedSentence(const FolderChanges &folder);
// The lines of the changes of each folder, at most forty, or all.
QByteArray shownChanges(const PendingChanges &changes, const BelowChange &below = {}, bool showsAll = false);
qsizetype countOf(const QList<FolderChanges> &folders); // of their changes
// Those that other programs don't obey, and that aren't withheld, as far as they can be taken over without the others.
QList<FolderChanges> withoutMarked(QList<FolderChanges> folders);
// Asks at the terminal on standard error; anything but yes is no. What other programs obey, and what is withheld, is asked about by
// itself, first. unanswered: as for asksWhether(). What is to be applied; nothing: none of it.
ChosenChanges asksToApply(const PendingChanges &changes, const QString &unanswered);
// Applies them and says on standard error what came of it, and on a terminal meanwhile how far it is. SIGINT, SIGTERM and SIGHUP stop it
// between two files. namesFiles: the folders and files of those that were applied, a few of each. Returns the exit status.
int applyAndSay(Engine &engine, const QString &run, const ChosenChanges &chosen, bool namesFiles);
// The same of undoing; names them.
int undoAndSay(Engine &engine, const QString &run);
// A line a folder on standard error, with a few of its files.
void sayFiles(const QList<FolderChanges> &folders);

} // namespace glovebox
