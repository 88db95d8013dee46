// SPDX-License-Identifier: Apache-2.0
// What a run changed in copies of folders, a row each.
#pragma once

#include "app/workbench/shell/look/tablemodel.h"

#include "engine/folders/folders.h"

namespace glovebox {

struct ShownChange
{
    QString folderPath; // inside
    FolderChange change;
};

class ChangesModel : public TableModel<ShownChange>
{
    Q_OBJECT
public:
    enum Column { Kind, Path, Note };

    explicit ChangesModel(const Theme &theme);

    void setFolders(const QList<FolderChanges> &folders);

protected:
    QVariant cell(const ShownChange &row, int column, int role) const override;

private:
    QString noteOf(const FolderChange &change) const;

    bool m_severalFolders = false;
};

} // namespace glovebox
