// SPDX-License-Identifier: Apache-2.0
// A list of values as a table, a row each. A derived model says what the cells show.
#pragma once

#include "app/workbench/shell/theme.h"

#include <QAbstractTableModel>
#include <QStringList>

namespace glovebox {

template<typename Row> class TableModel : public QAbstractTableModel
{
public:
    int rowCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : int(m_rows.size()); }
    int columnCount(const QModelIndex &parent = {}) const override
    {
        return parent.isValid() ? 0 : int(m_titles.size());
    }
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override
    {
        if (!checkIndex(index, CheckIndexOption::IndexIsValid))
            return {};
        return cell(m_rows.at(index.row()), index.column(), role == Qt::ToolTipRole ? int(Qt::DisplayRole) : role);
    }
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override
    {
        const bool isTitle = orientation == Qt::Horizontal && role == Qt::DisplayRole;
        return isTitle ? QVariant(m_titles.value(section)) : QVariant();
    }

    const QList<Row> &rows() const { return m_rows; }
    const Row &row(int row) const { return m_rows.at(row); }
    void setRows(const QList<Row> &rows)
    {
        beginResetModel();
        m_rows = rows;
        endResetModel();
    }

protected:
    TableModel(const Theme &theme, const QStringList &titles)
        : m_theme(theme)
        , m_titles(titles)
    {
    }

    // The text of a cell is its tool tip, too.
    virtual QVariant cell(const Row &row, int column, int role) const = 0;

    const Theme &m_theme;
    QList<Row> m_rows;

private:
    const QStringList m_titles; // of the columns
};

} // namespace glovebox
