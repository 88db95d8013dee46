// SPDX-License-Identifier: Apache-2.0
#include "mountinfo.h"

#include <algorithm>
#include <charconv>

namespace glovebox::launcher {

namespace {

// Space, tab, newline and backslash are written as \ooo.
std::string unescaped(std::string_view text)
{
    if (text.find('\\') == std::string_view::npos)
        return std::string(text);
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size()) {
            plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
            i += 3;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

} // namespace

std::string_view takeWord(std::string_view &text, char separator)
{
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

std::vector<Mount> parseMountinfo(std::string_view text)
{
    std::vector<Mount> mounts;
    while (!text.empty()) {
        // id parent device root point options optional... - type source superoptions
        std::string_view line = takeWord(text, '\n');
        Mount &mount = mounts.emplace_back();
        const std::string_view id = takeWord(line, ' ');
        std::from_chars(id.data(), id.data() + id.size(), mount.id);
        takeWord(line, ' ');
        mount.device = takeWord(line, ' ');
        mount.root = unescaped(takeWord(line, ' '));
        mount.point = unescaped(takeWord(line, ' '));
        mount.options = takeWord(line, ' ');
        while (!line.empty() && takeWord(line, ' ') != "-") { }
        mount.type = takeWord(line, ' ');
        takeWord(line, ' ');
        mount.superOptions = takeWord(line, ' ');
    }
    return mounts;
}

} // namespace glovebox::launcher
