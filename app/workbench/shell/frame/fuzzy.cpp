// SPDX-License-Identifier: Apache-2.0
#include "fuzzy.h"

#include <vector>

namespace glovebox {
namespace {

constexpr int wordStart = 8;
constexpr int inARow = 9; // above wordStart, so that "window" is found as a word, not as "wind" and "own"
constexpr int anywhere = 1;
constexpr int impossible = -1'000'000;

bool startsWord(const QString &text, qsizetype at)
{
    return at == 0 || !text.at(at - 1).isLetterOrNumber();
}

} // namespace

// Best score over all ways to place the pattern: best[i][j] has pattern[i] on text[j]. Both are short.
std::optional<FuzzyMatch> fuzzyMatch(const QString &pattern, const QString &text)
{
    QString wanted;
    for (const QChar c : pattern) {
        if (!c.isSpace())
            wanted.append(c.toCaseFolded());
    }
    if (wanted.isEmpty())
        return FuzzyMatch{};
    const qsizetype n = wanted.size();
    const qsizetype m = text.size();
    if (n > m)
        return std::nullopt;

    std::vector<std::vector<int>> best(size_t(n), std::vector<int>(size_t(m), impossible));
    std::vector<std::vector<int>> from(size_t(n), std::vector<int>(size_t(m), -1));
    for (qsizetype i = 0; i < n; ++i) {
        int before = i == 0 ? 0 : impossible; // the best end of pattern[i-1] somewhere before j
        int beforeAt = -1;
        for (qsizetype j = i; j < m; ++j) {
            if (i > 0 && j > 0 && best[size_t(i - 1)][size_t(j - 1)] > before) {
                before = best[size_t(i - 1)][size_t(j - 1)];
                beforeAt = int(j - 1);
            }
            if (text.at(j).toCaseFolded() != wanted.at(i) || before == impossible)
                continue;
            const int here = startsWord(text, j) ? wordStart : anywhere;
            int score = before + here;
            int previous = beforeAt;
            if (i > 0 && j > 0 && best[size_t(i - 1)][size_t(j - 1)] > impossible) {
                const int row = best[size_t(i - 1)][size_t(j - 1)] + qMax(here, inARow);
                if (row >= score) {
                    score = row;
                    previous = int(j - 1);
                }
            }
            best[size_t(i)][size_t(j)] = score;
            from[size_t(i)][size_t(j)] = previous;
        }
    }

    FuzzyMatch match;
    match.score = impossible;
    int at = -1;
    for (qsizetype j = 0; j < m; ++j) {
        if (best[size_t(n - 1)][size_t(j)] > match.score) {
            match.score = best[size_t(n - 1)][size_t(j)];
            at = int(j);
        }
    }
    if (at < 0)
        return std::nullopt;
    for (qsizetype i = n - 1; i >= 0; --i) {
        match.positions.prepend(at);
        at = from[size_t(i)][size_t(at)];
    }
    return match;
}

} // namespace glovebox
