// SPDX-License-Identifier: Apache-2.0
// A host that was blocked: for how long the person lets code reach it.
#pragma once

#include "editors/popover.h"

namespace glovebox {

enum class AllowFor {
    NextRun,
    Session, // this tab, as long as the program lives; never written
    Always, // all tabs: a setting
};

class AllowSheet : public Popover
{
    Q_OBJECT
public:
    // Opens itself. host: a rule in its canonical text.
    AllowSheet(Theme &theme, QWidget *anchor, const QString &host);

Q_SIGNALS:
    void chosen(glovebox::AllowFor howLong);
};

} // namespace glovebox
