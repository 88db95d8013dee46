// SPDX-License-Identifier: Apache-2.0
#include "terminalmouse.h"

#include "terminalkeys.h"
#include "terminalscreen.h"

#include "../../shownrun.h"
#include "../outputview.h"

#include <vterm.h>

#include <QMouseEvent>
#include <QWheelEvent>

#include <cstdlib>

namespace glovebox {

namespace {

constexpr int wheelStep = 120; // eighths of a degree (QWheelEvent)
constexpr int wheelUp = 4, wheelDown = 5;

int modelButton(Qt::MouseButton button)
{
    return button == Qt::LeftButton ? 1 : button == Qt::MiddleButton ? 2 : button == Qt::RightButton ? 3 : 0;
}

int modelMouseModifiers(Qt::KeyboardModifiers modifiers)
{
    return (modifiers & Qt::AltModifier ? VTERM_MOD_ALT : 0) | (modifiers & Qt::ControlModifier ? VTERM_MOD_CTRL : 0);
}

TerminalScreen *screenOf(const TerminalKeys &keys)
{
    const ShownRun *run = keys.liveRun();
    return run ? run->log().screen() : nullptr;
}

// The screen of a program that asked for the mouse; null: the mouse is the person's.
TerminalScreen *askingScreen(const TerminalKeys &keys)
{
    TerminalScreen *screen = screenOf(keys);
    return screen && screen->mouse() != TerminalScreen::Mouse::Nothing ? screen : nullptr;
}

} // namespace

TerminalMouse::TerminalMouse(OutputView *view, const TerminalKeys &keys)
    : QObject(view)
    , m_view(view)
    , m_keys(keys)
{
    view->viewport()->installEventFilter(this);
}

// Whether the mouse is over the screen, and m_cell is where.
bool TerminalMouse::isOnScreen(TerminalScreen &screen, const QPointF &position)
{
    const auto place = m_view->cellAt(position.toPoint());
    const auto cell = screen.cellAt(place.line, place.column);
    m_cell = cell.value_or(m_cell);
    return cell.has_value();
}

void TerminalMouse::tell(const QByteArray &bytes)
{
    if (!bytes.isEmpty())
        m_keys.liveRun()->send(bytes);
}

bool TerminalMouse::press(const QMouseEvent &event)
{
    TerminalScreen *screen = askingScreen(m_keys);
    const int button = modelButton(event.button());
    m_held &= event.buttons();
    if (!screen || button == 0 || !isOnScreen(*screen, event.position()))
        return false;
    if (event.modifiers() & Qt::ShiftModifier) {
        if (event.button() != Qt::LeftButton || event.type() != QEvent::MouseButtonPress)
            return false;
        m_view->beginSelection(
            event.position().toPoint()); // also where another one ended: nothing else begins one here
        return true;
    }
    m_held.setFlag(event.button());
    tell(screen->pointed(m_cell, button, true, modelMouseModifiers(event.modifiers())));
    return true;
}

// Of a button whose press was the program's, also where it doesn't ask any more: the model remembers what is held.
bool TerminalMouse::release(const QMouseEvent &event)
{
    if (!(m_held & event.button()))
        return false;
    m_held.setFlag(event.button(), false);
    if (TerminalScreen *screen = screenOf(m_keys)) {
        isOnScreen(*screen, event.position());
        const QByteArray bytes =
            screen->pointed(m_cell, modelButton(event.button()), false, modelMouseModifiers(event.modifiers()));
        if (askingScreen(m_keys))
            tell(bytes);
    }
    return true;
}

bool TerminalMouse::move(const QMouseEvent &event)
{
    TerminalScreen *screen = askingScreen(m_keys);
    m_held &= event.buttons();
    const bool isSelecting = event.buttons() != Qt::NoButton && !m_held;
    if (!screen || isSelecting || (!m_held && event.modifiers() & Qt::ShiftModifier))
        return false;
    if (!isOnScreen(*screen, event.position()))
        return bool(m_held);
    m_view->viewport()->setCursor(Qt::ArrowCursor);
    tell(screen->pointed(m_cell, 0, false, modelMouseModifiers(event.modifiers())));
    return true;
}

bool TerminalMouse::turn(const QWheelEvent &event)
{
    TerminalScreen *screen = askingScreen(m_keys);
    if (!screen || event.modifiers() & Qt::ShiftModifier || event.angleDelta().y() == 0
        || !isOnScreen(*screen, event.position()))
        return false;
    m_turned += event.angleDelta().y();
    QByteArray bytes;
    for (; std::abs(m_turned) >= wheelStep; m_turned -= m_turned > 0 ? wheelStep : -wheelStep)
        bytes +=
            screen->pointed(m_cell, m_turned > 0 ? wheelUp : wheelDown, true, modelMouseModifiers(event.modifiers()));
    tell(bytes);
    return true;
}

bool TerminalMouse::eventFilter(QObject *watched, QEvent *event)
{
    switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick:
        return press(*static_cast<QMouseEvent *>(event));
    case QEvent::MouseButtonRelease:
        return release(*static_cast<QMouseEvent *>(event));
    case QEvent::MouseMove:
        return move(*static_cast<QMouseEvent *>(event));
    case QEvent::Wheel:
        return turn(*static_cast<QWheelEvent *>(event));
    case QEvent::ContextMenu: // the right button was the program's; the menu comes with Shift, and by its key
        return static_cast<QContextMenuEvent *>(event)->reason() == QContextMenuEvent::Mouse
               && (m_held & Qt::RightButton) && askingScreen(m_keys);
    default:
        return QObject::eventFilter(watched, event);
    }
}

} // namespace glovebox
