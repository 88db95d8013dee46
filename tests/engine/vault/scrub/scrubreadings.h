// SPDX-License-Identifier: Apache-2.0
// What a whole stream stands for in each of the ways to read it, and where it ends before that can be told.
#pragma once

#include <QByteArray>
#include <QList>
#include <QRegularExpression>
#include <QString>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace glovebox::reference {

struct Symbol
{
    char byte;
    qsizetype begin, end; // in the stream
    bool barrier = false; // stands for nothing that is in a form
};
using Symbols = std::vector<Symbol>;

// What begins at some place: so many bytes of the stream, which stand for these; 0: nothing does.
struct Meant
{
    qsizetype length = 0;
    QByteArray bytes;
    bool barrier = false;
};

inline int digit(char c)
{
    const char *const all = "0123456789abcdef0123456789ABCDEF";
    const char *const at = c ? std::char_traits<char>::find(all, 32, c) : nullptr;
    return at ? int(at - all) % 16 : -1;
}

inline int number(const QByteArray &bytes, qsizetype from, int count)
{
    int result = 0;
    for (qsizetype i = from; i < from + count; ++i) {
        if (i >= bytes.size() || digit(bytes[i]) < 0)
            return -1;
        result = result * 16 + digit(bytes[i]);
    }
    return result;
}

// How many of these characters follow each other.
inline qsizetype run(const QByteArray &in, qsizetype from, const QByteArray &characters)
{
    qsizetype end = from;
    while (end < in.size() && characters.contains(in[end]))
        ++end;
    return end - from;
}

inline const QByteArray hexDigits = "0123456789abcdefABCDEF";
inline const QByteArray decimalDigits = "0123456789";
inline const QByteArray gapBytes = " \t\n\r,;:-|._/'\"";

inline QByteArray utf8(char32_t c)
{
    if (c >= 0xd800 && c < 0xe000)
        return {QByteArray(1, '\xed') + char(0x80 | (c >> 6 & 63)) + char(0x80 | (c & 63))};
    return QString::fromUcs4(&c, 1).toUtf8();
}

inline Symbols plain(const QByteArray &in)
{
    Symbols out;
    for (qsizetype i = 0; i < in.size(); ++i)
        out.push_back({in[i], i, i + 1});
    return out;
}

using Grammar = std::function<Meant(const QByteArray &, qsizetype)>;

// What ends before it can be told what it stands for, as the whole rest of a stream.
using Beginning = QRegularExpression;

// pattern: H is a hexadecimal digit.
inline Beginning beginning(const QByteArray &pattern)
{
    const QString digits = QString::fromLatin1(pattern).replace(QLatin1Char('H'), QLatin1String("[0-9a-fA-F]"));
    return Beginning(QRegularExpression::anchoredPattern(digits));
}

inline const QByteArray escapePattern =
    R"(\\([0-7]{1,2}|xH?|[xu]\{H{0,6}|uH{0,3}|U(0H{0,6})?|N(\{[A-Z0-9 -]{0,88})?|u[dD][89abAB]HH(\\(uH{0,3})?)?)?)";
inline const QByteArray jointPattern = R"(['"][ ,+$\t\r\n]{0,38}|'\\'?|'"('"?)?)";
inline const Beginning ofNothing = beginning("(?!)");
inline const Beginning ofPercent = beginning("%(uH{0,3}|H)?");
inline const Beginning ofEscape = beginning(escapePattern);
inline const Beginning ofJoint = beginning(jointPattern);
inline const Beginning ofQuoted = beginning(escapePattern + '|' + jointPattern);
inline const Beginning ofHtml = beginning("&(a|am|amp|l|lt|g|gt|q|qu|quo|quot|ap|apo|apos|#[0-9]{0,7}|#[xX]H{0,7})?");
inline const Beginning ofMail = beginning("=(\r|H)?");
inline const Beginning ofLineBreak = beginning(R"(\r|\\(r\\?)?)");

inline bool isOpen(const Beginning &beginning, const QByteArray &in, qsizetype from)
{
    constexpr qsizetype longest = 100;
    return in.size() - from < longest && std::strchr("%\\'\"&=\r", in[from])
           && beginning.match(QString::fromLatin1(in.mid(from))).hasMatch();
}

// From the first byte on; what the grammar has no meaning for stands for itself.
inline Symbols inOrder(const QByteArray &in, const Grammar &grammar, const Beginning &left = ofNothing)
{
    Symbols out;
    for (qsizetype i = 0; i < in.size() && !isOpen(left, in, i);) {
        Meant meant = grammar(in, i);
        if (meant.length == 0)
            meant = {1, in.mid(i, 1)};
        if (meant.barrier)
            out.push_back({0, i, i + meant.length, true});
        for (const char byte : meant.bytes)
            out.push_back({byte, i, i + meant.length});
        i += meant.length;
    }
    return out;
}

