// SPDX-License-Identifier: Apache-2.0
// A state machine over bytes: text, a character of several bytes, a control sequence, or a CR whose LF may follow.
#include "ansiparser.h"

#include "engine/base/base.h"

#include <QList>

#include <algorithm>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// ECMA-48 sets no bound; the longest useful one sets two 24-bit colours with some attributes.
constexpr qsizetype longestSequence = 64;

constexpr char escape = '\x1b';

QString shownByte(uchar byte)
{
    return u"\\x"_s + QString::number(byte, 16).rightJustified(2, u'0');
}

quint32 rgb(int red, int green, int blue)
{
    return 0xff000000u | quint32(red & 255) << 16 | quint32(green & 255) << 8 | quint32(blue & 255);
}

// One parameter with its subparameters ("4:3"); 0 where a number is left out.
using Parameter = QList<int>;

QList<Parameter> parametersOf(QByteArrayView body)
{
    QList<Parameter> parameters{{0}};
    for (const char c : body) {
        if (c == ';')
            parameters.append(Parameter{0});
        else if (c == ':')
            parameters.last().append(0);
        else if (c >= '0' && c <= '9')
            parameters.last().last() = std::min(parameters.last().last() * 10 + (c - '0'), 9999);
        else
            return {}; // private or intermediate bytes: not SGR
    }
    return parameters;
}

// "38;5;N" and "38;2;R;G;B", or "38:5:N" and "38:2::R:G:B" (ISO 8613-6). index is left on the last parameter used.
quint32 extendedColour(const QList<Parameter> &parameters, qsizetype &index)
{
    Parameter values = parameters[index];
    if (values.size() == 1) {
        const qsizetype mode = index + 1 < parameters.size() ? parameters[index + 1].first() : 0;
        const qsizetype length = mode == 5 ? 2 : mode == 2 ? 4 : 1;
        for (qsizetype i = 0; i < length && index + 1 < parameters.size(); ++i)
            values.append(parameters[++index].first());
    } else if (values.size() > 5 && values[1] == 2) {
        values.remove(2); // the colour space
    }
    values.resize(5);
    if (values[1] == 5)
        return quint32(std::min(values[2], 255)) + 1;
    return values[1] == 2 ? rgb(values[2], values[3], values[4]) : 0;
}

} // namespace

void AnsiParser::feed(QByteArrayView bytes, TextSink &sink)
{
    qsizetype i = 0;
    while (i < bytes.size()) {
        if (m_state != State::Text) {
            take(bytes[i++], sink);
            continue;
        }
        // Printable ASCII is nearly everything: take it in one go.
        qsizetype end = i;
        while (end < bytes.size() && bytes[end] >= 0x20 && bytes[end] < 0x7f)
            ++end;
        m_text += QLatin1StringView(bytes.data() + i, end - i);
        i = end;
        if (i < bytes.size())
            take(bytes[i++], sink);
    }
    emitText(sink);
}

void AnsiParser::finish(TextSink &sink)
{
    giveUp(sink);
    emitText(sink);
    m_style = {};
}

void AnsiParser::take(char byte, TextSink &sink)
{
    switch (m_state) {
    case State::Text:
        takeFirst(uchar(byte), sink);
        return;
    case State::Character:
        if (!appendUtf8(m_pending, byte))
            break;
        if (isWholeUtf8(m_pending))
            takeCharacter(sink);
        return;
    case State::Escape:
        if (byte == '=' || byte == '>') {
            m_pending.clear();
            m_state = State::Text;
            return;
        }
        if (byte != '[' && byte != '(' && byte != ')')
            break;
        m_pending += byte;
        m_state = byte == '[' ? State::Sequence : State::Designation;
        return;
    case State::Designation:
        if (byte != 'B' && byte != '0')
            break;
        m_pending.clear();
        m_state = State::Text;
        return;
    case State::Sequence:
        if (byte < 0x20 || byte > 0x7e || m_pending.size() >= longestSequence)
            break;
        m_pending += byte;
        if (byte >= 0x40) {
            emitText(sink);
            applySequence(sink);
            m_pending.clear();
            m_state = State::Text;
        }
        return;
    case State::Return:
        if (byte != '\n')
            break;
        m_state = State::Text;
        emitText(sink);
        sink.newLine();
        return;
    }
    giveUp(sink);
    take(byte, sink);
}

void AnsiParser::takeFirst(uchar byte, TextSink &sink)
{
    if (byte == '\n') {
        emitText(sink);
        sink.newLine();
    } else if (byte == '\r') {
        m_state = State::Return;
    } else if (byte == '\b') {
        emitText(sink);
        sink.control(LineControl::Left, 1);
    } else if (byte == escape) {
        m_pending = QByteArray(1, escape);
        m_state = State::Escape;
    } else if (byte == '\t' || (byte >= 0x20 && byte < 0x7f)) {
        m_text += QLatin1Char(char(byte));
    } else if (utf8Length(byte) > 1) {
        m_pending = QByteArray(1, char(byte));
        m_state = State::Character;
    } else {
        emitEscaped(shownByte(byte), sink);
    }
}

