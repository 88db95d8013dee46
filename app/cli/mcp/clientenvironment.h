// SPDX-License-Identifier: Apache-2.0
// The environment that `glovebox mcp` is started with. A repository may have written it (.mcp.json), so it can only tighten.
#pragma once

#include "engine/engine.h"

namespace glovebox {

// As Paths::standard(). PermissionDenied: the environment has moved settings or log into a project, where anybody may have written them.
Result<Paths> pathsForClient();
// With the environment as the layer that can only tighten.
Result<std::unique_ptr<Settings>> settingsForClient(const Paths &paths);
// It has a setting, which other programs such as the workbench don't know of.
bool environmentTightens();

} // namespace glovebox
