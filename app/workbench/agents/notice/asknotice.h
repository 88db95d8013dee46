// SPDX-License-Identifier: Apache-2.0
// Tells a person who doesn't look at the window that an agent waits: by the task bar and by a message on the desktop. Both lead to the
// window and answer nothing; neither shows code, nor a name that a client chose for itself, a host or a key.
#pragma once

#include "desktopnotice.h"

#include "engine/approval/approval.h"

#include <QHash>
#include <QPointer>
#include <QWidget>

namespace glovebox {

class AskNotice : public QObject
{
    Q_OBJECT
public:
    explicit AskNotice(QObject *parent = nullptr);

    // What waits now; the last of them is told of. names: of paired clients, by id. window: that answers are given in.
    void take(const QList<Inbox::Ask> &asks, const QHash<QString, QString> &names, QWidget *window);

    static QString titleOf(const ApprovalRequest &request, const QHash<QString, QString> &names);
    static QString textOf(const ApprovalRequest &request);

private:
    void bringWindow();

    DesktopNotice m_notice;
    QPointer<QWidget> m_window;
    qsizetype m_waiting = 0;
};

} // namespace glovebox
