// SPDX-License-Identifier: Apache-2.0
// A small sheet that belongs to a word or a badge and lies on the window next to it. It is no window of its own: it
// takes no grab, and goes when the person goes on elsewhere.
#pragma once

#include "app/workbench/shell/theme.h"

#include <QFrame>
#include <QPointer>

class QScrollArea;
class QVBoxLayout;

namespace glovebox {

class Popover : public QFrame
{
    Q_OBJECT
public:
    // Over anchor's window, below the anchor. Deletes itself when it is closed. width: px at 13 px text; less where the window
    // is narrower.
    Popover(Theme &theme, QWidget *anchor, const QString &objectName, const QString &name, int width);

    // Scrolls where the window is lower than what is in it.
    QVBoxLayout *content() const { return m_content; }
    // first: gets the focus
    void open(QWidget *first);
    // giveBack: the focus to who had it, or to the anchor; not when the person went elsewhere
    void close(bool giveBack);

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool focusNextPrevChild(bool next) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void place();

    Theme &m_theme;
    QPointer<QWidget> m_anchor;
    QPointer<QWidget> m_before; // had the focus
    QScrollArea *m_area;
    QVBoxLayout *m_content;
    const int m_width;
    quint64 m_released = 0; // when a key was, by the window system's clock
};

} // namespace glovebox
