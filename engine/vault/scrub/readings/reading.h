// SPDX-License-Identifier: Apache-2.0
// The ways in which programs write the bytes of a text, as grammars: what the next few bytes of a stream stand for. Pure functions.
#pragma once

#include <QByteArrayView>

#include <array>
#include <optional>

namespace glovebox::scrub {

enum class Reading {
    Plain,
    Percent, // %41 is A; %u20ac of JavaScript's escape()
    Escapes, // \n, \/, \x41, \101, \u0041, \u{41}, \U00000041 and \N{...} of JSON, Python, JavaScript, C and shells
    Quoted, // those, and strings in pieces: 'a' + 'b', 'a', 'b', 'a'$'\303\251'
    Words, // strings in pieces without escapes: 'it'\''s'
    Html, // &#65;, &#x41;, &amp;
    Mail, // =3D and soft line breaks (quoted-printable, RFC 2045)
    Hex, // digits without anything between them but line breaks; upper case is lower case
    HexPairs, // <Buffer 41 42>, 41:42, 0x41, 0x42, 4142 4344
    Decimal, // [65, 66], 65 66; numbers above 255 are code points
    Base64, // the URL alphabet is the ordinary one; one line break, also an escaped one, after a character counts for nothing
};

// The word that the next byte goes on with, as far as it was read.
struct Word
{
    int digits = 0; // hexadecimal ones, without those of 0x
    bool isZero = false; // it is "0", which may become 0x
    bool hasPrefix = false; // begins with 0x
    bool isOther = false; // it is no number: has other letters, or is longer than longestNumber

    bool isAny() const { return digits > 0 || hasPrefix || isOther; }
    void goOn(QByteArrayView bytes);
    bool operator==(const Word &) const = default;
};
inline constexpr int longestNumber = 32; // digits

// What a few bytes together stand for.
struct Piece
{
    enum Kind {
        Tokens,
        Skip, // counts for nothing
        Break, // the same, once between two tokens
        Nothing, // what no form has in it
    };
    int bytes = 0; // that it is written with; 0: depends on what follows
    Kind kind = Nothing;
    char tokens[4] = {};
    int count = 0;

    bool operator==(const Piece &) const = default;
    static Piece of(int bytes, char token) { return {bytes, Tokens, {token}, 1}; }
    static Piece literal(char byte) { return of(1, byte); }
    // UTF-8, also of half a surrogate pair (as CESU-8 has it).
    static Piece character(int bytes, char32_t codePoint);
};
inline constexpr int longestPiece = 96; // bytes: \N{...} has the longest ones
inline constexpr char anyCharacter =
    '\xff'; // the token of \N{...}: some character beyond ASCII; UTF-8 has no such byte

// A byte that stands for itself, or for another one, whatever comes before and after it.
inline std::optional<char> alone(Reading reading, char byte);
// bytes: not empty. word: before them.
Piece read(Reading reading, QByteArrayView bytes, const Word &word, bool atEnd);

// Each of one grammar.
Piece readPercent(QByteArrayView bytes, bool atEnd);
Piece readEscape(QByteArrayView bytes, bool atEnd);
Piece readQuote(QByteArrayView bytes, bool atEnd);
Piece readHtml(QByteArrayView bytes, bool atEnd);
Piece readMail(QByteArrayView bytes, bool atEnd);
Piece readPairs(QByteArrayView bytes, const Word &word, bool atEnd);
Piece readDecimal(QByteArrayView bytes, const Word &word, bool atEnd);
Piece readWrapped(QByteArrayView bytes, bool atEnd);

bool isEscapedInMail(int byte); // the others are not read so: "a=12" is no escape
// The number that so many hexadecimal digits make; -1: they don't; -2: there are too few yet.
int hexNumber(QByteArrayView bytes, int from, int count);
inline constexpr char gapCharacters[] = " \t\n\r,;:-|._/'\"";
// A form in Quoted or Words doesn't begin with these, which are in what joins two strings.
bool isJoint(char c);

// Each byte of a stream asks for these, most of them several times: by table.
namespace tables {

constexpr int hexDigit(int c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

constexpr bool isLetterOrDigit(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}

// -1: not alone.
constexpr int alone(Reading reading, int c)
{
    const bool isQuote = c == '\'' || c == '"';
    switch (reading) {
    case Reading::Plain:
        return c;
    case Reading::Percent:
        return c == '%' ? -1 : c;
    case Reading::Escapes:
        return c == '\\' ? -1 : c;
    case Reading::Quoted:
        return c == '\\' || isQuote ? -1 : c;
    case Reading::Words:
        return isQuote ? -1 : c;
    case Reading::Html:
        return c == '&' ? -1 : c;
    case Reading::Mail:
        return c == '=' ? -1 : c;
    case Reading::Hex:
        return hexDigit(c) < 0 ? -1 : c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c;
    case Reading::HexPairs:
    case Reading::Decimal:
        return -1;
    case Reading::Base64:
        if (c == '-' || c == '_')
            return c == '-' ? '+' : '/';
        return (c < 0x80 && isLetterOrDigit(c)) || c == '+' || c == '/' ? c : -1;
    }
    return c;
}

template<typename Value, typename Of> constexpr std::array<Value, 256> ofBytes(Of of)
{
    std::array<Value, 256> table{};
    for (int c = 0; c < 256; ++c)
        table[std::size_t(c)] = Value(of(c));
    return table;
}

inline constexpr auto hexDigits = ofBytes<signed char>(hexDigit);
inline constexpr auto lettersAndDigits = ofBytes<bool>(isLetterOrDigit);
inline constexpr auto gaps = ofBytes<bool>([](int c) {
    for (const char *gap = gapCharacters; *gap; ++gap) {
        if (*gap == c)
            return true;
    }
    return false;
});
inline constexpr auto aloneIn = [] {
    std::array<std::array<short, 256>, std::size_t(Reading::Base64) + 1> all{};
    for (std::size_t reading = 0; reading < all.size(); ++reading)
        all[reading] = ofBytes<short>([reading](int c) { return alone(Reading(reading), c); });
    return all;
}();

} // namespace tables

// Of a hexadecimal digit; -1: it is none.
inline int digitValue(char c)
{
    return tables::hexDigits[static_cast<unsigned char>(c)];
}

// What words are made of, also beyond ASCII.
inline bool isLetterOrDigit(char c)
{
    return tables::lettersAndDigits[static_cast<unsigned char>(c)];
}

// What may be between the numbers of a list.
inline bool isGap(char c)
{
    return tables::gaps[static_cast<unsigned char>(c)];
}

inline std::optional<char> alone(Reading reading, char byte)
{
    const short token = tables::aloneIn[std::size_t(reading)][static_cast<unsigned char>(byte)];
    return token < 0 ? std::nullopt : std::optional(char(token));
}

} // namespace glovebox::scrub
