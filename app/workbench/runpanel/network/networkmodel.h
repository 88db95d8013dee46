// SPDX-License-Identifier: Apache-2.0
// What a run wanted of the network, a row each.
#pragma once

#include "app/workbench/shell/look/tablemodel.h"

#include "engine/engine.h"

namespace glovebox {

struct NetworkRow
{
    EgressAttempt attempt;
    bool isInside =
        false; // a connection to the run's own loopback, which nobody lets through or blocks: only its place counts

    bool operator==(const NetworkRow &) const = default;
};

class NetworkModel : public TableModel<NetworkRow>
{
    Q_OBJECT
public:
    enum Column { State, Place, How, Traffic, Why };

    explicit NetworkModel(const Theme &theme);

    // Rows only grow while a run goes on: what is selected stays so.
    // inside: where it connected to itself, each once. Whether anything changed.
    bool setAttempts(const QList<EgressAttempt> &attempts, const QList<Destination> &inside = {});
    qsizetype blocked() const;
    qsizetype inside() const;

protected:
    QVariant cell(const NetworkRow &row, int column, int role) const override;
};

// "example.org:443", with what can't be seen made visible: a run may ask for anything.
QString placeOf(const EgressAttempt &attempt);
// Where the run connected to its own loopback, each place once. Known of runs of this window only.
QList<Destination> placesInside(const QList<RunEvent> &events);

} // namespace glovebox
