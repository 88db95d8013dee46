// SPDX-License-Identifier: Apache-2.0
// Whether the next run has a terminal of its own, and what that changes.
#pragma once

#include "popover.h"

namespace glovebox {

class TerminalEditor : public Popover
{
    Q_OBJECT
public:
    // Opens itself.
    TerminalEditor(Theme &theme, QWidget *anchor, bool current);

Q_SIGNALS:
    void chosen(bool terminal);
};

} // namespace glovebox
