// SPDX-License-Identifier: Apache-2.0
// The program: start, hand over or show the window, open the engine behind it, and end in the right order.
#pragma once

#include "app/workbench/shell/context.h"
#include "app/workbench/shell/page.h"

#include <memory>
#include <vector>

namespace glovebox {

using PageFactory = std::vector<std::unique_ptr<Page>> (*)(WorkbenchContext &);

// Returns the process's exit status.
int runWorkbench(int argc, char *argv[], PageFactory makePages);

} // namespace glovebox
