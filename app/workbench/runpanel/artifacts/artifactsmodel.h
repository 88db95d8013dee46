// SPDX-License-Identifier: Apache-2.0
// The files that a run left, a row each.
#pragma once

#include "app/workbench/shell/look/tablemodel.h"

#include "engine/engine.h"

#include <optional>

namespace glovebox {

struct ShownArtifact
{
    Artifact artifact;
    std::optional<bool> isWhole; // as it was verified; nothing: nobody asked

    bool operator==(const ShownArtifact &) const = default;
};

class ArtifactsModel : public TableModel<ShownArtifact>
{
    Q_OBJECT
public:
    enum Column { Name, Size, Type, State };

    explicit ArtifactsModel(const Theme &theme);

    void setVerified(const QList<bool> &whole); // of all rows
    void setReleased(int row);
    Qt::ItemFlags flags(const QModelIndex &index) const override; // what is withheld can't be dragged

protected:
    QVariant cell(const ShownArtifact &shown, int column, int role) const override;
};

// Its path in one line, with what can't be seen made visible.
QString shownPath(const Artifact &artifact);

} // namespace glovebox
