// SPDX-License-Identifier: Apache-2.0
#include "foldednames.h"

#include <QString>

#include <algorithm>
#include <utility>

namespace glovebox {

namespace {

// Not shown, and no part of a name for file systems that fold names (HFS+; ext4 and f2fs with casefold): Unicode's
// Default_Ignorable_Code_Point.
bool isIgnorable(char32_t c)
{
    constexpr std::pair<char32_t, char32_t> ranges[] = {
        {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},   {0x115f, 0x1160}, {0x17b4, 0x17b5},
        {0x180b, 0x180f},   {0x200b, 0x200f},   {0x202a, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164},
        {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0}, {0xfff0, 0xfff8}, {0x1bca0, 0x1bca3},
        {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
    };
    return std::ranges::any_of(ranges, [c](const auto &range) { return c >= range.first && c <= range.second; });
}

} // namespace

QByteArray foldedName(QByteArray name)
{
    if (std::ranges::any_of(name, [](char c) { return (c & 0x80) != 0; })) {
        QString folded;
        for (const char32_t c : QString::fromUtf8(name).normalized(QString::NormalizationForm_D).toUcs4()) {
            if (!isIgnorable(c))
                folded += QChar::fromUcs4(c);
        }
        name = folded.toCaseFolded().toUtf8();
    }
    name = name.toLower();
    if (const qsizetype stream = name.indexOf(':'); stream > 0)
        name.truncate(stream);
    qsizetype end = name.size();
    while (end > 0 && (name[end - 1] == '.' || name[end - 1] == ' '))
        --end;
    return end > 0 ? name.first(end) : name;
}

QByteArrayList foldedParts(QByteArray path)
{
    QByteArrayList parts = path.replace('\\', '/').split('/');
    for (QByteArray &part : parts)
        part = foldedName(part);
    return parts;
}

bool mayBeShortName(const QByteArray &name)
{
    constexpr qsizetype longestBase = 8, longestEnding = 3;
    const qsizetype dot = name.lastIndexOf('.');
    const QByteArray base = dot < 0 ? name : name.first(dot);
    const qsizetype tilde = base.lastIndexOf('~');
    return tilde > 0 && tilde + 1 < base.size() && base.size() <= longestBase && !base.contains('.')
           && (dot < 0 || name.size() - dot - 1 <= longestEnding)
           && std::ranges::all_of(base.sliced(tilde + 1), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace glovebox
