// SPDX-License-Identifier: Apache-2.0
#include "changesmodel.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/words/words.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

bool isMarked(const FolderChange &change)
{
    return change.isSensitive || change.isWithheld;
}

} // namespace

ChangesModel::ChangesModel(const Theme &theme)
    : TableModel(theme, {tr("Change"), tr("File"), tr("Note")})
{
}

void ChangesModel::setFolders(const QList<FolderChanges> &folders)
{
    m_folders = folders;
    m_choices.clear();
    QList<ShownChange> rows;
    for (qsizetype i = 0; i < folders.size(); ++i) {
        m_folders[i].changes = inOrderOfReview(folders[i].changes);
        m_choices.append(ChangeChoice(m_folders[i].changes));
        qsizetype index = 0;
        for (const FolderChange &change : std::as_const(m_folders[i].changes))
            rows.append({folders[i].path, change, i, index++});
    }
    // Those of any folder before the first that isn't: the list begins with what is to be reviewed.
    std::ranges::stable_partition(rows, isMarked, &ShownChange::change);
    const auto isLeft = [](const FolderChange &change) {
        return isMarked(change) || change.type == FolderChange::Type::Other;
    };
    for (const ShownChange &row : std::as_const(rows))
        m_choices[row.folder].choose(row.index, true);
    for (const ShownChange &row : std::as_const(rows)) {
        if (isLeft(row.change))
            m_choices[row.folder].choose(row.index, false);
    }
    setRows(rows);
    Q_EMIT choiceChanged();
}

qsizetype ChangesModel::chosenCount() const
{
    qsizetype count = 0;
    for (const ChangeChoice &choice : m_choices)
        count += choice.count();
    return count;
}

qsizetype ChangesModel::chosenMarked() const
{
    return std::ranges::count_if(m_rows, [this](const ShownChange &row) {
        return isMarked(row.change) && m_choices[row.folder].isChosen(row.index);
    });
}

QList<FolderChanges> ChangesModel::chosen() const
{
    QList<FolderChanges> all = m_folders;
    for (qsizetype i = 0; i < all.size(); ++i)
        all[i].changes = m_choices[i].chosen();
    all.removeIf([](const FolderChanges &folder) { return folder.changes.isEmpty(); });
    return all;
}

void ChangesModel::chooseAll(bool isChosen)
{
    for (const ShownChange &row : std::as_const(m_rows))
        m_choices[row.folder].choose(row.index, isChosen);
    noteChoice();
}

void ChangesModel::noteChoice()
{
    if (m_rows.isEmpty())
        return;
    Q_EMIT dataChanged(index(0, Kind), index(rowCount() - 1, Kind), {Qt::CheckStateRole});
    Q_EMIT choiceChanged();
}

Qt::ItemFlags ChangesModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags flags = TableModel::flags(index);
    return index.isValid() && index.column() == Kind ? flags | Qt::ItemIsUserCheckable : flags;
}

bool ChangesModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || index.column() != Kind || role != Qt::CheckStateRole)
        return false;
    const ShownChange &row = m_rows.at(index.row());
    m_choices[row.folder].choose(row.index, value.toInt() == Qt::Checked);
    noteChoice();
    return true;
}

QString ChangesModel::noteOf(const FolderChange &change) const
{
    QStringList notes;
    if (change.isWithheld)
        notes << tr("▲ Withheld: holds a secret of the run, or could not be searched");
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
            return (m_folders.size() > 1 ? row.folderPath + u'/' : QString())
                   + withHiddenShown(textFromBytes(change.path))
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
            return m_theme.colour(isMarked(change) ? Colour::Warn : Colour::Dim);
        return m_theme.colour(Colour::Text);
    case Qt::CheckStateRole:
        return column == Kind ? QVariant(m_choices[row.folder].isChosen(row.index) ? Qt::Checked : Qt::Unchecked)
                              : QVariant();
    case Qt::FontRole:
        return column == Path ? QVariant(m_theme.font(FontRole::Code)) : QVariant();
    default:
        return {};
    }
}

} // namespace glovebox
