// SPDX-License-Identifier: Apache-2.0
// Characters that make code look like something else than what runs: they reorder it on the screen (CVE-2021-42574), or
// can't be seen at all.
#pragma once

#include <QString>

#include <optional>

namespace glovebox {

// With each hidden character (isHiddenCharacter()) as \u{202e}, so that nothing in a line can hide.
QString withHiddenShown(const QString &text);

struct HiddenText
{
    int line = 0; // of the first one, from 1
    char32_t character = 0;
    int count = 0; // of all

    bool operator==(const HiddenText &) const = default;
};

// Blocks for about 1 ms a million characters. A byte order mark at the very beginning is none.
std::optional<HiddenText> findHiddenText(QStringView text);
// "12 hidden characters, the first (U+202E) in line 8, can make this code look ..."
QString hiddenTextSentence(const HiddenText &hidden);

} // namespace glovebox
