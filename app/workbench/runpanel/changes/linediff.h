// SPDX-License-Identifier: Apache-2.0
// What is different between two texts, line by line, as a person reads it: removed before added, with a few lines around.
#pragma once

#include <QList>
#include <QString>

namespace glovebox {

struct DiffLine
{
    enum class Kind { Same, Removed, Added, Gap }; // Gap: lines that are left out
    Kind kind = Kind::Same;
    QString text;
    int before = 0; // its number in each text, from 1; 0: not in it. Of a gap: of the first line that is left out
    int after = 0;
    QList<std::pair<int, int>> words; // what is different in a line that took another's place: first character, length

    bool operator==(const DiffLine &) const = default;
};

// The shortest way from one to the other (Myers, "An O(ND) difference algorithm", 1986); where that would take too long, all
// that lies between the first and the last difference counts as replaced. Milliseconds for a text of 1 MB.
QList<DiffLine> lineDiff(const QString &before, const QString &after, int context = 3);

} // namespace glovebox
