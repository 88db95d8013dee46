// SPDX-License-Identifier: Apache-2.0
// All shortcuts of the window: found by typing, changed here, and led back to the default, one by one or all.
#pragma once

#include "app/workbench/shell/context.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeView;

namespace glovebox {

class KeyField;
class ShortcutStore;
class ShortcutsModel;

class ShortcutsSheet : public QDialog
{
    Q_OBJECT
public:
    // pageTitles: by a page's id.
    ShortcutsSheet(WorkbenchContext &context, ShortcutStore &store, const QHash<QString, QString> &pageTitles,
                   QWidget *parent);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void refill();
    QString current() const; // the id in the chosen row; empty: none, or its keys can't be changed
    void showCurrent();
    void judge();
    void give(); // the keys in the field to the action in the row
    void changeTo(const QString &id, const QList<QKeySequence> &keys, ShortcutChanges &changes) const;

    WorkbenchContext &m_context;
    ShortcutStore &m_store;
    ShortcutsModel *m_model;
    QLineEdit *m_search;
    QTreeView *m_list;
    KeyField *m_field;
    QPushButton *m_give;
    QPushButton *m_none;
    QPushButton *m_reset;
    QPushButton *m_resetAll;
    QLabel *m_remark;
};

} // namespace glovebox
