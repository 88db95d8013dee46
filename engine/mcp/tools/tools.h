// SPDX-License-Identifier: Apache-2.0
// The tools that Glovebox offers, one row each.
#pragma once

#include "tool.h"

#include <vector>

namespace glovebox::mcp {

// In the order in which clients see them, which never changes: their caches and prompts depend on it.
std::vector<Tool> gloveboxTools();

// Each is defined in a file of its own.
Tool runCodeTool();
Tool waitRunTool();
Tool cancelRunTool();
Tool explainRunTool();
Tool sandboxInfoTool();
Tool sessionTool();
Tool filesTool();
Tool installPackagesTool();

} // namespace glovebox::mcp
