// SPDX-License-Identifier: Apache-2.0
// What changes between two texts, as `diff -u` shows it (POSIX.1-2024, diff, "Diff -u Output Format").
#pragma once

#include <QByteArray>

#include <optional>

namespace glovebox::mcp {

// In one piece, from the first line that differs to the last, with three lines around it. Nothing: there is no such file. Empty
// where both are the same.
QByteArray unifiedDifference(const QByteArray &name, const std::optional<QByteArray> &before,
                             const std::optional<QByteArray> &after);

} // namespace glovebox::mcp
