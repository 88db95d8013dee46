// SPDX-License-Identifier: Apache-2.0
// Finds what a person means by a few letters: "cltb" is "Close tab".
#pragma once

#include <QList>
#include <QString>

#include <optional>

namespace glovebox {

struct FuzzyMatch
{
    int score = 0; // higher is better
    QList<int> positions; // of the matched characters in text

    bool operator==(const FuzzyMatch &) const = default;
};

// The letters of the pattern in order, upper and lower case alike, spaces ignored; letters at the starts of words and in a
// row count more. nullopt: they are not all there. An empty pattern matches everything with score 0.
std::optional<FuzzyMatch> fuzzyMatch(const QString &pattern, const QString &text);

} // namespace glovebox
