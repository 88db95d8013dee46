// SPDX-License-Identifier: Apache-2.0
// The folders of this machine that the next run sees: what for, and what it may do there. A refusal of the engine's is said
// here, before anything runs.
#pragma once

#include "foldercheck.h"
#include "popover.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace glovebox {

class FolderEditor : public Popover
{
    Q_OBJECT
public:
    // Opens itself. policy: for what the folders must agree with.
    FolderEditor(Theme &theme, QWidget *anchor, const Policy &policy, FolderCheck check);

Q_SIGNALS:
    void chosen(const QList<glovebox::FolderGrant> &folders); // after each change

private:
    void showFolders();
    QWidget *makeRow(int index);
    void browse();
    void add();
    void remove(int index);
    void setMode(int index, FolderGrant::Mode mode);
    // Takes it when the engine would.
    void propose(const QList<FolderGrant> &folders, const FolderGrant &changed);
    void refuse(const QString &sentence);

    Theme &m_theme;
    Policy m_policy;
    FolderCheck m_check;
    int m_generation = 0; // of proposals: an answer to an old one is dropped
    QWidget *m_rows;
    QLineEdit *m_field;
    QPushButton *m_add;
    QLabel *m_remark;
};

// "no folders", "2 folders, writable"
QString foldersPhrase(const QList<FolderGrant> &folders);
bool areWritable(const QList<FolderGrant> &folders); // at least one of the originals
// Where a folder is shown unless somebody says otherwise: below /work, by its name, apart from the others.
QString placeInside(const QString &hostPath, const QList<FolderGrant> &others);

} // namespace glovebox
