// SPDX-License-Identifier: Apache-2.0
// Everything the workbench can do, found by typing a few letters. Used by keyboard alone.
#pragma once

#include "app/workbench/shell/context.h"

#include <QAbstractListModel>
#include <QFrame>
#include <QPointer>

class QLabel;
class QLineEdit;
class QListView;

namespace glovebox {

// The actions that are enabled now and match, best first.
class CommandModel : public QAbstractListModel
{
    Q_OBJECT
public:
    enum Role { Keys = Qt::UserRole + 1, Positions, ActionId };

    CommandModel(ActionRegistry &actions, QObject *parent);
    void filter(const QString &pattern);

    int rowCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : int(m_rows.size()); }
    QVariant data(const QModelIndex &index, int role) const override;

private:
    struct Row
    {
        QString id;
        int score = 0;
        QList<int> positions;
    };
    ActionRegistry &m_actions;
    QList<Row> m_rows;
};

class CommandPalette : public QFrame
{
    Q_OBJECT
public:
    CommandPalette(WorkbenchContext &context, QWidget *parent);

    void open(); // over the top of the parent; the focus goes back to where it was when it closes
    void close();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void filter(const QString &pattern);
    void move(int rows);
    void runCurrent();
    void place();

    WorkbenchContext &m_context;
    CommandModel *m_model;
    QLineEdit *m_field;
    QListView *m_list;
    QLabel *m_nothing;
    QPointer<QWidget> m_focusBefore;
};

} // namespace glovebox
