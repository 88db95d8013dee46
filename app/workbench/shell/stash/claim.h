// SPDX-License-Identifier: Apache-2.0
// Which of several programs a place belongs to, asked without waiting.
#pragma once

#include "engine/engine.h"

#include <optional>

namespace glovebox {

// Holds the lock file until the owner goes; nullopt: another program holds it.
Result<std::optional<FileLock>> claim(const QString &lockFile);

} // namespace glovebox
