// SPDX-License-Identifier: Apache-2.0
// The grammar of the escapes.
#include "channel.h"

#include "forms.h"

#include <algorithm>
#include <bit>

namespace glovebox::scrub {

namespace {

int digitValue(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool isBase64(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/'
           || c == '-' || c == '_';
}

} // namespace

Channel::Channel(Reading reading, const Automaton &automaton)
    : m_reading(reading)
    , m_automaton(&automaton)
    , m_begins(std::bit_ceil(std::size_t(automaton.longest()) + 1))
{
}

std::optional<char> Channel::alone(char byte) const
{
    switch (m_reading) {
    case Reading::Plain:
        return byte;
    case Reading::Percent:
        return byte == '%' ? std::nullopt : std::optional(byte);
    case Reading::Escapes:
        return byte == '\\' ? std::nullopt : std::optional(byte);
    case Reading::Hex:
        return byte >= 'A' && byte <= 'F' ? char(byte - 'A' + 'a') : byte;
    case Reading::Base64:
        if (!isBase64(byte))
            return std::nullopt;
        return byte == '-' ? '+' : byte == '_' ? '/' : byte;
    }
    return byte;
}

Channel::Piece Channel::read(bool atEnd) const
{
    if (m_reading == Reading::Base64)
        return readBase64(atEnd);
    if (const auto token = alone(m_waiting[0]))
        return literal(*token);
    return m_reading == Reading::Percent ? readPercent(atEnd) : readEscape(atEnd);
}

int Channel::digits(int from, int count) const
{
    int number = 0;
    for (int i = from; i < from + count; ++i) {
        if (i >= m_count)
            return -2;
        const int value = digitValue(m_waiting[i]);
        if (value < 0)
            return -1;
        number = number * 16 + value;
    }
    return number;
}

Channel::Piece Channel::readPercent(bool atEnd) const
{
    const int byte = digits(1, 2);
    if (byte >= 0)
        return {3, Piece::Tokens, {char(byte)}, 1};
    return byte == -1 || atEnd ? literal('%') : Piece();
}

// RFC 8259 section 7, with what Python's repr() and JavaScript write beyond it.
Channel::Piece Channel::readEscape(bool atEnd) const
{
    if (m_count < 2)
        return atEnd ? literal('\\') : Piece();
    constexpr QByteArrayView names("\"'\\/bfnrtv0");
    constexpr QByteArrayView bytes("\"'\\/\b\f\n\r\t\v\0", 11);
    const char name = m_waiting[1];
    if (const qsizetype at = names.indexOf(name); at >= 0)
        return {2, Piece::Tokens, {bytes.at(at)}, 1};
    if (name != 'x' && name != 'u')
        return literal('\\');
    const int count = name == 'x' ? 2 : 4;
    const int number = digits(2, count);
    if (number < 0)
        return number == -1 || atEnd ? literal('\\') : Piece();
    if (name == 'x')
        return {4, Piece::Tokens, {char(number)}, 1};
    if (number >= 0xd800 && number < 0xdc00)
        return readSurrogate(char32_t(number), atEnd);
    if (number >= 0xdc80 && number <= 0xdcff) // how Python writes a byte that isn't UTF-8
        return {6, Piece::Tokens, {char(number - 0xdc00)}, 1};
    if (number >= 0xdc00 && number < 0xe000)
        return {6, Piece::Nothing};
    return character(6, char32_t(number));
}

Channel::Piece Channel::readSurrogate(char32_t high, bool atEnd) const
{
    constexpr Piece lone{6, Piece::Nothing};
    for (int i = 6; i < 8; ++i) {
        if (i >= m_count)
            return atEnd ? lone : Piece();
        if (m_waiting[i] != "\\u"[i - 6])
            return lone;
    }
    const int low = digits(8, 4);
    if (low == -2 && !atEnd)
        return {};
    if (low < 0xdc00 || low >= 0xe000)
        return lone;
    return character(12, 0x10000 + ((high - 0xd800) << 10) + (char32_t(low) - 0xdc00));
}

Channel::Piece Channel::character(int bytes, char32_t codePoint)
{
    Piece piece{bytes, Piece::Tokens};
    const auto put = [&](char32_t byte) { piece.tokens[piece.count++] = char(byte); };
    if (codePoint < 0x80) {
        put(codePoint);
    } else if (codePoint < 0x800) {
        put(0xc0 | codePoint >> 6);
        put(0x80 | (codePoint & 63));
    } else {
        if (codePoint < 0x10000) {
            put(0xe0 | codePoint >> 12);
        } else {
            put(0xf0 | codePoint >> 18);
            put(0x80 | (codePoint >> 12 & 63));
        }
        put(0x80 | (codePoint >> 6 & 63));
        put(0x80 | (codePoint & 63));
    }
    return piece;
}

Channel::Piece Channel::readBase64(bool atEnd) const
{
    if (const auto token = alone(m_waiting[0]))
        return literal(*token);
    for (const QByteArrayView lineBreak :
         {QByteArrayView("\n"), QByteArrayView("\r\n"), QByteArrayView("\\n"), QByteArrayView("\\r\\n")}) {
        const QByteArrayView waiting(m_waiting, m_count);
        if (waiting.startsWith(lineBreak))
            return {static_cast<int>(lineBreak.size()), Piece::Break};
        if (!atEnd && lineBreak.startsWith(waiting))
            return {};
    }
    return {1, Piece::Nothing};
}

} // namespace glovebox::scrub
