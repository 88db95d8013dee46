// SPDX-License-Identifier: Apache-2.0
// The choice of a language: the ones that can be used here, and what is missing for the others.
#pragma once

#include "popover.h"

namespace glovebox {

// A language the person can choose.
struct LanguageChoice
{
    QString id; // empty: as the code says
    QString name; // "Python 3.11"
    QString interpreter; // of it, by its path; empty: the usual one
    QString trouble; // why it can't be used here; empty: it can

    bool operator==(const LanguageChoice &) const = default;
};

class LanguageEditor : public Popover
{
    Q_OBJECT
public:
    // Opens itself.
    LanguageEditor(Theme &theme, QWidget *anchor, const QList<LanguageChoice> &languages, const QString &current,
                   const QString &interpreter);

Q_SIGNALS:
    void chosen(const QString &id, const QString &interpreter);
};

} // namespace glovebox
