// SPDX-License-Identifier: Apache-2.0
// The steps that undo what was applied, where they are kept, and what applying and undoing have in common.
#pragma once

#include "course.h"

#include "engine/folders/notes.h"
#include "engine/folders/stagingplace.h"

namespace glovebox {

using Steps = QList<QList<UndoStep>>; // of each folder

bool isNothing(const QList<KeptFolder> &all);
QString contentsBefore(const QString &folder, qsizetype index); // what was there before, of one folder
void forgetSteps(const StagingPlace &place, const QString &folder);
void forgetContents(const QString &folder, const Steps &known);
void noteSteps(const QString &folder, const Steps &steps);
// From now on this applying can be undone, and nothing older. False: its steps are still where applying keeps them, which the notes
// "applying" or "undoing" beside them must go on to say.
[[nodiscard]] bool settle(const StagingPlace &place, const QString &run);
Result<QByteArray> noteTemporary(const QString &path, const QString &other);
UniqueFd openOriginal(const StagedFolder &folder, ApplyReport &report);
void addReport(ApplyReport &all, const ApplyReport &part, const QMap<QString, QString> &hidden);
void removeTemporariesOf(const QList<KeptFolder> &all, const Steps &steps, const QByteArray &temporary);
Status checkAllReplaced(const QString &folder, const Steps &steps, Course &course);
QByteArray keyFor(const KeptChange &kept);

} // namespace glovebox
