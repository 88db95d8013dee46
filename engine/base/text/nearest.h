// SPDX-License-Identifier: Apache-2.0
// The word that somebody most likely meant by one that doesn't exist: for "Did you mean ...?".
#pragma once

#include "text.h"

#include <QString>
#include <QStringList>

namespace glovebox {

// The candidate with the fewest letters changed, left out, added or swapped with their neighbour, whatever their case; the earlier of two
// that are alike. Empty where none is near: a third of the longer word's letters may differ, and one of two or three.
QString nearest(const QString &word, const QStringList &candidates);

// A sentence about a word that nobody knows, which is the last argument. withNearest: where a candidate is near, which is its next
// argument.
Text aboutUnknown(const char *sentence, const char *withNearest, QStringList arguments, const QStringList &candidates);

} // namespace glovebox
