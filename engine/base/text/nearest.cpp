// SPDX-License-Identifier: Apache-2.0
#include "nearest.h"

#include <algorithm>
#include <vector>

namespace glovebox {

namespace {

constexpr qsizetype longestWord = 100; // letters; an argument may be a whole program

// Optimal string alignment: Levenshtein's distance, and a swap of neighbours is one step.
qsizetype stepsBetween(const QString &a, const QString &b)
{
    const auto width = std::size_t(b.size()) + 1;
    std::vector<std::vector<qsizetype>> steps(std::size_t(a.size()) + 1, std::vector<qsizetype>(width));
    for (std::size_t i = 0; i < steps.size(); ++i) {
        for (std::size_t j = 0; j < width; ++j) {
            if (i == 0 || j == 0) {
                steps[i][j] = qsizetype(i) + qsizetype(j);
                continue;
            }
            const QChar left = a[qsizetype(i) - 1], right = b[qsizetype(j) - 1];
            steps[i][j] =
                std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1, steps[i - 1][j - 1] + (left == right ? 0 : 1)});
            if (i > 1 && j > 1 && left == b[qsizetype(j) - 2] && right == a[qsizetype(i) - 2])
                steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
        }
    }
    return steps.back().back();
}

} // namespace

QString nearest(const QString &word, const QStringList &candidates)
{
    QString found;
    qsizetype fewest = 0;
    if (word.size() > longestWord)
        return found;
    for (const QString &candidate : candidates) {
        const qsizetype steps = stepsBetween(word.toLower(), candidate.toLower());
        const qsizetype most = std::max<qsizetype>(1, std::max(word.size(), candidate.size()) / 3);
        if (steps <= most && steps < std::max(word.size(), candidate.size()) && (found.isEmpty() || steps < fewest)) {
            found = candidate;
            fewest = steps;
        }
    }
    return found;
}

Text aboutUnknown(const char *sentence, const char *withNearest, QStringList arguments, const QStringList &candidates)
{
    const QString meant = nearest(arguments.last(), candidates);
    return meant.isEmpty() ? Text(sentence, arguments) : Text(withNearest, arguments << meant);
}

} // namespace glovebox
