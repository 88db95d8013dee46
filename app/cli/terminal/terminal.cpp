// SPDX-License-Identifier: Apache-2.0
// A state machine over bytes: text, a character of several bytes, or a colour sequence.
#include "terminal.h"

#include "engine/base/base.h"

#include <utility>

namespace glovebox {

namespace {

// ECMA-48 sets no bound; the longest useful one sets two 24-bit colours with some attributes.
constexpr qsizetype longestSequence = 64;

constexpr char escape = '\x1b';

QByteArray shownByte(uchar byte)
{
    if (byte == '\r')
        return QByteArrayLiteral("\\r");
    if (byte == '\n')
        return QByteArrayLiteral("\\n");
    if (byte == '\t')
        return QByteArrayLiteral("\\t");
    return QByteArrayLiteral("\\x") + QByteArray::number(byte, 16).rightJustified(2, '0');
}

bool isParameter(char byte)
{
    return (byte >= '0' && byte <= '9') || byte == ';' || byte == ':';
}

} // namespace

QByteArray TerminalFilter::filter(QByteArrayView bytes)
{
    m_shown.reserve(bytes.size());
    for (const char byte : bytes)
        take(byte);
    return std::exchange(m_shown, {});
}

QByteArray TerminalFilter::finish()
{
    giveUp();
    if (std::exchange(m_coloured, false))
        m_shown += "\x1b[0m";
    return std::exchange(m_shown, {});
}

void TerminalFilter::take(char byte)
{
    switch (m_state) {
    case State::Text:
        break;
    case State::Character:
        if (!appendUtf8(m_pending, byte))
            break;
        if (isWholeUtf8(m_pending))
            takeCharacter();
        return;
    case State::Escape:
        if (byte != '[')
            break;
        m_pending += byte;
        m_state = State::Sequence;
        return;
    case State::Sequence:
        if (byte == 'm') {
            m_coloured = m_pending != "\x1b[" && m_pending != "\x1b[0";
            m_shown += m_pending + byte;
            m_pending.clear();
            m_state = State::Text;
            return;
        }
        if (m_pending.size() >= longestSequence || !isParameter(byte))
            break;
        m_pending += byte;
        return;
    }
    giveUp();
    takeFirst(uchar(byte));
}

void TerminalFilter::takeFirst(uchar byte)
{
    if (byte == escape && m_colours == Colours::Pass) {
        m_pending = QByteArray(1, escape);
        m_state = State::Escape;
    } else if (utf8Length(byte) > 1) {
        m_pending = QByteArray(1, char(byte));
        m_state = State::Character;
    } else if ((byte >= 0x20 && byte < 0x7f) || byte == '\n' || byte == '\t'
               || (m_lineEditing && (byte == '\b' || byte == '\r'))) {
        m_shown += char(byte);
    } else {
        m_shown += shownByte(byte);
    }
}

void TerminalFilter::takeCharacter()
{
    if (const char32_t code = decodedUtf8(m_pending); isHiddenCharacter(code))
        m_shown += QByteArrayLiteral("\\u{") + QByteArray::number(uint(code), 16) + '}';
    else
        m_shown += m_pending;
    m_pending.clear();
    m_state = State::Text;
}

// What was begun is neither a character nor a colour: its bytes are shown one by one.
void TerminalFilter::giveUp()
{
    m_state = State::Text;
    for (const char byte : std::exchange(m_pending, {})) {
        if (byte >= 0x20 && byte < 0x7f)
            m_shown += byte;
        else
            m_shown += shownByte(uchar(byte));
    }
}

QByteArray escapedText(QByteArrayView bytes)
{
    TerminalFilter filter(TerminalFilter::Colours::Escape);
    QByteArray shown = filter.filter(bytes);
    return shown += filter.finish(); // in this order: the operands of a + may be evaluated in any
}

QByteArray escapedLine(QByteArrayView bytes)
{
    return escapedText(bytes).replace('\n', "\\n").replace('\t', "\\t");
}

} // namespace glovebox
