// SPDX-License-Identifier: Apache-2.0
// The tools, prompts and resources that the protocol's conformance suite expects of a server (npm's
// @modelcontextprotocol/conformance; what each does is in the suite's descriptions of its scenarios).
#pragma once

#include "engine/mcp/mcp.h"

namespace glovebox::mcp {

Catalogue fixtureCatalogue();
// Of the extension tasks.
std::vector<Tool> taskFixtures();

} // namespace glovebox::mcp
