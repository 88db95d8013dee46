// SPDX-License-Identifier: Apache-2.0
// The seam by which the sentence asks whether a folder may be shown to a run.
#pragma once

#include "engine/engine.h"

#include <functional>

namespace glovebox {

// answer gets the refusal, empty for none, later and on the GUI thread, unless the workbench closes before.
using FolderCheck = std::function<void(const FolderGrant &grant, std::function<void(const QString &refusal)> answer)>;

} // namespace glovebox
