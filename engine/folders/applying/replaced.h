// SPDX-License-Identifier: Apache-2.0
// Keeps what applying replaces and removes in an original, and puts it back.
#pragma once

#include "course.h"

#include "engine/folders/notes.h"

namespace glovebox {

// Keeps what the changes would replace. steps: gets one for each of the changes that can be undone; what it has already stays.
// contents: path of a folder that is made for the contents of files.
// Errors: Full, Io: it can't be kept; Cancelled: it was stopped.
Status keepReplaced(const KeptFolder &kept, int original, const QString &contents, Course &course,
                    QList<UndoStep> &steps);

// Nothing is put back where something isn't any more what was kept: Damaged. An error says nothing where the course was stopped.
Status checkReplaced(const QList<UndoStep> &steps, const QString &contents, Course &course);

// Those that were certainly never done, or are undone, as a look at the original tells, which reads no content.
QList<UndoStep> neverDone(const QList<UndoStep> &steps, int original);

struct PutBack
{
    QList<KeptChange> waiting; // what was applied and is undone now, with the stamps of what is there
    QList<UndoStep> left; // what was refused, or not come to
    ApplyReport report;
};

// temporary: as for applyChanges().
PutBack putBack(const QList<UndoStep> &steps, const StagedFolder &folder, int original, const QString &contents,
                const QByteArray &temporary, Course &course);

} // namespace glovebox
