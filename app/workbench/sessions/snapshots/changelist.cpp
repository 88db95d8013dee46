// SPDX-License-Identifier: Apache-2.0
#include "changelist.h"

#include "app/workbench/sessions/files/filesmodel.h"
#include "app/workbench/shell/words/words.h"

namespace glovebox {

using namespace Qt::StringLiterals;

ChangeList::ChangeList(const Theme &theme)
    : TableModel(theme, {tr("Change"), tr("File"), tr("Size")})
{
}

QVariant ChangeList::cell(const FolderChange &change, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        if (column == Kind)
            return changeWord(change.kind);
        if (column == Path)
            return shownPath(change.path) + (change.type == FolderChange::Type::Folder ? u"/"_s : QString());
        return change.type == FolderChange::Type::File && change.kind != FolderChange::Kind::Removed
                   ? sizeWord(change.bytes)
                   : QString();
    case Qt::FontRole:
        return m_theme.font(column == Path ? FontRole::Code : FontRole::Small);
    case Qt::ForegroundRole:
        return m_theme.colour(column == Kind ? changeColour(change.kind) : column == Path ? Colour::Text : Colour::Dim);
    default:
        return {};
    }
}

} // namespace glovebox
