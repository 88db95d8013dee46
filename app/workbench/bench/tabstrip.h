// SPDX-License-Identifier: Apache-2.0
// The strip of open snippets, with a place to begin a new one behind the last.
#pragma once

#include "app/workbench/shell/theme.h"

#include <QTabBar>
#include <QWidget>

namespace glovebox {

class TabStrip : public QWidget
{
    Q_OBJECT
public:
    TabStrip(Theme &theme, QWidget *parent = nullptr);

    QTabBar &bar() { return *m_bar; }
    // unsaved: a dot; running: an arrow. Both are said too.
    void setTab(int index, const QString &name, const QString &toolTip, bool unsaved, bool running);

Q_SIGNALS:
    void newWanted();
    void closeWanted(int index);
    void menuWanted(int index, const QPoint &globalPosition);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void placeCloseButton();

    Theme &m_theme;
    QTabBar *m_bar;
};

} // namespace glovebox
