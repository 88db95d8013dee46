// SPDX-License-Identifier: Apache-2.0
// The strip of open snippets, with a place to begin a new one behind the last.
#pragma once

#include "app/workbench/shell/context.h"

#include <QTabBar>
#include <QWidget>

class QToolButton;

namespace glovebox {

class TabStrip : public QWidget
{
    Q_OBJECT
public:
    TabStrip(WorkbenchContext &context, QWidget *parent = nullptr);

    QTabBar &bar() { return *m_bar; }
    struct TabState
    {
        QString name;
        QString toolTip;
        bool unsaved = false; // a dot
        bool running = false; // an arrow
        bool pinned = false; // a pin, and no mark to close it
    };
    // The accessible name says all that is drawn. A long name is cut in its middle, at the same length in every tab.
    void setTab(int index, const TabState &state);
    QToolButton *listButton() const { return m_list; }

Q_SIGNALS:
    void newWanted();
    void closeWanted(int index);
    void listWanted();
    void dropped(); // a tab was dragged, and is where it stays
    void menuWanted(int index, const QPoint &globalPosition);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void placeCloseButton();

    WorkbenchContext &m_context;
    Theme &m_theme;
    QTabBar *m_bar;
    QToolButton *m_list;
};

} // namespace glovebox
