// SPDX-License-Identifier: Apache-2.0
// Turns a program's bytes into styled text that is safe to show: colours are obeyed, nothing else is.
//
// Only SGR sequences (ECMA-48, 8.3.117) have a meaning here; other well-formed control sequences are dropped, since
// there is no cursor to move. Whatever else isn't printable text (C0 and C1 controls, bidirectional and invisible
// characters, invalid UTF-8, strings for a terminal's title or clipboard) is shown as \x1b, \r or \u{202e}: nothing
// that was printed can hide.
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

// What the parser found, in order. newLine() ends a line; "\r\n" is one end. A lone CR, with which progress bars redraw
// their line, is shown and ends the line too, so that every state of it stays readable.
class TextSink
{
public:
    virtual ~TextSink() = default;
    virtual void text(QStringView text, const TextStyle &style) = 0;
    virtual void newLine() = 0;
};

// Keeps its state over chunks: however the bytes are cut, the same text comes out. One parser a stream.
class AnsiParser
{
public:
    void feed(QByteArrayView bytes, TextSink &sink);
    // Shows what is unfinished (half a character, half a sequence) and forgets the style.
    void finish(TextSink &sink);

private:
    enum class State : quint8 { Text, Character, Escape, Sequence, Return };

    void take(char byte, TextSink &sink);
    void takeFirst(uchar byte, TextSink &sink);
    void takeCharacter(TextSink &sink);
    void giveUp(TextSink &sink);
    void emitText(TextSink &sink);
    void emitEscaped(const QString &shown, TextSink &sink);
    void applySequence();

    State m_state = State::Text;
    TextStyle m_style;
    QByteArray m_pending; // the unfinished character or sequence
    QString m_text; // of one style, not handed over yet
};

} // namespace glovebox
