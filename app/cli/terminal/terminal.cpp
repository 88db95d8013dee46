// SPDX-License-Identifier: Apache-2.0
// A state machine over bytes: text, a character of several bytes, or a colour sequence.
#include "terminal.h"

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

// Length of the UTF-8 sequence that a first byte announces (RFC 3629, section 4); 0: no sequence starts with it.
int lengthFromFirst(uchar first)
{
    if (first >= 0xc2 && first <= 0xdf)
        return 2;
    if (first >= 0xe0 && first <= 0xef)
        return 3;
    if (first >= 0xf0 && first <= 0xf4)
        return 4;
    return 0;
}

// No overlong forms, no surrogates, nothing beyond U+10FFFF.
bool continues(const QByteArray &pending, uchar byte)
{
    if (pending.size() == 1) {
        switch (uchar(pending[0])) {
        case 0xe0:
            return byte >= 0xa0 && byte <= 0xbf;
        case 0xed:
            return byte >= 0x80 && byte <= 0x9f;
        case 0xf0:
            return byte >= 0x90 && byte <= 0xbf;
        case 0xf4:
            return byte >= 0x80 && byte <= 0x8f;
        default:
            break;
        }
    }
    return byte >= 0x80 && byte <= 0xbf;
}

char32_t decoded(const QByteArray &character)
{
    const int bits = character.size() == 2 ? 5 : character.size() == 3 ? 4 : 3;
    char32_t code = uchar(character[0]) & ((1u << bits) - 1);
    for (qsizetype i = 1; i < character.size(); ++i)
        code = (code << 6) | (uchar(character[i]) & 0x3f);
    return code;
}

// C1 controls are escape sequences in one character; bidirectional controls reorder what a reader sees (CVE-2021-42574).
bool isHidden(char32_t code)
{
    return (code >= 0x80 && code <= 0x9f) || code == 0x061c || code == 0x200e || code == 0x200f
           || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
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
        if (!continues(m_pending, uchar(byte)))
            break;
        m_pending += byte;
        if (m_pending.size() == lengthFromFirst(uchar(m_pending[0])))
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
        if (m_pending.size() >= longestSequence || !((byte >= '0' && byte <= '9') || byte == ';' || byte == ':'))
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
    } else if (lengthFromFirst(byte) > 0) {
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
    if (const char32_t code = decoded(m_pending); isHidden(code))
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
