// SPDX-License-Identifier: Apache-2.0
// The forms of a value that are texts of their own. Each function writes into a scratch of at least twice the value's size and gives
// what it wrote there.
#pragma once

#include "engine/vault/secretvalue.h"

namespace glovebox::scrub {

QByteArrayView reversedBytes(QByteArrayView value, SecretValue &scratch);
// As languages with strings of characters do it: what belongs to one character of UTF-8 stays in order.
QByteArrayView reversedCharacters(QByteArrayView value, SecretValue &scratch);
QByteArrayView lowerCase(QByteArrayView value, SecretValue &scratch); // of ASCII letters
QByteArrayView upperCase(QByteArrayView value, SecretValue &scratch);
QByteArrayView plusForSpace(QByteArrayView value, SecretValue &scratch);
QByteArrayView lowerHex(QByteArrayView value, SecretValue &scratch);
// What base64 (RFC 4648) writes of the value when so many bytes (0, 1 or 2, modulo 3) come before it, without the characters at both
// ends that hold bits of what is beside it.
QByteArrayView base64Core(QByteArrayView value, int bytesBefore, SecretValue &scratch);
// base64Core() in scratch, and the character after it, which has the value's last 2 or 4 bits and then end. Empty where there is no
// such character, or fewer such ends.
QByteArrayView withBase64End(QByteArrayView value, int bytesBefore, qsizetype coreSize, int end, SecretValue &scratch);

inline constexpr int base64Ends = 16; // of withBase64End(), at most

// The lines of a value that has several, without blanks around them, which tell it though they are shown one by one (indented, after a
// prefix, with something between them). What is short or begins as PEM begins and ends is in much that is no secret.
template<typename Each> void forEachLine(QByteArrayView value, Each each)
{
    constexpr qsizetype shortestLine = 20;
    if (!value.contains('\n'))
        return;
    while (!value.isEmpty()) {
        const qsizetype end = value.indexOf('\n');
        const QByteArrayView line = value.first(end < 0 ? value.size() : end).trimmed();
        if (line.size() >= shortestLine && !line.startsWith("-----"))
            each(line);
        value = value.sliced(end < 0 ? value.size() : end + 1);
    }
}

// The same lines, each ended in this way; its own memory.
SecretValue withLineEnds(QByteArrayView value, QByteArrayView lineEnd);

inline constexpr char base64Alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

} // namespace glovebox::scrub
