// SPDX-License-Identifier: Apache-2.0
// Turns a program's bytes into styled text that is safe to show: colours are obeyed, and what progress bars redraw
// themselves with (CR, backspace, relative movement of the cursor, erasing).
//
// Other well-formed control sequences (ECMA-48) are dropped, since there is no screen whose corner they could mean. So are the
// kinds of keypad (ESC =, ESC >) and the sets of characters (ESC ( B) that programs for a whole screen begin and end with.
// Whatever else isn't printable text (C0 and C1 controls, bidirectional and invisible characters, invalid UTF-8, strings
// for a terminal's title or clipboard) is shown as \x1b or \u{202e}. A program may write over what it printed before;
// the record keeps all bytes.
#pragma once

#include <QByteArrayView>
#include <QString>

namespace glovebox {

struct TextStyle
{
    enum Attribute : quint8 { Bold = 1, Dim = 2, Italic = 4, Underline = 8, Inverse = 16, Strike = 32, Escaped = 64 };

    // 0: the view's own; 1 to 256: entry of the xterm palette plus one; else 0xff000000 | red, green, blue.
    quint32 foreground = 0;
    quint32 background = 0;
    quint8 attributes = 0;

    bool operator==(const TextStyle &) const = default;
};

// Where the next text goes, and what goes away: named as in ECMA-48, 8.3.
enum class LineControl : quint8 {
    Up, // CUU, by a number of lines
    Down,
    Left, // CUB and backspace, by columns
    Right,
    Column, // CR, CHA: from 0
    EraseRight, // EL 0: from the cursor on
    EraseLeft, // EL 1: up to the cursor
    EraseLine, // EL 2
    EraseBelow, // ED 0: from the cursor on, and all lines below
};

// Receives the parser's findings, in order. newLine() ends a line; "\r\n" is one end.
class TextSink
{
public:
    virtual ~TextSink() = default;
    virtual void text(QStringView text, const TextStyle &style) = 0;
    virtual void newLine() = 0;
    virtual void control(LineControl control, int count) = 0; // count: 1 at least, but for Column
};

// Keeps its state over chunks: however the bytes are cut, the same text comes out. One parser a stream.
class AnsiParser
{
public:
    void feed(QByteArrayView bytes, TextSink &sink);
    // Shows what is unfinished (half a character, half a sequence) and forgets the style.
    void finish(TextSink &sink);

private:
    enum class State : quint8 { Text, Character, Escape, Designation, Sequence, Return };

    void take(char byte, TextSink &sink);
    void takeFirst(uchar byte, TextSink &sink);
    void takeCharacter(TextSink &sink);
    void giveUp(TextSink &sink);
    void emitText(TextSink &sink);
    void emitEscaped(const QString &shown, TextSink &sink);
    void applySequence(TextSink &sink);
    void applyStyle();

    State m_state = State::Text;
    TextStyle m_style;
    QByteArray m_pending; // the unfinished character or sequence
    QString m_text; // of one style, not handed over yet
};

} // namespace glovebox
