// SPDX-License-Identifier: Apache-2.0
// Chooses whether the session's interpreter stays from run to run.
#pragma once

#include "app/workbench/bench/policy/editors/popover.h"

namespace glovebox {

struct InterpreterChoice
{
    QString language; // "Python 3.11"
    bool keeps = false;
    bool waits = false; // it lives
    QString obstacle; // why a run in it would not start; empty: it would

    bool operator==(const InterpreterChoice &) const = default;
};

class InterpreterEditor : public Popover
{
    Q_OBJECT
public:
    // Opens itself.
    InterpreterEditor(Theme &theme, QWidget *anchor, const InterpreterChoice &current);

Q_SIGNALS:
    void chosen(bool keeps);
    void cleanWanted();
};

} // namespace glovebox
