// SPDX-License-Identifier: Apache-2.0
// Folders that a run closed to everybody, and so to whoever looks how much is in them.
#pragma once

#include "engine/folders/folders.h"

#include <vector>

namespace glovebox::opener {

// What is in these folders, also in those that their owner closed. seen: what measureTree() sees there, which is the answer where this
// machine refuses more. Blocks while a process of its own looks.
TreeSize measureWithClosed(const std::vector<UniqueFd> &folders, const TreeSize &seen);

} // namespace glovebox::opener
