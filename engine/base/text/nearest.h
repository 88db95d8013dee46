// SPDX-License-Identifier: Apache-2.0
// The word that somebody most likely meant by one that doesn't exist: for "Did you mean ...?".
#pragma once

#include <QString>
#include <QStringList>

namespace glovebox {

// The candidate with the fewest letters changed, left out, added or swapped with their neighbour, whatever their case; the earlier of two
// that are alike. Empty where none is near: a third of the longer word's letters may differ, and one of two or three.
QString nearest(const QString &word, const QStringList &candidates);

} // namespace glovebox
