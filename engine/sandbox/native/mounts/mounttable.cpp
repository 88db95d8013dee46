// SPDX-License-Identifier: Apache-2.0
#include "mounttable.h"

#include <QFile>

#include <string_view>

namespace glovebox::native {

namespace {

// Space, tab, newline and backslash are written as \ooo.
std::string unescaped(std::string_view text)
{
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

std::vector<Mount> readMounts()
{
    std::vector<Mount> mounts;
    QFile file(QStringLiteral("/proc/self/mountinfo"));
    if (!file.open(QIODevice::ReadOnly))
        return mounts;
    for (const QByteArray &line : file.readAll().split('\n')) {
        // id parent device root point options optional... - type source superoptions
        const QByteArrayList words = line.split(' ');
        const qsizetype dash = words.indexOf("-", 6);
        if (dash < 0)
            continue;
        mounts.push_back({words.at(0).toInt(), words.at(2).toStdString(), unescaped(words.at(3).toStdString()),
                          unescaped(words.at(4).toStdString()), words.value(dash + 1).toStdString(),
                          words.value(dash + 3).toStdString()});
    }
    return mounts;
}

bool isAtOrBelow(const std::string &path, const std::string &folder)
{
    return folder == "/" || path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

} // namespace glovebox::native
