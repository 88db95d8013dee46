// SPDX-License-Identifier: Apache-2.0
// Which bytes make up a character (UTF-8, RFC 3629, section 4: no overlong forms, no surrogates, nothing beyond U+10FFFF), and
// which characters mislead whoever reads them.
#pragma once

#include <QByteArray>
#include <QByteArrayView>

namespace glovebox {

// Length in bytes of the character that a first byte begins; 0: none begins with it.
int utf8Length(uchar first);
// For a character whose bytes come one by one; begun has its first byte at least. False: this byte can't follow and isn't added.
bool appendUtf8(QByteArray &begun, char byte);
bool isWholeUtf8(QByteArrayView begun); // no byte of the character is missing
// Length in bytes of the whole character that bytes start with; 0: they don't.
int utf8CharacterAt(QByteArrayView bytes);
char32_t decodedUtf8(QByteArrayView character);

// Controls other than tab and line ends, controls of the writing direction (CVE-2021-42574), and characters that can't be seen.
bool isHiddenCharacter(char32_t character);

} // namespace glovebox
