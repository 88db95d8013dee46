// SPDX-License-Identifier: Apache-2.0
// Which hosts the next run may reach, none but those that are named here, and how much it may move.
#pragma once

#include "app/workbench/shell/words/limitwords.h"
#include "popover.h"
#include "sessioneditor.h"

#include <QHash>
#include <QStringList>

class QLabel;
class QLineEdit;

namespace glovebox {

class HostEditor : public Popover
{
    Q_OBJECT
public:
    // Opens itself. Of the policies only what concerns the network counts; hosts are rules in their canonical text.
    // session: whose hosts the run may reach, too.
    HostEditor(Theme &theme, QWidget *anchor, const Policy &policy, const Policy &defaults,
               const SessionChoice &session = {});

Q_SIGNALS:
    void chosen(const QStringList &hosts); // after each change
    void limitChosen(glovebox::LimitKind kind, qint64 value);

private:
    QWidget *makeLimits(const Limits &limits, const Limits &usual);
    void checkLimit(LimitKind kind, qint64 usual);
    QWidget *makePresets();
    void showHosts();
    void add(const QStringList &hosts);
    void addTyped();
    void remove(int index);
    void say(const QString &sentence);

    Theme &m_theme;
    QStringList m_hosts;
    QWidget *m_rows;
    QLineEdit *m_field;
    QLabel *m_remark;
    QHash<LimitKind, QLineEdit *> m_limits;
    QLabel *m_limitRemark = nullptr;
};

// "no network", "1 host", "2 hosts (10 MB of traffic, 100 KB/s)"
QString hostsPhrase(const Policy &policy);

} // namespace glovebox
