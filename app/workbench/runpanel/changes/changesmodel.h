// SPDX-License-Identifier: Apache-2.0
// What a run changed in copies of folders, a row each.
#pragma once

#include "app/workbench/shell/theme.h"

#include "engine/folders/folders.h"

#include <QAbstractTableModel>

namespace glovebox {

class ChangesModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Kind, Path, Note, columns };

    explicit ChangesModel(const Theme &theme, QObject *parent = nullptr);

    void setFolders(const QList<FolderChanges> &folders);
    const FolderChange &change(int row) const { return m_rows.at(row).change; }
    QString folderPath(int row) const { return m_rows.at(row).folderPath; } // inside

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Row
    {
        QString folderPath;
        FolderChange change;
    };
    QString noteOf(const FolderChange &change) const;

    const Theme &m_theme;
    bool m_severalFolders = false;
    QList<Row> m_rows;
};

} // namespace glovebox
