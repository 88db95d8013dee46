// SPDX-License-Identifier: Apache-2.0
// Makes bytes of unknown origin safe to show on a terminal.
//
// A terminal obeys what it is sent: sequences move the cursor, rewrite what was shown before, set the title or the
// clipboard, or make the terminal type an answer (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). Here only
// printable text, tabs, newlines and, where wanted, colours come through; everything else is shown as \x1b, \r or \u{202e}.
#pragma once

#include <QByteArray>

namespace glovebox {

// A parser that keeps its state over chunks: however the bytes are cut, the result is the same.
class TerminalFilter
{
public:
    enum class Colours { Pass, Escape };

    // lineEditing: backspace and return pass, too; a terminal's line discipline writes them when it echoes what is typed.
    explicit TerminalFilter(Colours colours, bool lineEditing = false)
        : m_colours(colours)
        , m_lineEditing(lineEditing)
    {
    }

    // What may be sent to the terminal for these bytes. An unfinished character or sequence waits for the next call.
    QByteArray filter(QByteArrayView bytes);
    // Shows what is unfinished, ends a colour that is still set, and starts afresh.
    QByteArray finish();

private:
    enum class State { Text, Character, Escape, Sequence };

    void take(char byte);
    void takeFirst(uchar byte);
    void takeCharacter();
    void giveUp();

    Colours m_colours;
    bool m_lineEditing;
    State m_state = State::Text;
    QByteArray m_pending; // the unfinished character or sequence
    QByteArray m_shown;
    bool m_coloured = false;
};

// Whole texts, colours escaped. A line has its tabs and newlines escaped too: it can't be mistaken for several.
QByteArray escapedText(QByteArrayView bytes);
QByteArray escapedLine(QByteArrayView bytes);

} // namespace glovebox
