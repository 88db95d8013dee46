// SPDX-License-Identifier: Apache-2.0
// What a run changed in copies of folders, a row each with a check mark: whether it is to be applied.
#pragma once

#include "app/workbench/shell/look/tablemodel.h"

#include "engine/folders/folders.h"

namespace glovebox {

struct ShownChange
{
    QString folderPath; // inside
    FolderChange change;
    qsizetype folder = 0; // its place among the folders
    qsizetype index = 0; // and there, in the order of review
};

class ChangesModel : public TableModel<ShownChange>
{
    Q_OBJECT
public:
    enum Column { Kind, Path, Note };

    explicit ChangesModel(const Theme &theme);

    // What other programs obey, and what is withheld, is chosen by the person alone.
    void setFolders(const QList<FolderChanges> &folders);

    qsizetype chosenCount() const;
    qsizetype chosenMarked() const; // of those: what other programs obey, or is withheld
    QList<FolderChanges> chosen() const;
    void chooseAll(bool isChosen);

    Qt::ItemFlags flags(const QModelIndex &index) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role) override;

Q_SIGNALS:
    void choiceChanged();

protected:
    QVariant cell(const ShownChange &row, int column, int role) const override;

private:
    void noteChoice();
    QString noteOf(const FolderChange &change) const;

    QList<FolderChanges> m_folders; // in the order of review
    QList<ChangeChoice> m_choices; // of each folder
};

} // namespace glovebox
