// SPDX-License-Identifier: Apache-2.0
// How far the getting of packages is, what the person is asked about it, and why it failed. Hidden while there is nothing to say.
#pragma once

#include "packagegetting.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace glovebox {

class GettingBar : public QWidget
{
    Q_OBJECT
public:
    // name: begins those of its parts.
    GettingBar(PackageGetting &getting, const QString &name, QWidget *parent = nullptr);

    void say(const QString &sentence); // that went wrong, unless something goes on; empty: nothing
    void takeFocus(); // to what can be done now, and does nothing to any disk

Q_SIGNALS:
    void focusLeaves(); // with the end of what goes on: whoever has the bar takes it

private:
    void follow();
    QString progress() const;
    QString doubts() const;

    PackageGetting &m_getting;
    QLabel *m_words;
    QLabel *m_doubts;
    QPushButton *m_yes = nullptr;
    QPushButton *m_no = nullptr;
    QPushButton *m_cancel = nullptr;
};

} // namespace glovebox