inline Meant percent(const QByteArray &in, qsizetype i)
{
    if (in[i] != '%')
        return {};
    if (in.mid(i + 1, 1) == "u") {
        const int unit = number(in, i + 2, 4);
        return unit < 0 ? Meant() : Meant{6, utf8(char32_t(unit))};
    }
    const int byte = number(in, i + 1, 2);
    return byte < 0 ? Meant() : Meant{3, QByteArray(1, char(byte))};
}

inline Meant inBraces(const QByteArray &in, qsizetype i)
{
    const qsizetype count = run(in, i + 3, hexDigits);
    const int c = number(in, i + 3, int(std::min<qsizetype>(count, 6)));
    if (count < 1 || count > 6 || in.mid(i + 3 + count, 1) != "}" || c > 0x10ffff)
        return {};
    if (c >= 0xd800 && c < 0xe000)
        return {count + 4, {}, true};
    return {count + 4, utf8(char32_t(c))};
}

inline Meant escape(const QByteArray &in, qsizetype i)
{
    if (in[i] != '\\' || i + 1 >= in.size())
        return {};
    const char name = in[i + 1];
    const QByteArray names = "abeEfnrtv", bytes = "\a\b\x1b\x1b\f\n\r\t\v";
    if (names.contains(name))
        return {2, bytes.mid(names.indexOf(name), 1)};
    if (name == '\n')
        return {2, {}};
    if (const qsizetype octal = std::min<qsizetype>(run(in, i + 1, "01234567"), 3); octal > 0)
        return {1 + octal, QByteArray(1, char(in.mid(i + 1, octal).toInt(nullptr, 8)))};
    if (name >= ' ' && name <= '~' && !std::isalnum(uchar(name)))
        return {2, QByteArray(1, name)};
    if (name == 'N') {
        const qsizetype length = run(in, i + 3, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -");
        const bool is = in.mid(i + 2, 1) == "{" && length >= 1 && length <= 88 && in.mid(i + 3 + length, 1) == "}";
        return is ? Meant{length + 4, "\xff"} : Meant();
    }
    if (name == 'x') {
        if (in.mid(i + 2, 1) == "{")
            return inBraces(in, i);
        const int byte = number(in, i + 2, 2);
        return byte < 0 ? Meant() : Meant{4, QByteArray(1, char(byte))};
    }
    if (name != 'u' && name != 'U')
        return {};
    if (name == 'u' && in.mid(i + 2, 1) == "{")
        return inBraces(in, i);
    const int count = name == 'u' ? 4 : 8;
    if (name == 'U' && in.mid(i + 2, 1) != "0")
        return {};
    const int c = number(in, i + 2, count);
    if (c < 0)
        return {};
    const int low = in.mid(i + 6, 2) == "\\u" ? number(in, i + 8, 4) : -1;
    if (name == 'u' && c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 && low < 0xe000)
        return {12, utf8(char32_t(0x10000 + (c - 0xd800) * 0x400 + low - 0xdc00))};
    if (c >= 0xdc80 && c <= 0xdcff)
        return {2 + count, QByteArray(1, char(c - 0xdc00))};
    if ((c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
        return {2 + count, {}, true};
    return {2 + count, utf8(char32_t(c))};
}

inline Meant joined(const QByteArray &in, qsizetype i)
{
    if (in[i] != '\'' && in[i] != '"')
        return {};
    for (const QByteArray &one : {QByteArray("'\\''"), QByteArray("'\"'\"'")}) {
        if (in.mid(i, one.size()) == one)
            return {one.size(), "'"};
    }
    const qsizetype between = run(in, i + 1, " ,+$\t\r\n");
    const QByteArray second = in.mid(i + 1 + between, 1);
    return between < 39 && (second == "'" || second == "\"") ? Meant{between + 2, {}} : Meant();
}

inline Meant quoted(const QByteArray &in, qsizetype i)
{
    return in[i] == '\\' ? escape(in, i) : joined(in, i);
}

inline Meant html(const QByteArray &in, qsizetype i)
{
    if (in[i] != '&')
        return {};
    const QList<std::pair<QByteArray, QByteArray>> names{
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}};
    for (const auto &[name, character] : names) {
        if (in.mid(i, name.size()) == name)
            return {name.size(), character};
    }
    if (in.mid(i + 1, 1) != "#")
        return {};
    const bool isHex = in.mid(i + 2, 1).toLower() == "x";
    const qsizetype begin = i + (isHex ? 3 : 2);
    const qsizetype count = run(in, begin, isHex ? hexDigits : decimalDigits);
    const qint64 c = in.mid(begin, count).toLongLong(nullptr, isHex ? 16 : 10);
    if (count < 1 || count > 7 || in.mid(begin + count, 1) != ";" || c > 0x10ffff)
        return {};
    return {begin + count + 1 - i, utf8(char32_t(c))};
}

inline Meant mail(const QByteArray &in, qsizetype i)
{
    if (in[i] != '=')
        return {};
    if (in.mid(i + 1, 1) == "\n")
        return {2, {}};
    if (in.mid(i + 1, 2) == "\r\n")
        return {3, {}};
    const int byte = number(in, i + 1, 2);
    const bool isPunctuation = byte >= 0x20 && byte < 0x7f && !std::isalnum(byte);
    if (byte >= 0x80 || isPunctuation || byte == '\t' || byte == '\n' || byte == '\r')
        return {3, QByteArray(1, char(byte))};
    return {};
}

inline qsizetype lineBreak(const QByteArray &in, qsizetype i)
{
    for (const QByteArray &one : {QByteArray("\r\n"), QByteArray("\n"), QByteArray("\\r\\n"), QByteArray("\\n")}) {
        if (in.mid(i, one.size()) == one)
            return one.size();
    }
    return 0;
}

// Characters of an alphabet, with one line break after each at most.
inline Symbols wrapped(const QByteArray &in, const std::function<char(char)> &meant, const Beginning &left = ofNothing)
{
    Symbols out;
    bool afterBreak = false;
    for (qsizetype i = 0; i < in.size() && !isOpen(left, in, i);) {
        if (const qsizetype length = lineBreak(in, i)) {
            if (afterBreak)
                out.push_back({0, i, i + length, true});
            afterBreak = true;
            i += length;
            continue;
        }
        const char byte = meant(in[i]);
        out.push_back({byte, i, i + 1, byte == 0});
        if (byte != 0)
            afterBreak = false;
        ++i;
    }
    return out;
}

inline char hexDigit(char c)
{
    return digit(c) < 0 ? char(0) : c >= 'A' && c <= 'F' ? char(c | 0x20) : c;
}

inline char base64Character(char c)
{
    c = c == '-' ? '+' : c == '_' ? '/' : c;
    const bool is = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
    return is ? c : char(0);
}

inline bool isWordByte(char c)
{
    return std::isalnum(uchar(c)) || uchar(c) >= 0x80;
}

// Lists: words that are numbers, with gaps between them. parse gives the symbols of a word that begins there.
inline Symbols numbers(const QByteArray &in,
                       const std::function<Symbols(const QByteArray &word, qsizetype begin)> &parse)
{
    Symbols out;
    const auto barrier = [&](qsizetype from, qsizetype to) { out.push_back({0, from, to, true}); };
    for (qsizetype i = 0; i < in.size();) {
        if (isWordByte(in[i])) {
            qsizetype end = i;
            while (end < in.size() && isWordByte(in[end]))
                ++end;
            for (const Symbol &symbol : parse(in.mid(i, end - i), i))
                out.push_back(symbol);
            i = end;
        } else {
            const qsizetype gap = run(in, i, gapBytes);
            if (gap == 0 || gap > 16)
                barrier(i, i + 1);
            i += std::max<qsizetype>(gap, 1);
        }
    }
    return out;
}

inline Symbols pairsOfWord(const QByteArray &word, qsizetype begin)
{
    Symbols out;
    qsizetype i = word.startsWith("0x") || word.startsWith("0X") ? 2 : 0;
    const qsizetype most = i + 32;
    for (; i < word.size(); i += 2) {
        const int byte = i + 2 <= most ? number(word, i, 2) : -1;
        if (byte < 0) {
            out.push_back({0, begin + i, begin + word.size(), true});
            break;
        }
        out.push_back({char(byte), begin + i, begin + i + 2});
    }
    return out;
}

inline Symbols decimalOfWord(const QByteArray &word, qsizetype begin)
{
    const qsizetype end = begin + word.size();
    const int value = word.toInt();
    const bool isPadded = word.startsWith('0') && word.size() > 3;
    if (run(word, 0, decimalDigits) != word.size() || word.size() > 7 || isPadded || value > 0x10ffff)
        return {{0, begin, end, true}};
    Symbols out;
    for (const char byte : value < 256 ? QByteArray(1, char(value)) : utf8(char32_t(value)))
        out.push_back({byte, begin, end});
    return out;
}

// Without a number at the end that may have more digits.
inline QByteArray withoutOpenPair(const QByteArray &in)
{
    qsizetype begin = in.size();
    while (begin > 0 && isWordByte(in[begin - 1]))
        --begin;
    const QByteArray word = in.mid(begin);
    const qsizetype digits =
        run(word, 0, hexDigits) == 1 && word.mid(1, 1).toLower() == "x" ? word.size() - 2 : word.size();
    return digits % 2 == 1 && digits < 32 && digit(in.back()) >= 0 ? in.chopped(1) : in;
}

inline QByteArray withoutOpenDecimal(const QByteArray &in)
{
    qsizetype begin = in.size();
    while (begin > 0 && isWordByte(in[begin - 1]))
        --begin;
    const QByteArray word = in.mid(begin);
    const bool isNumber = run(word, 0, decimalDigits) == word.size() && word.size() <= 7;
    return isNumber && (word.size() <= 3 || !word.startsWith('0')) ? in.first(begin) : in;
}

} // namespace glovebox::reference
