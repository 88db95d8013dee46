// SPDX-License-Identifier: Apache-2.0
// Gives the mouse over the output view to the program in the terminal that is shown there, where the program asked for it.
#pragma once

#include <QObject>
#include <QPoint>

class QMouseEvent;
class QWheelEvent;

namespace glovebox {

class OutputView;
class TerminalKeys;
class TerminalScreen;

// As in other terminals, the mouse selects and scrolls all the same while Shift is held, and over what scrolled off the screen.
class TerminalMouse : public QObject
{
    Q_OBJECT
public:
    // keys knows whose terminal it is, and outlives this.
    TerminalMouse(OutputView *view, const TerminalKeys &keys);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    bool press(const QMouseEvent &event);
    bool release(const QMouseEvent &event);
    bool move(const QMouseEvent &event);
    bool turn(const QWheelEvent &event);
    bool isOnScreen(TerminalScreen &screen, const QPointF &position);
    void tell(const QByteArray &bytes);

    OutputView *m_view;
    const TerminalKeys &m_keys;
    Qt::MouseButtons m_held; // that the program was told
    QPoint m_cell; // of the screen, where the mouse was last
    int m_turned = 0; // eighths of a degree of the wheel that were no step yet
};

} // namespace glovebox
