// SPDX-License-Identifier: Apache-2.0
// How what a run changed comes out of its copy, to wait for the person; and what is looked at before it is applied.
#pragma once

#include "copies/content.h"
#include "notes.h"

namespace glovebox {

// A copy that a run works on.
struct ActiveCopy
{
    StagedFolder folder;
    QByteArray copied; // copyFolder()'s answer
    std::shared_ptr<const UniqueFd> root; // of the copy; null: it could not be made
    qint64 mostBytes = 0; // that can be in it
};

// Takes it out of the copy. contents: path of a folder that is made for the contents of files; shown: what others may see of it.
Status keepChanges(const ActiveCopy &copy, const QString &contents, KeptFolder &kept, FolderChanges &shown,
                   const Withhold &withhold, Withheld &withheld);

// Nothing of it is applied where something isn't any more what the person was shown: Damaged.
Status checkContents(const KeptFolder &kept, const GoesOn &goesOn = {});
// Before the first is touched: Full.
Status checkRoom(const QList<KeptFolder> &all);

// Readable; invalid where there is none.
UniqueFd openFolderOf(const QString &path);
// Links are not followed, since the run made them. None where there is no regular file that can be read.
UniqueFd openFileBelow(int folder, const QByteArray &path);

} // namespace glovebox
