// SPDX-License-Identifier: Apache-2.0
// The controls of a run as a table: what protects, what was found, what was asked for.
#pragma once

#include "app/workbench/shell/look/tablemodel.h"
#include "app/workbench/shell/words/words.h"

namespace glovebox {

class ControlsModel : public TableModel<Control>
{
    Q_OBJECT
public:
    enum Column { Name, State, Found, Requested };

    explicit ControlsModel(const Theme &theme);

protected:
    QVariant cell(const Control &control, int column, int role) const override;
};

struct ControlCounts
{
    int verified = 0, enforced = 0, degraded = 0, missing = 0;

    int all() const { return verified + enforced + degraded + missing; }
    bool operator==(const ControlCounts &) const = default;
};
ControlCounts countControls(const QList<Control> &controls);

} // namespace glovebox
