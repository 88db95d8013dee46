// SPDX-License-Identifier: Apache-2.0
// The ways in which programs write the bytes of a text, as grammars: what the next few bytes of a stream stand for. Pure functions.
#pragma once

#include <QByteArrayView>

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
std::optional<char> alone(Reading reading, char byte);
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
int digitValue(char c); // of a hexadecimal digit; -1: it is none
// The number that so many hexadecimal digits make; -1: they don't; -2: there are too few yet.
int hexNumber(QByteArrayView bytes, int from, int count);
bool isLetterOrDigit(char c); // what words are made of, also beyond ASCII
bool isGap(char c); // what may be between the numbers of a list
inline constexpr char gapCharacters[] = " \t\n\r,;:-|._/'\"";
// A form in Quoted or Words doesn't begin with these, which are in what joins two strings.
bool isJoint(char c);

} // namespace glovebox::scrub
