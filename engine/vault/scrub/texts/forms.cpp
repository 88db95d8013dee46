// SPDX-License-Identifier: Apache-2.0
#include "forms.h"

#include <algorithm>

namespace glovebox::scrub {

namespace {

template<typename Change> QByteArrayView changed(QByteArrayView value, SecretValue &scratch, Change change)
{
    return {scratch.data(), std::transform(value.begin(), value.end(), scratch.data(), change)};
}

bool continuesCharacter(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

} // namespace

QByteArrayView reversedBytes(QByteArrayView value, SecretValue &scratch)
{
    return {scratch.data(), std::reverse_copy(value.begin(), value.end(), scratch.data())};
}

QByteArrayView reversedCharacters(QByteArrayView value, SecretValue &scratch)
{
    const QByteArrayView result = reversedBytes(value, scratch);
    char *const end = scratch.data() + result.size();
    for (char *at = scratch.data(); at < end;) {
        char *last = at; // of this character; in the reversed text that is its lead byte
        while (last + 1 < end && continuesCharacter(*last))
            ++last;
        std::reverse(at, last + 1);
        at = last + 1;
    }
    return result;
}

QByteArrayView lowerCase(QByteArrayView value, SecretValue &scratch)
{
    return changed(value, scratch, [](char c) { return c >= 'A' && c <= 'Z' ? char(c + ('a' - 'A')) : c; });
}

QByteArrayView upperCase(QByteArrayView value, SecretValue &scratch)
{
    return changed(value, scratch, [](char c) { return c >= 'a' && c <= 'z' ? char(c - ('a' - 'A')) : c; });
}

QByteArrayView plusForSpace(QByteArrayView value, SecretValue &scratch)
{
    return changed(value, scratch, [](char c) { return c == ' ' ? '+' : c; });
}

QByteArrayView lowerHex(QByteArrayView value, SecretValue &scratch)
{
    constexpr char digits[] = "0123456789abcdef";
    char *out = scratch.data();
    for (const char byte : value) {
        *out++ = digits[static_cast<unsigned char>(byte) >> 4];
        *out++ = digits[static_cast<unsigned char>(byte) & 15];
    }
    return {scratch.data(), out};
}

QByteArrayView base64Core(QByteArrayView value, int bytesBefore, SecretValue &scratch)
{
    const qsizetype first = (8 * bytesBefore + 5) / 6;
    const qsizetype end = 8 * (bytesBefore + value.size()) / 6;
    const auto byteAt = [&](qsizetype index) {
        return index < value.size() ? unsigned(static_cast<unsigned char>(value.at(index))) : 0U;
    };
    for (qsizetype character = first; character < end; ++character) {
        const qsizetype bit = 6 * character - 8 * bytesBefore; // of the value
        const unsigned pair = byteAt(bit / 8) << 8 | byteAt(bit / 8 + 1);
        scratch.data()[character - first] = base64Alphabet[(pair >> (10 - bit % 8)) & 63];
    }
    return {scratch.data(), end - first};
}

SecretValue withLineEnds(QByteArrayView value, QByteArrayView lineEnd)
{
    SecretValue result(2 * value.size());
    char *out = result.data();
    for (qsizetype i = 0; i < value.size(); ++i) {
        if (value.at(i) == '\r' && i + 1 < value.size() && value.at(i + 1) == '\n')
            continue;
        if (value.at(i) == '\n')
            out = std::copy(lineEnd.begin(), lineEnd.end(), out);
        else
            *out++ = value.at(i);
    }
    result.truncate(out - result.data());
    return result;
}

QByteArrayView withBase64End(QByteArrayView value, int bytesBefore, qsizetype coreSize, int end, SecretValue &scratch)
{
    const auto bits = int(8 * (bytesBefore + value.size()) % 6); // of the value, in the character after the core
    if (bits == 0 || end >= 1 << (6 - bits))
        return {};
    const unsigned last = static_cast<unsigned char>(value.back()) & ((1U << bits) - 1);
    scratch.data()[coreSize] = base64Alphabet[last << (6 - bits) | unsigned(end)];
    return {scratch.data(), coreSize + 1};
}

} // namespace glovebox::scrub
