// SPDX-License-Identifier: Apache-2.0
#include "difference.h"

#include <QByteArrayList>

#include <algorithm>

namespace glovebox::mcp {

namespace {

constexpr qsizetype contextLines = 3;

// Each with its line end.
QByteArrayList linesIn(const QByteArray &text)
{
    QByteArrayList lines;
    for (qsizetype at = 0; at < text.size();) {
        const qsizetype end = text.indexOf('\n', at);
        const qsizetype next = end < 0 ? text.size() : end + 1;
        lines.append(text.sliced(at, next - at));
        at = next;
    }
    return lines;
}

QByteArray marked(char mark, const QByteArrayList &lines, qsizetype from, qsizetype past)
{
    QByteArray text;
    for (qsizetype i = from; i < past; ++i) {
        text += mark + lines[i];
        if (!lines[i].endsWith('\n'))
            text += "\n\\ No newline at end of file\n";
    }
    return text;
}

QByteArray rangeOf(qsizetype from, qsizetype past)
{
    return QByteArray::number(past > from ? from + 1 : from) + ',' + QByteArray::number(past - from);
}

} // namespace

QByteArray unifiedDifference(const QByteArray &name, const std::optional<QByteArray> &before,
                             const std::optional<QByteArray> &after)
{
    if (before == after)
        return {};
    const QByteArrayList old = linesIn(before.value_or(QByteArray()));
    const QByteArrayList fresh = linesIn(after.value_or(QByteArray()));
    const qsizetype shorter = std::min(old.size(), fresh.size());
    qsizetype same = 0; // at the beginning
    while (same < shorter && old[same] == fresh[same])
        ++same;
    qsizetype sameAtEnd = 0;
    while (sameAtEnd < shorter - same && old[old.size() - 1 - sameAtEnd] == fresh[fresh.size() - 1 - sameAtEnd])
        ++sameAtEnd;
    const qsizetype from = std::max<qsizetype>(same - contextLines, 0);
    const qsizetype around = std::min(sameAtEnd, contextLines);
    const qsizetype oldPast = old.size() - sameAtEnd;
    const qsizetype freshPast = fresh.size() - sameAtEnd;
    return "--- " + (before ? name : QByteArray("/dev/null")) + "\n+++ " + (after ? name : QByteArray("/dev/null"))
           + "\n@@ -" + rangeOf(from, oldPast + around) + " +" + rangeOf(from, freshPast + around) + " @@\n"
           + marked(' ', old, from, same) + marked('-', old, same, oldPast) + marked('+', fresh, same, freshPast)
           + marked(' ', old, oldPast, oldPast + around);
}

} // namespace glovebox::mcp
