// SPDX-License-Identifier: Apache-2.0
// Takes the values of secrets out of what a run says, as themselves and in the forms in which programs commonly write them.
//
// A value is looked for without blanks around it and, if it has lines, also with \n and with \r\n at their ends; itself and reversed
// (bytes or characters). One of at least shortestEncoded bytes also:
// - in lower and upper case, and with + for spaces;
// - if it has characters beyond ASCII, composed and decomposed (NFC, NFD), in Latin-1, in CESU-8 and in UTF-8 that was read as
//   Latin-1; up to 4 KiB of any text in UTF-16 of both orders. Each of these where it has shortestEncoded bytes itself;
// - in hexadecimal digits, also with line breaks; as numbers with something between them, hexadecimal or decimal, bytes or code
//   points (Buffer and arrays of Node.js, 0x41, 41:42, dumps without offsets), and as much of them as Node.js prints;
// - in base64 wherever it stands (with the character that its last bits share, not with that of its first; either alphabet; line
//   breaks anywhere);
// - in strings in pieces ('a' + 'b', lists of characters, shells' quotes);
// - if it has backslashes, with what they mean in a string (echo, printf): written as JSON, that is the value again; and without them
//   (read);
// - with doubled quotes (CSV, SQL), and with single spaces for all blanks (echo $KEY);
// - as a string of JSON, as Python's unicode_escape or in a URL, which is then written in one of these forms: JSON in JSON or in base64,
//   URLs in URLs, escapes that are shown as bytes;
// - if it has lines, each one of at least 20 bytes that doesn't begin with -----.
// All but base64 and numbers also where characters are escapes of URLs (%41, %u0041), HTML (&#65;), mail (=3D) or strings (\n, \x41,
// \101, \u0041, \u{41}, \U00000041, \$; each \N{...} counts as any character beyond ASCII).
//
// Not found: what no program does by itself when it shows or hands on a text (base32, base85, uuencode, rot13, compression,
// encryption, other encodings one after the other), octal or binary numbers and words of several bytes (od), what shows more than
// the text (dumps with offsets of more than one line, one character a line), and another part of a value that something else
// follows.
//
// Every byte of such a form is taken out; where forms overlap, the one that begins first is named, of those whole ones and the longest,
// then each one that reaches further. "[secret NAME]" is what stands there instead.
//
// A stream may end in the middle of a form: the program was killed, or stopped printing. What is there of the form is taken out, too,
// from the fourth byte of the value on, or where that is more than half of it: "[part of secret NAME]". Whether the program would
// have gone on can't be told, so it doesn't count how the program ended.
#pragma once

#include "engine/vault/secretvalue.h"

#include <QByteArray>
#include <QMap>
#include <QString>
#include <QStringList>

#include <memory>
#include <vector>

namespace glovebox {

struct Text;

// What is looked for. Built once a run, immutable, shared by all its streams; its memory holds the values and is wiped.
class ScrubPlan
{
public:
    struct Secret
    {
        QString name;
        QByteArrayView value; // of at least shortestValue bytes; shorter ones are not looked for
    };
    // Takes 0.6 MB and 40 to 90 bytes for each byte of a value, thrice that of one with lines or characters beyond ASCII; 0.3 ms for each
    // value of 40 bytes, 0.6 s for 256 of 4 KiB, which is the most that is lent, and 3 s where those have lines.
    explicit ScrubPlan(const std::vector<Secret> &secrets);
    ~ScrubPlan();
    ScrubPlan(const ScrubPlan &) = delete;
    ScrubPlan &operator=(const ScrubPlan &) = delete;

    static constexpr qsizetype shortestValue = 4;
    static constexpr qsizetype shortestEncoded = 8;

    // The whole of something, which nothing has cut off.
    QByteArray scrubbed(QByteArrayView bytes) const;
    QString scrubbed(const QString &text) const;
    Text scrubbed(Text text) const;
    // A name that was asked for, in raw bytes with dots between its labels, or an address: a value is found also where it is cut by
    // dots or has lost its own, in any case of letters, and as hexadecimal digits or base64 of which case was lost.
    QByteArray scrubbedName(QByteArrayView name) const;
    bool finds(QByteArrayView bytes) const;
    // The secrets that it takes out, each once.
    QStringList namesIn(QByteArrayView bytes) const;

private:
    friend class Scrubber;
    struct Private;
    const std::unique_ptr<Private> d;
};

enum class StreamEnd {
    MayBeCut, // of what a program wrote
    Whole, // a part of a value is there on purpose, or by chance: names, sentences, code
};

// One stream on its way out. What it gives depends on the bytes alone and not on how they were cut into pieces. It keeps back
// only what may be the beginning of a form: at most 70 times the longest value (strings in pieces of \N{...}; else 20 times). Not
// thread-safe.
class Scrubber
{
public:
    explicit Scrubber(std::shared_ptr<const ScrubPlan> plan);
    ~Scrubber();
    Scrubber(const Scrubber &) = delete;
    Scrubber &operator=(const Scrubber &) = delete;

    // Appends what can be said now.
    void feed(QByteArrayView bytes, QByteArray &out);
    // Nothing follows: appends what was kept back, or the mark of what it is a part of. The next stream may begin.
    void finish(QByteArray &out, StreamEnd end = StreamEnd::MayBeCut);

    static constexpr quint32 mostShownOfCut = 3; // bytes of a value

    qint64 heldBack() const;
    bool hasFound() const;
    QStringList foundNames() const;
    QMap<QString, qint64> marks() const; // how often it gave each value, or a form of it

private:
    struct Private;
    const std::unique_ptr<Private> d;
};

} // namespace glovebox
