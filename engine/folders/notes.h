// SPDX-License-Identifier: Apache-2.0
// The notes beside the changes that wait for the person: what they are, and what of it is not to be shown.
#pragma once

#include "copies/copy.h"

namespace glovebox {

// The changes of a run in its copy of one folder.
struct KeptFolder
{
    StagedFolder folder; // copy: where the contents of files are, by number
    QList<KeptChange> changes;
    bool isWhole = true;

    FolderChanges shown() const;
};

// Errors: Io; NotFound where nothing waits; Damaged. Readable by the owner alone.
Status writeManifest(const QString &folder, const QList<KeptFolder> &kept);
Result<QList<KeptFolder>> readManifest(const QString &folder);
// Notes of one folder, by its place among them.
QString contentsIn(const QString &folder, qsizetype index);

// A change that was applied, and the one that undoes it: back.number and back.digest are of what was there before.
struct UndoStep
{
    KeptChange done;
    KeptChange back;
};

// The order of the folders is the manifest's. folder: where what was there before is kept.
Status writeUndo(const QString &folder, const QList<QList<UndoStep>> &steps);
// Nothing where nothing was noted.
Result<QList<QList<UndoStep>>> readUndo(const QString &folder);

// What is not to be shown of a run's changes, by the digest of where it is: the path and the target to show instead.
using Withheld = QMap<QByteArray, std::pair<QByteArray, QByteArray>>;

// folder: FolderChanges::path. path: as it is.
QByteArray digestOf(const QString &folder, const QByteArray &path);

Status writeWithheld(const QString &folder, const Withheld &withheld);
// Nothing where nothing was noted.
Result<Withheld> readWithheld(const QString &folder);

// Returns what stands for what is hidden, by what it was.
QMap<QString, QString> hide(FolderChanges &folder, const Withheld &withheld);

} // namespace glovebox
