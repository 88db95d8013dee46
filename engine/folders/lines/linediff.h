// SPDX-License-Identifier: Apache-2.0
// What is different between two texts, line by line, as a person reads it: removed before added, with a few lines around.
#pragma once

#include <QList>
#include <QString>

#include <optional>

namespace glovebox {

struct DiffLine
{
    enum class Kind { Same, Removed, Added, Gap }; // Gap: lines that are left out
    Kind kind = Kind::Same;
    QString text;
    int before = 0; // its number in each text, from 1; 0: not in it. Of a gap: of the first line that is left out
    int after = 0;
    QList<std::pair<int, int>> words; // what is different in a line that took another's place: first character, length
    bool isOpen = false; // the last line of its text, which no line end follows

    bool operator==(const DiffLine &) const = default;
};

// The shortest way from one to the other (Myers, "An O(ND) difference algorithm", 1986); where that would take too long, all
// that lies between the first and the last difference counts as replaced. Milliseconds for a text of 1 MB.
QList<DiffLine> lineDiff(const QString &before, const QString &after, int context = 3);

// Where a hunk is, as a unified diff says it: the first line of it in each text (0: it has none of that), and how many.
struct HunkPlace
{
    int before = 0;
    int beforeCount = 0;
    int after = 0;
    int afterCount = 0;

    bool operator==(const HunkPlace &) const = default;
};

// The place of the hunk that begins at line index of a difference; nothing where none begins there.
std::optional<HunkPlace> hunkAt(const QList<DiffLine> &lines, qsizetype index);

} // namespace glovebox
