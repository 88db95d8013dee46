// SPDX-License-Identifier: Apache-2.0
// Which grammar reads what, and the lists of numbers.
#include "reading.h"

#include <algorithm>
#include <utility>

namespace glovebox::scrub {

namespace {

constexpr int longestGap = 16; // ",\n        " and the like

bool isDecimal(char c)
{
    return c >= '0' && c <= '9';
}

Piece readGap(QByteArrayView bytes, bool atEnd)
{
    const auto end = std::ranges::find_if_not(bytes, isGap);
    const auto length = static_cast<int>(end - bytes.begin());
    if (length > longestGap)
        return {1, Piece::Nothing};
    if (end == bytes.end())
        return atEnd ? Piece{length, Piece::Nothing} : Piece();
    return {length, Piece::Skip};
}

} // namespace

int hexNumber(QByteArrayView bytes, int from, int count)
{
    int number = 0;
    for (int i = from; i < from + count; ++i) {
        if (i >= bytes.size())
            return -2;
        const int value = digitValue(bytes[i]);
        if (value < 0)
            return -1;
        number = number * 16 + value;
    }
    return number;
}

void Word::goOn(QByteArrayView bytes)
{
    for (const char byte : bytes) {
        const bool wasZero = std::exchange(isZero, byte == '0' && !isAny());
        if (!isLetterOrDigit(byte))
            *this = {};
        else if ((byte == 'x' || byte == 'X') && wasZero)
            *this = {.hasPrefix = true};
        else if (digitValue(byte) < 0 || digits >= longestNumber)
            isOther = true;
        else
            ++digits;
    }
}

Piece Piece::character(int bytes, char32_t codePoint)
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

Piece read(Reading reading, QByteArrayView bytes, const Word &word, bool atEnd)
{
    if (const auto token = alone(reading, bytes.front()))
        return Piece::literal(*token);
    switch (reading) {
    case Reading::Percent:
        return readPercent(bytes, atEnd);
    case Reading::Quoted:
        return bytes.front() == '\\' ? readEscape(bytes, atEnd) : readQuote(bytes, atEnd);
    case Reading::Words:
        return readQuote(bytes, atEnd);
    case Reading::Html:
        return readHtml(bytes, atEnd);
    case Reading::Mail:
        return readMail(bytes, atEnd);
    case Reading::HexPairs:
        return readPairs(bytes, word, atEnd);
    case Reading::Decimal:
        return readDecimal(bytes, word, atEnd);
    case Reading::Hex:
    case Reading::Base64:
        return readWrapped(bytes, atEnd);
    case Reading::Plain:
    case Reading::Escapes:
        break;
    }
    return readEscape(bytes, atEnd);
}

// Pairs from the beginning of each word on, so that a dump in groups of 4 or 8 digits is read, too.
Piece readPairs(QByteArrayView bytes, const Word &word, bool atEnd)
{
    const char first = bytes.front();
    if (isGap(first))
        return readGap(bytes, atEnd);
    if (digitValue(first) < 0 || word.isOther || word.digits >= longestNumber || word.digits % 2 == 1)
        return {1, Piece::Nothing};
    if (bytes.size() < 2)
        return atEnd ? Piece{1, Piece::Nothing} : Piece();
    if (first == '0' && !word.isAny() && (bytes[1] == 'x' || bytes[1] == 'X'))
        return {2, Piece::Skip};
    const int byte = hexNumber(bytes, 0, 2);
    return byte < 0 ? Piece{1, Piece::Nothing} : Piece::of(2, char(byte));
}

Piece readDecimal(QByteArrayView bytes, const Word &word, bool atEnd)
{
    constexpr int longest = 7;
    constexpr int longestPadded = 3; // 007
    const char first = bytes.front();
    if (isGap(first))
        return readGap(bytes, atEnd);
    if (!isDecimal(first) || word.isAny())
        return {1, Piece::Nothing};
    int length = 0;
    char32_t number = 0;
    for (; length < bytes.size() && length <= longest && isDecimal(bytes[length]); ++length)
        number = number * 10 + char32_t(bytes[length] - '0');
    if (length > longest || (length > longestPadded && first == '0'))
        return {1, Piece::Nothing};
    if (length == bytes.size() && !atEnd)
        return {};
    if (number > 0x10ffff || (length < bytes.size() && isLetterOrDigit(bytes[length])))
        return {length, Piece::Nothing};
    return number < 256 ? Piece::of(length, char(number)) : Piece::character(length, number);
}

Piece readWrapped(QByteArrayView bytes, bool atEnd)
{
    if (bytes.front() != '\n' && bytes.front() != '\r' && bytes.front() != '\\')
        return {1, Piece::Nothing};
    for (const QByteArrayView lineBreak :
         {QByteArrayView("\n"), QByteArrayView("\r\n"), QByteArrayView("\\n"), QByteArrayView("\\r\\n")}) {
        if (bytes.startsWith(lineBreak))
            return {static_cast<int>(lineBreak.size()), Piece::Break};
        if (!atEnd && lineBreak.startsWith(bytes))
            return {};
    }
    return {1, Piece::Nothing};
}

} // namespace glovebox::scrub
