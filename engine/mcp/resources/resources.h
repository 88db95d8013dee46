// SPDX-License-Identifier: Apache-2.0
// What Glovebox lets a client read: its own runs, and the prompts that teach how to use it.
#pragma once

#include "engine/mcp/catalogue.h"

namespace glovebox::mcp {

// Adds them to what is offered.
void offerResources(Catalogue &catalogue);

} // namespace glovebox::mcp
