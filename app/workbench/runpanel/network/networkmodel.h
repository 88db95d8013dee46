// SPDX-License-Identifier: Apache-2.0
// What a run wanted of the network, a row each.
#pragma once

#include "app/workbench/shell/theme.h"

#include "engine/engine.h"

#include <QAbstractTableModel>

namespace glovebox {

class NetworkModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { State, Place, How, Traffic, Why, columns };

    explicit NetworkModel(const Theme &theme, QObject *parent = nullptr);

    // Rows only grow while a run goes on: what is selected stays so.
    void setAttempts(const QList<EgressAttempt> &attempts);
    const EgressAttempt &attempt(int row) const { return m_attempts.at(row); }
    qsizetype blocked() const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    const Theme &m_theme;
    QList<EgressAttempt> m_attempts;
};

// "example.org:443", with what can't be seen made visible: a run may ask for anything.
QString placeOf(const EgressAttempt &attempt);

} // namespace glovebox
