// SPDX-License-Identifier: Apache-2.0
#include "tools.h"

namespace glovebox::mcp {

std::vector<Tool> gloveboxTools()
{
    return {runCodeTool(),     waitRunTool(), cancelRunTool(), explainRunTool(),
            sandboxInfoTool(), sessionTool(), filesTool(),     installPackagesTool()};
}

} // namespace glovebox::mcp
