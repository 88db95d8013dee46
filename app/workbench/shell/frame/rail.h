// SPDX-License-Identifier: Apache-2.0
// The strip of page buttons at the side of the window.
#pragma once

#include "app/workbench/shell/context.h"

#include <QWidget>

class QToolButton;
class QVBoxLayout;

namespace glovebox {

class Rail : public QWidget
{
    Q_OBJECT
public:
    Rail(WorkbenchContext &context, QWidget *parent);

    // action: the one that shows the page. atEnd: at the bottom, apart from the others.
    void add(const QString &pageId, const QString &title, Icon icon, QAction *action, bool atEnd);
    void setCurrent(const QString &pageId);
    // A number on the button: what waits for the person there; 0: none.
    void setWaiting(const QString &pageId, int count);
    QWidget *currentButton() const;
    // A button above all pages: the window's menu.
    QToolButton *addMenuButton(QAction *action, Icon icon);

private:
    void resizeToTheme();

    WorkbenchContext &m_context;
    QToolButton *m_menu = nullptr;
    QVBoxLayout *m_buttons;
    QVBoxLayout *m_atEnd;
    // No QButtonGroup: in one, Tab reaches a single button, and arrow keys check a page's button without showing the page.
    QList<QToolButton *> m_all;
    QHash<QToolButton *, QString> m_titles; // as they are without a number
};

} // namespace glovebox
