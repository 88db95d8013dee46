// SPDX-License-Identifier: Apache-2.0
// Prompts that teach a model to use the bench well.
#pragma once

#include "resource.h"

namespace glovebox::mcp {

std::vector<Prompt> gloveboxPrompts();

} // namespace glovebox::mcp
