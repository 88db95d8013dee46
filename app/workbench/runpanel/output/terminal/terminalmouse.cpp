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

// The screen of a program that asked for the mouse; null: the mouse is the person's.
TerminalScreen *askingScreen(const TerminalKeys &keys)
{
    const ShownRun *run = keys.liveRun();
    TerminalScreen *screen = run ? run->log().screen() : nullptr;
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

bool TerminalMouse::press(const QMouseEvent &event, bool isPressed)
{
    TerminalScreen *screen = askingScreen(m_keys);
    const int button = modelButton(event.button());
    if (!screen || button == 0)
        return false;
    if (isPressed ? bool(event.modifiers() & Qt::ShiftModifier) : !(m_held & event.button()))
        return false;
    const auto place = m_view->cellAt(event.position().toPoint());
    const auto cell = screen->cellAt(place.line, place.column);
    if (!cell && isPressed)
        return false;
    m_held.setFlag(event.button(), isPressed);
    m_keys.liveRun()->send(
        screen->pointed(cell.value_or(QPoint()), button, isPressed, modelMouseModifiers(event.modifiers())));
    return true;
}

bool TerminalMouse::move(const QMouseEvent &event)
{
    TerminalScreen *screen = askingScreen(m_keys);
    const bool isSelecting = event.buttons() != Qt::NoButton && !m_held;
    if (!screen || isSelecting || (!m_held && event.modifiers() & Qt::ShiftModifier))
        return false;
    const auto place = m_view->cellAt(event.position().toPoint());
    const auto cell = screen->cellAt(place.line, place.column);
    if (!cell)
        return bool(m_held);
    m_view->viewport()->setCursor(Qt::ArrowCursor);
    if (const QByteArray bytes = screen->pointed(*cell, 0, false, modelMouseModifiers(event.modifiers()));
        !bytes.isEmpty())
        m_keys.liveRun()->send(bytes);
    return true;
}

bool TerminalMouse::turn(const QWheelEvent &event)
{
    TerminalScreen *screen = askingScreen(m_keys);
    const auto place = m_view->cellAt(event.position().toPoint());
    const auto cell = screen ? screen->cellAt(place.line, place.column) : std::nullopt;
    if (!cell || event.modifiers() & Qt::ShiftModifier || event.angleDelta().y() == 0)
        return false;
    m_turned += event.angleDelta().y();
    QByteArray bytes;
    for (; std::abs(m_turned) >= wheelStep; m_turned -= m_turned > 0 ? wheelStep : -wheelStep)
        bytes +=
            screen->pointed(*cell, m_turned > 0 ? wheelUp : wheelDown, true, modelMouseModifiers(event.modifiers()));
    if (!bytes.isEmpty())
        m_keys.liveRun()->send(bytes);
    return true;
}

bool TerminalMouse::eventFilter(QObject *watched, QEvent *event)
{
    switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick:
        return press(*static_cast<QMouseEvent *>(event), true);
    case QEvent::MouseButtonRelease:
        return press(*static_cast<QMouseEvent *>(event), false);
    case QEvent::MouseMove:
        return move(*static_cast<QMouseEvent *>(event));
    case QEvent::Wheel:
        return turn(*static_cast<QWheelEvent *>(event));
    case QEvent::ContextMenu: // the right button was the program's; the menu comes with Shift, and by its key
        return static_cast<QContextMenuEvent *>(event)->reason() == QContextMenuEvent::Mouse
               && m_held & Qt::RightButton;
    default:
        return QObject::eventFilter(watched, event);
    }
}

} // namespace glovebox
