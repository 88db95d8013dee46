// SPDX-License-Identifier: Apache-2.0
// Puts changes of a copy into the original.
#pragma once

#include "course.h"

#include "engine/folders/notes.h"

namespace glovebox {

struct EarlierChanges
{
    QList<KeptChange> done;
    bool wasKilled = false; // in the middle: folders of these may have been left open
};

// Each change by itself: at once or not at all. What was applied is taken out of kept, so that what was refused, or not come to when
// it was stopped, goes on waiting. original and contents: folders, readable.
// temporary: name of what is being written, beside its place; nobody else knows it.
// earlier: folders of these that are closed even to their owner are open while more is put into them. What the person opened stays open.
ApplyReport applyChanges(KeptFolder &kept, int original, int contents, const QByteArray &temporary, Course &course,
                         const EarlierChanges &earlier = {});

// Removes files of that name beside the places of the changes: an earlier try that was killed left them.
void removeTemporaries(int original, const QList<KeptChange> &changes, const QByteArray &temporary);

// The content of a changed file as it is kept; invalid where there is none.
UniqueFd openContent(int contents, const KeptChange &kept);
// Bytes that applying would take on the file system of a folder: what is replaced goes only when it has been.
qint64 bytesToApply(const KeptFolder &kept, int original, int contents);

} // namespace glovebox
