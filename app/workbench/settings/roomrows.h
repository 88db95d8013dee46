// SPDX-License-Identifier: Apache-2.0
// How much room on disk code, output and files take; measured, nothing to be set.
#pragma once

#include "rows/settingrow.h"

#include "app/workbench/shell/context.h"

namespace glovebox {

struct RoomRow
{
    SettingRow *row;
    std::function<void(const QString &text)> show;
};

// In this order: code, output, files, the rest, the record.
QList<RoomRow> makeRoomRows(Theme &theme, QWidget *parent);
// Measures in the background, and fills the rows, which must live as long as receiver.
void measureRoom(WorkbenchContext &context, QObject *receiver, const QList<RoomRow> &rows);

} // namespace glovebox
