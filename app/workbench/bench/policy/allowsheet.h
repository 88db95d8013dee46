// SPDX-License-Identifier: Apache-2.0
// A host that was blocked: for how long the person lets code reach it.
#pragma once

#include "editors/popover.h"

#include "app/workbench/runpanel/network/blockedline.h"

namespace glovebox {

class AllowSheet : public Popover
{
    Q_OBJECT
public:
    // Opens itself. host: a rule in its canonical text. isOnRecord: of a run in the history, whose secrets and folders aren't granted
    // again.
    AllowSheet(Theme &theme, QWidget *anchor, const QString &host, bool isOnRecord = false);

Q_SIGNALS:
    void chosen(glovebox::AllowFor howLong);
};

} // namespace glovebox
