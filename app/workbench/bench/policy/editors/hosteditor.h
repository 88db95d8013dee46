// SPDX-License-Identifier: Apache-2.0
// Which hosts the next run may reach: none but those that are named here.
#pragma once

#include "popover.h"

#include <QStringList>

class QLabel;
class QLineEdit;

namespace glovebox {

class HostEditor : public Popover
{
    Q_OBJECT
public:
    // Opens itself. hosts: rules in their canonical text.
    HostEditor(Theme &theme, QWidget *anchor, const QStringList &hosts);

Q_SIGNALS:
    void chosen(const QStringList &hosts); // after each change

private:
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
};

// "no network", "1 host"
QString hostsPhrase(const QStringList &hosts);

} // namespace glovebox
