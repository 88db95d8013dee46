// SPDX-License-Identifier: Apache-2.0
// Whole lines: moved, doubled, sorted, trimmed. Each call is one step of undo.
#pragma once

#include <QTextCursor>

#include <optional>

namespace glovebox {

// More would be changed in one go than a person waits for: of lines, and of characters that are put in.
constexpr int mostChangedLines = 5000;
constexpr qsizetype mostInserted = 256 * 1024;

enum class LineChange {
    Done,
    Nothing, // as it was: nothing to be done
    TooMuch, // more than the constants above say; as it was
};

// The lines that the cursor's selection touches, past the one before or behind them. The selection goes along.
LineChange moveLines(QTextCursor &cursor, bool down);
// Once more, below; the selection is in the lower ones then.
LineChange duplicateLines(QTextCursor &cursor);
// The touched lines, by their characters' numbers, as sort(1) does in the C locale. Without a selection, all lines. The selection
// covers them then.
LineChange sortLines(QTextCursor &cursor);
// Takes white space from the end of the touched lines; without a selection, of all lines.
LineChange trimLines(const QTextCursor &cursor);

} // namespace glovebox
