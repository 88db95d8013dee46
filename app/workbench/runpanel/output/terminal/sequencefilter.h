// SPDX-License-Identifier: Apache-2.0
// The wall between a program's bytes and the screen model, which is C and was written for programs that are trusted: only
// well-formed text and a short list of bounded sequences pass.
#pragma once

#include <QByteArray>
#include <QByteArrayView>

namespace glovebox {

// Strings for a terminal's title, clipboard, links and colours are swallowed, as are questions but for the place of the
// cursor and the kind of the terminal; mouse and focus are never reported. A hidden character (bidirectional, invisible,
// C1, invalid UTF-8) passes as "\u{202e}" in font 9 (SGR 19), by which the screen knows that it was made visible.
// Keeps its state over chunks: however the bytes are cut, the same comes out. A plain value.
class SequenceFilter
{
public:
    static constexpr int mostRepeats = 1000; // rows, columns, and times that anything is done
    static constexpr int escapedFont = 9;
    // A line feed goes to the line's beginning, too (LNM): a run's terminal adds no CR, so that what it says is as in a pipe.
    static constexpr const char *lineEnds = "\x1b[20h";
    // Which the model of libvterm 0.1.4 leaves as it is when it is reset.
    static constexpr const char *noMouse = "\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1006l";

    QByteArray passed(QByteArrayView bytes);
    // An unfinished sequence is shown, as far as it is text.
    QByteArray finish();

private:
    enum class State : quint8 { Text, Character, Escape, Designation, Sequence, String, StringEscape };

    void take(char byte);
    void takeFirst(uchar byte);
    void takeEscape(char byte);
    void takeCharacter();
    void passSequence();
    void giveUp();
    void showHidden(const QByteArray &shown);

    State m_state = State::Text;
    QByteArray m_pending; // the unfinished character or sequence
    int m_stringLength = 0; // bytes that were swallowed
    QByteArray m_last; // character that was passed
    int m_marks = 0; // on that
    QByteArray m_out;
};

} // namespace glovebox
