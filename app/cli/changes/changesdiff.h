// SPDX-License-Identifier: Apache-2.0
// The lines that are different in files that a run changed: for a person, and as JSON.
#pragma once

#include "engine/engine.h"

namespace glovebox {

// Of the files of one command, in the order in which they are asked for: what is too much in one file, or in all of them, is told.
// Blocks for the disk. Both take changes that wait; folder: its path inside.
class LinesOfChanges
{
public:
    LinesOfChanges(const Staging &staging, QString run);

    // Lines as in a unified diff, indented so that none can be mistaken for a line of the list, control characters escaped; or a line that
    // says why there are none. Empty: there are none of a folder or a link.
    QByteArray text(const QString &folder, const FolderChange &change);
    // fileDiff of the contract; null where text() is empty.
    QJsonValue json(const QString &folder, const FolderChange &change);

private:
    Result<QList<DiffLine>> linesOf(const QString &folder, const FolderChange &change);

    const Staging &m_staging;
    QString m_run;
    qsizetype m_files = 0;
    qsizetype m_characters = 0; // of their lines
};

} // namespace glovebox
