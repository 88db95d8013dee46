// SPDX-License-Identifier: Apache-2.0
// The grammars in which single bytes or characters of a text are written in another way.
#include "reading.h"

#include <algorithm>
#include <utility>

namespace glovebox::scrub {

namespace {

bool isSurrogate(int number)
{
    return number >= 0xd800 && number < 0xe000;
}

bool isPunctuation(int c) // or a space
{
    return (c >= ' ' && c < '0') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

bool isName(char c) // of a character of Unicode
{
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || c == '-';
}

// {41} after \u or \x.
Piece readBraces(QByteArrayView bytes, bool atEnd)
{
    constexpr int mostDigits = 6;
    int number = 0;
    for (int i = 3; i <= 3 + mostDigits; ++i) {
        if (i >= bytes.size())
            return atEnd ? Piece::literal('\\') : Piece();
        if (bytes[i] == '}' && i > 3 && number <= 0x10ffff)
            return isSurrogate(number) ? Piece{i + 1, Piece::Nothing} : Piece::character(i + 1, char32_t(number));
        const int digit = digitValue(bytes[i]);
        if (digit < 0)
            break;
        number = number * 16 + digit;
    }
    return Piece::literal('\\');
}

// Which character a name stands for would take the table of all 140,000: each of those beyond ASCII is taken for the one looked for.
Piece readName(QByteArrayView bytes, bool atEnd)
{
    constexpr int longestName = 88;
    for (int i = 2; i < bytes.size(); ++i) {
        const bool isOpening = i == 2;
        if (isOpening ? bytes[i] != '{' : !isName(bytes[i]) && (bytes[i] != '}' || i == 3))
            return Piece::literal('\\');
        if (bytes[i] == '}')
            return Piece::of(i + 1, anyCharacter);
        if (i - 3 >= longestName)
            return Piece::literal('\\');
    }
    return atEnd ? Piece::literal('\\') : Piece();
}

Piece readSurrogate(QByteArrayView bytes, char32_t high, bool atEnd)
{
    constexpr Piece lone{6, Piece::Nothing};
    for (int i = 6; i < 8; ++i) {
        if (i >= bytes.size())
            return atEnd ? lone : Piece();
        if (bytes[i] != "\\u"[i - 6])
            return lone;
    }
    const int low = hexNumber(bytes, 8, 4);
    if (low == -2 && !atEnd)
        return {};
    if (low < 0xdc00 || low >= 0xe000)
        return lone;
    return Piece::character(12, 0x10000 + ((high - 0xd800) << 10) + (char32_t(low) - 0xdc00));
}

Piece readOctal(QByteArrayView bytes, bool atEnd)
{
    int number = 0;
    int length = 1;
    for (; length < 4; ++length) {
        if (length >= bytes.size() && !atEnd)
            return {};
        if (length >= bytes.size() || bytes[length] < '0' || bytes[length] > '7')
            break;
        number = number * 8 + (bytes[length] - '0');
    }
    return Piece::of(length, char(number));
}

} // namespace

bool isJoint(char c)
{
    return c == '\'' || c == '"' || c == ' ' || c == ',' || c == '+' || c == '$' || c == '\t' || c == '\r' || c == '\n';
}

Piece readPercent(QByteArrayView bytes, bool atEnd)
{
    if (bytes.size() > 1 && bytes[1] == 'u') {
        const int unit = hexNumber(bytes, 2, 4);
        if (unit >= 0)
            return Piece::character(6, char32_t(unit));
        return unit == -1 || atEnd ? Piece::literal('%') : Piece();
    }
    const int byte = hexNumber(bytes, 1, 2);
    if (byte >= 0)
        return Piece::of(3, char(byte));
    return byte == -1 || atEnd ? Piece::literal('%') : Piece();
}

// RFC 8259 section 7, with what Python's repr(), JavaScript, C and bash's printf %q write beyond it.
Piece readEscape(QByteArrayView bytes, bool atEnd)
{
    if (bytes.size() < 2)
        return atEnd ? Piece::literal('\\') : Piece();
    constexpr QByteArrayView names("abeEfnrtv");
    constexpr QByteArrayView meant("\a\b\x1b\x1b\f\n\r\t\v");
    const char name = bytes[1];
    if (const qsizetype at = names.indexOf(name); at >= 0)
        return Piece::of(2, meant.at(at));
    if (name == '\n') // the text goes on in the next line
        return {2, Piece::Skip};
    if (name >= '0' && name <= '7')
        return readOctal(bytes, atEnd);
    if (isPunctuation(name))
        return Piece::of(2, name);
    if (name == 'N')
        return readName(bytes, atEnd);
    if (name != 'x' && name != 'u' && name != 'U')
        return Piece::literal('\\');
    if (name != 'U' && bytes.size() > 2 && bytes[2] == '{')
        return readBraces(bytes, atEnd);
    const int count = name == 'x' ? 2 : name == 'u' ? 4 : 8;
    if (name == 'U' && bytes.size() > 2 && bytes[2] != '0') // beyond the last character
        return Piece::literal('\\');
    const int number = hexNumber(bytes, 2, count);
    if (number < 0)
        return number == -1 || atEnd ? Piece::literal('\\') : Piece();
    if (name == 'x')
        return Piece::of(4, char(number));
    if (name == 'u' && number >= 0xd800 && number < 0xdc00)
        return readSurrogate(bytes, char32_t(number), atEnd);
    if (number >= 0xdc80 && number <= 0xdcff) // how Python writes a byte that isn't UTF-8
        return Piece::of(2 + count, char(number - 0xdc00));
    if (isSurrogate(number) || number > 0x10ffff)
        return {2 + count, Piece::Nothing};
    return Piece::character(2 + count, char32_t(number));
}

// Where one string ends and the next begins: of Node's util.inspect(), Python's pprint, lists of characters, and shells.
Piece readQuote(QByteArrayView bytes, bool atEnd)
{
    constexpr int longestJoin = 40;
    for (const QByteArrayView quoted : {QByteArrayView("'\\''"), QByteArrayView("'\"'\"'")}) {
        if (bytes.startsWith(quoted))
            return Piece::of(int(quoted.size()), '\'');
        if (!atEnd && quoted.startsWith(bytes))
            return {};
    }
    for (int i = 1; i < longestJoin; ++i) {
        if (i >= bytes.size())
            return atEnd ? Piece::literal(bytes.front()) : Piece();
        if (bytes[i] == '\'' || bytes[i] == '"')
            return {i + 1, Piece::Skip};
        if (!isJoint(bytes[i]))
            break;
    }
    return Piece::literal(bytes.front());
}

Piece readHtml(QByteArrayView bytes, bool atEnd)
{
    constexpr std::pair<QByteArrayView, char> names[] = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    bool mayBeName = bytes.size() == 1;
    for (const auto &[name, character] : names) {
        if (bytes.startsWith(name))
            return Piece::of(int(name.size()), character);
        mayBeName = mayBeName || name.startsWith(bytes);
    }
    if (bytes.size() == 1 || mayBeName)
        return mayBeName && !atEnd ? Piece() : Piece::literal('&');
    if (bytes[1] != '#')
        return Piece::literal('&');
    const bool isHex = bytes.size() > 2 && (bytes[2] == 'x' || bytes[2] == 'X');
    const int begin = isHex ? 3 : 2;
    constexpr int mostDigits = 7;
    char32_t number = 0;
    for (int i = begin; i <= begin + mostDigits; ++i) {
        if (i >= bytes.size())
            return atEnd ? Piece::literal('&') : Piece();
        if (bytes[i] == ';' && i > begin && number <= 0x10ffff)
            return Piece::character(i + 1, number);
        const int digit = digitValue(bytes[i]);
        if (digit < 0 || (!isHex && digit > 9))
            break;
        number = number * (isHex ? 16 : 10) + char32_t(digit);
    }
    return Piece::literal('&');
}

bool isEscapedInMail(int byte)
{
    return byte >= 0x80 || byte == '\t' || byte == '\n' || byte == '\r' || isPunctuation(byte);
}

Piece readMail(QByteArrayView bytes, bool atEnd)
{
    const bool mayBreak = bytes.size() < 2 || bytes[1] == '\r' || bytes[1] == '\n';
    for (const QByteArrayView lineBreak : {QByteArrayView("=\n"), QByteArrayView("=\r\n")}) {
        if (!mayBreak)
            break;
        if (bytes.startsWith(lineBreak))
            return {static_cast<int>(lineBreak.size()), Piece::Skip};
        if (!atEnd && lineBreak.startsWith(bytes))
            return {};
    }
    const int byte = hexNumber(bytes, 1, 2);
    if (isEscapedInMail(byte))
        return Piece::of(3, char(byte));
    return byte == -2 && !atEnd ? Piece() : Piece::literal('=');
}

} // namespace glovebox::scrub
