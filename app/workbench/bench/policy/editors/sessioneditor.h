// SPDX-License-Identifier: Apache-2.0
// The choice of the session that the next run is in: none, one that is there, or a new one.
#pragma once

#include "popover.h"

class QVBoxLayout;

namespace glovebox {

// A session the person can choose.
struct SessionChoice
{
    QString id; // empty: none
    QString name; // as it is shown
    QStringList allow; // hosts that each run in it may reach
    qint64 diskBytes = 0; // of each run in it; 0: not known
    QString remark; // "12 files, 80 MB of 1 GB"
    QString profile; // that runs in it from the command line have, and the tab hasn't; empty: none
    bool isBusy = false;
    bool isGone = false; // it was deleted meanwhile

    bool operator==(const SessionChoice &) const = default;
};

class SessionEditor : public Popover
{
    Q_OBJECT
public:
    // Opens itself.
    SessionEditor(Theme &theme, QWidget *anchor, const QList<SessionChoice> &sessions, const QString &current);

    void setSessions(const QList<SessionChoice> &sessions);

Q_SIGNALS:
    void chosen(const glovebox::SessionChoice &session);
    void chosenWithProfile(const glovebox::SessionChoice &session);
    void newWanted();
    void pageWanted();

private:
    QWidget *addChoice(const SessionChoice &session, int number);

    QList<SessionChoice> m_sessions;
    const QString m_current;
    QVBoxLayout *m_rows;
    QWidget *m_first = nullptr; // gets the focus
};

} // namespace glovebox