void AnsiParser::takeCharacter(TextSink &sink)
{
    const char32_t code = decodedUtf8(m_pending);
    m_pending.clear();
    m_state = State::Text;
    if (isHiddenCharacter(code))
        emitEscaped(u"\\u{"_s + QString::number(uint(code), 16) + u'}', sink);
    else
        m_text += QString::fromUcs4(&code, 1);
}

// What was begun doesn't go on: its bytes are shown one by one.
void AnsiParser::giveUp(TextSink &sink)
{
    const QByteArray pending = std::exchange(m_pending, {});
    const State state = std::exchange(m_state, State::Text);
    if (state == State::Return) {
        emitText(sink);
        sink.control(LineControl::Column, 0);
        return;
    }
    for (const char byte : pending) {
        if (byte >= 0x20 && byte < 0x7f)
            m_text += QLatin1Char(byte);
        else
            emitEscaped(shownByte(uchar(byte)), sink);
    }
}

void AnsiParser::emitText(TextSink &sink)
{
    if (m_text.isEmpty())
        return;
    sink.text(m_text, m_style);
    m_text.resize(0); // keeps its room
}

void AnsiParser::emitEscaped(const QString &shown, TextSink &sink)
{
    emitText(sink);
    TextStyle style = m_style;
    style.attributes |= TextStyle::Escaped;
    sink.text(shown, style);
}

void AnsiParser::applySequence(TextSink &sink)
{
    const QList<Parameter> parameters = parametersOf(QByteArrayView(m_pending).sliced(2).chopped(1));
    if (parameters.isEmpty())
        return;
    const int given = parameters.first().first();
    const int count = std::max(given, 1);
    switch (m_pending.back()) {
    case 'A':
        return sink.control(LineControl::Up, count);
    case 'B':
        return sink.control(LineControl::Down, count);
    case 'C':
        return sink.control(LineControl::Right, count);
    case 'D':
        return sink.control(LineControl::Left, count);
    case 'E':
    case 'F':
        sink.control(m_pending.back() == 'E' ? LineControl::Down : LineControl::Up, count);
        return sink.control(LineControl::Column, 0);
    case 'G':
        return sink.control(LineControl::Column, count - 1);
    case 'J':
        return given == 0 ? sink.control(LineControl::EraseBelow, 1) : void();
    case 'K':
        return given > 2 ? void()
                         : sink.control(given == 0   ? LineControl::EraseRight
                                        : given == 1 ? LineControl::EraseLeft
                                                     : LineControl::EraseLine,
                                        1);
    case 'm':
        return applyStyle();
    default:
        return;
    }
}

void AnsiParser::applyStyle()
{
    const QList<Parameter> parameters = parametersOf(QByteArrayView(m_pending).sliced(2).chopped(1));
    for (qsizetype i = 0; i < parameters.size(); ++i) {
        const int p = parameters[i].first();
        const auto set = [&](quint8 attribute) { m_style.attributes |= attribute; };
        const auto clear = [&](quint8 attributes) { m_style.attributes &= quint8(~attributes); };
        if (p == 0)
            m_style = {};
        else if (p == 1)
            set(TextStyle::Bold);
        else if (p == 2)
            set(TextStyle::Dim);
        else if (p == 3)
            set(TextStyle::Italic);
        else if ((p == 4 && parameters[i].size() > 1 && parameters[i][1] == 0) || p == 24)
            clear(TextStyle::Underline);
        else if (p == 4 || p == 21)
            set(TextStyle::Underline);
        else if (p == 7)
            set(TextStyle::Inverse);
        else if (p == 9)
            set(TextStyle::Strike);
        else if (p == 22)
            clear(TextStyle::Bold | TextStyle::Dim);
        else if (p == 23)
            clear(TextStyle::Italic);
        else if (p == 27)
            clear(TextStyle::Inverse);
        else if (p == 29)
            clear(TextStyle::Strike);
        else if (p >= 30 && p <= 37)
            m_style.foreground = quint32(p - 30) + 1;
        else if (p == 38)
            m_style.foreground = extendedColour(parameters, i);
        else if (p == 39)
            m_style.foreground = 0;
        else if (p >= 40 && p <= 47)
            m_style.background = quint32(p - 40) + 1;
        else if (p == 48)
            m_style.background = extendedColour(parameters, i);
        else if (p == 49)
            m_style.background = 0;
        else if (p >= 90 && p <= 97)
            m_style.foreground = quint32(p - 90) + 9;
        else if (p >= 100 && p <= 107)
            m_style.background = quint32(p - 100) + 9;
        // Conceal (8) is among those without effect: nothing that was printed can hide.
    }
}

} // namespace glovebox
