// SPDX-License-Identifier: Apache-2.0
#include "characters.h"

namespace glovebox {

namespace {

// Whether a byte goes on with a character that was begun.
bool continuesUtf8(QByteArrayView begun, uchar byte)
{
    if (begun.size() == 1) {
        switch (uchar(begun[0])) {
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

} // namespace

int utf8Length(uchar first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return 2;
    if (first >= 0xe0 && first <= 0xef)
        return 3;
    return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

bool appendUtf8(QByteArray &begun, char byte)
{
    if (!continuesUtf8(begun, uchar(byte)))
        return false;
    begun += byte;
    return true;
}

bool isWholeUtf8(QByteArrayView begun)
{
    return begun.size() == utf8Length(uchar(begun[0]));
}

int utf8CharacterAt(QByteArrayView bytes)
{
    const int length = bytes.isEmpty() ? 0 : utf8Length(uchar(bytes[0]));
    if (length > bytes.size())
        return 0;
    for (int i = 1; i < length; ++i) {
        if (!continuesUtf8(bytes.first(i), uchar(bytes[i])))
            return 0;
    }
    return length;
}

char32_t decodedUtf8(QByteArrayView character)
{
    if (character.size() == 1)
        return uchar(character[0]);
    const int bits = character.size() == 2 ? 5 : character.size() == 3 ? 4 : 3;
    char32_t code = uchar(character[0]) & ((1u << bits) - 1);
    for (const char byte : character.sliced(1))
        code = (code << 6) | (uchar(byte) & 0x3f);
    return code;
}

bool isHiddenCharacter(char32_t c)
{
    if (c < 0x80)
        return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
    return c <= 0x9f || c == 0x00ad || c == 0x061c || c == 0x180e || (c >= 0x200b && c <= 0x200c) || c == 0x200e
           || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff
           || (c >= 0xfff9 && c <= 0xfffc) || (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef)
           || (c >= 0xe0000 && c <= 0xe0fff);
}

} // namespace glovebox
