// SPDX-License-Identifier: Apache-2.0
// What is different in a file that a run changed in a copy, or why that can't be shown.
#pragma once

#include "linediff.h"

#include "engine/engine.h"

#include <expected>

namespace glovebox {

using FileDiff = std::expected<QList<DiffLine>, QString>; // or a sentence, translated

// Blocks for the disk. folder: its path inside; path: below that.
FileDiff fileDiff(Engine &engine, const QString &run, const QString &folder, const QByteArray &path);

} // namespace glovebox
