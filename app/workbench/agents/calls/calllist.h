// SPDX-License-Identifier: Apache-2.0
// The calls that agents make to this window, as they go on: who called what, for how long, and what came of it. Knows no requests.
#pragma once

#include "app/workbench/shell/context.h"
#include "callsmodel.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QPushButton;
class QTreeView;

namespace glovebox {

class CallList : public QWidget
{
    Q_OBJECT
public:
    CallList(WorkbenchContext &context, std::shared_ptr<LiveCalls> calls, QWidget *parent);
    ~CallList() override;

    void setNames(const QHash<QString, QString> &agents, const QHash<QString, QString> &sessions);
    void setAsks(const QList<Inbox::Ask> &asks); // that wait for the person
    void setOpen(bool isOpen); // whether calls can come

protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void show();
    void fit(); // the height to the rows
    void fitColumns();
    void showButton();
    void openChosen();
    bool isWaiting(const LiveCall &call) const;

    WorkbenchContext &m_context;
    const std::shared_ptr<LiveCalls> m_calls;
    CallsModel m_model;
    QList<Inbox::Ask> m_asks;
    bool m_isOpen = false;
    QLabel *m_remark;
    QPushButton *m_show;
    QTreeView *m_view;
    QTimer m_soon; // many changes are shown at once
    QTimer m_tick; // while a call is going on
};

} // namespace glovebox
