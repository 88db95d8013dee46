// SPDX-License-Identifier: Apache-2.0
// The choice of a language: the ones that can be used here, and what is missing for the others.
#pragma once

#include "policysentence.h"
#include "popover.h"

namespace glovebox {

class LanguageEditor : public Popover
{
    Q_OBJECT
public:
    // Opens itself.
    LanguageEditor(Theme &theme, QWidget *anchor, const QList<LanguageChoice> &languages, const QString &current);

Q_SIGNALS:
    void chosen(const QString &id);
};

} // namespace glovebox
