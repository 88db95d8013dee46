// SPDX-License-Identifier: Apache-2.0
// The files that are different between two snapshots, a row each.
#pragma once

#include "app/workbench/shell/look/tablemodel.h"

#include "engine/folders/folders.h"

namespace glovebox {

class ChangeList : public TableModel<FolderChange>
{
    Q_OBJECT
public:
    enum Column { Kind, Path, Bytes };

    explicit ChangeList(const Theme &theme);

protected:
    QVariant cell(const FolderChange &change, int column, int role) const override;
};

} // namespace glovebox
