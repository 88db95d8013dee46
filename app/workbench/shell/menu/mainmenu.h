// SPDX-License-Identifier: Apache-2.0
// The menu of the window: what a page offers to open and keep, then what concerns the whole window.
#pragma once

#include "app/workbench/shell/context.h"
#include "app/workbench/shell/page.h"

#include <memory>
#include <vector>

class QMenu;

namespace glovebox {

void fillMainMenu(QMenu &menu, WorkbenchContext &context, const std::vector<std::unique_ptr<Page>> &pages);
// The action as a line with its keys, which shows the page first where the action belongs to another than the current.
QAction *addToMenu(QMenu &menu, WorkbenchContext &context, const QString &actionId);

} // namespace glovebox
