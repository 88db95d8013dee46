// SPDX-License-Identifier: Apache-2.0
// Brackets and quotes that come in pairs. Each call is one step of undo; nullopt: nothing was done, the key means what it always does.
#pragma once

#include <QTextCursor>

#include <optional>

namespace glovebox {

// An opening one brings its partner, a closing one that is there already is typed over, a selection is wrapped and stays one.
std::optional<QTextCursor> typedPair(QTextCursor cursor, QChar typed);
// Backspace between two that belong together.
std::optional<QTextCursor> erasedPair(QTextCursor cursor);

} // namespace glovebox
