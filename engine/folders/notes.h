// SPDX-License-Identifier: Apache-2.0
// What lies beside a run's copies: what was copied, and what of it is not to be shown.
#pragma once

#include "copy.h"

namespace glovebox {

// One copied folder of a run.
struct Copy
{
    StagedFolder folder;
    CopiedTree tree;
};

// Errors: Io; NotFound where there are no copies; Damaged. copy is where it lies now.
Status writeManifest(const QString &folder, const QList<Copy> &copies);
Result<QList<Copy>> readManifest(const QString &folder);

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
