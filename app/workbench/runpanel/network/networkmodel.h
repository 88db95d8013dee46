// SPDX-License-Identifier: Apache-2.0
// What a run wanted of the network, a row each.
#pragma once

#include "app/workbench/shell/look/tablemodel.h"

#include "engine/engine.h"

namespace glovebox {

class NetworkModel : public TableModel<EgressAttempt>
{
    Q_OBJECT
public:
    enum Column { State, Place, How, Traffic, Why };

    explicit NetworkModel(const Theme &theme);

    // Rows only grow while a run goes on: what is selected stays so.
    // Whether anything changed.
    bool setAttempts(const QList<EgressAttempt> &attempts);
    qsizetype blocked() const;

protected:
    QVariant cell(const EgressAttempt &attempt, int column, int role) const override;
};

// "example.org:443", with what can't be seen made visible: a run may ask for anything.
QString placeOf(const EgressAttempt &attempt);

} // namespace glovebox
