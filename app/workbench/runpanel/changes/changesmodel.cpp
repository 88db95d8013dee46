// SPDX-License-Identifier: Apache-2.0
#include "changesmodel.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/words.h"

namespace glovebox {

using namespace Qt::StringLiterals;

ChangesModel::ChangesModel(const Theme &theme)
    : TableModel(theme, {tr("Change"), tr("File"), tr("Note")})
{
}

void ChangesModel::setFolders(const QList<FolderChanges> &folders)
{
    m_severalFolders = folders.size() > 1;
    QList<ShownChange> rows;
    for (const FolderChanges &folder : folders) {
        for (const FolderChange &change : inOrderOfReview(folder.changes))
            rows.append({folder.path, change});
    }
    setRows(rows);
}

QString ChangesModel::noteOf(const FolderChange &change) const
{
    QStringList notes;
    if (change.isWithheld)
        notes << tr("▲ Withheld: has a secret that was lent, or could not be searched");
    if (change.isSensitive)
        notes << u"▲ "_s + translated(change.why);
    if (change.type == FolderChange::Type::Link && change.kind != FolderChange::Kind::Removed)
        notes << tr("Link to %1").arg(withHiddenShown(textFromBytes(change.target)));
    else if (change.type == FolderChange::Type::Other)
        notes << tr("No file; never applied");
    else if (change.type == FolderChange::Type::File && change.kind != FolderChange::Kind::Removed)
        notes << sizeWord(change.bytes);
    if (change.oldMode != 0 && change.mode != 0 && change.oldMode != change.mode)
        notes << tr("permissions %1 to %2").arg(change.oldMode, 0, 8).arg(change.mode, 0, 8);
    else if (change.kind == FolderChange::Kind::Added && change.type == FolderChange::Type::File
             && (change.mode & 0111))
        notes << tr("executable");
    return notes.join(u" · "_s);
}

QVariant ChangesModel::cell(const ShownChange &row, int column, int role) const
{
    const FolderChange &change = row.change;
    switch (role) {
    case Qt::DisplayRole:
        switch (column) {
        case Kind:
            return change.kind == FolderChange::Kind::Added     ? tr("Added")
                   : change.kind == FolderChange::Kind::Removed ? tr("Removed")
                                                                : tr("Changed");
        case Path:
            return (m_severalFolders ? row.folderPath + u'/' : QString()) + withHiddenShown(textFromBytes(change.path))
                   + (change.type == FolderChange::Type::Folder ? u"/"_s : QString());
        default:
            return noteOf(change);
        }
    case Qt::ForegroundRole:
        if (column == Kind)
            return m_theme.colour(change.kind == FolderChange::Kind::Added     ? Colour::Ok
                                  : change.kind == FolderChange::Kind::Removed ? Colour::Bad
                                                                               : Colour::Info);
        if (column == Note)
            return m_theme.colour(change.isSensitive || change.isWithheld ? Colour::Warn : Colour::Dim);
        return m_theme.colour(Colour::Text);
    case Qt::FontRole:
        return column == Path ? QVariant(m_theme.font(FontRole::Code)) : QVariant();
    default:
        return {};
    }
}

} // namespace glovebox
