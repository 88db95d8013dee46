// SPDX-License-Identifier: Apache-2.0
// The controls of a run as a table: what protects, what was found, what was asked for.
#pragma once

#include "app/workbench/shell/words.h"

#include <QAbstractTableModel>

namespace glovebox {

class ControlsModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, State, Found, Requested, columns };

    explicit ControlsModel(const Theme &theme, QObject *parent = nullptr);

    void setControls(const QList<Control> &controls);
    const QList<Control> &controls() const { return m_controls; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    const Theme &m_theme;
    QList<Control> m_controls;
};

struct ControlCounts
{
    int verified = 0, enforced = 0, degraded = 0, missing = 0;

    int all() const { return verified + enforced + degraded + missing; }
    bool operator==(const ControlCounts &) const = default;
};
ControlCounts countControls(const QList<Control> &controls);

} // namespace glovebox
