// SPDX-License-Identifier: Apache-2.0
#include "terminalkeys.h"

#include "terminalscreen.h"

#include "../../shownrun.h"
#include "../outputview.h"

#include <vterm.h>

#include <QClipboard>
#include <QGuiApplication>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QScrollBar>

#include <utility>

namespace glovebox {

namespace {

int modelKey(int key)
{
    if (key >= Qt::Key_F1 && key <= Qt::Key_F12)
        return VTERM_KEY_FUNCTION(key - Qt::Key_F1 + 1);
    switch (key) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return VTERM_KEY_ENTER;
    case Qt::Key_Tab:
    case Qt::Key_Backtab:
        return VTERM_KEY_TAB;
    case Qt::Key_Backspace:
        return VTERM_KEY_BACKSPACE;
    case Qt::Key_Escape:
        return VTERM_KEY_ESCAPE;
    case Qt::Key_Up:
        return VTERM_KEY_UP;
    case Qt::Key_Down:
        return VTERM_KEY_DOWN;
    case Qt::Key_Left:
        return VTERM_KEY_LEFT;
    case Qt::Key_Right:
        return VTERM_KEY_RIGHT;
    case Qt::Key_Insert:
        return VTERM_KEY_INS;
    case Qt::Key_Delete:
        return VTERM_KEY_DEL;
    case Qt::Key_Home:
        return VTERM_KEY_HOME;
    case Qt::Key_End:
        return VTERM_KEY_END;
    case Qt::Key_PageUp:
        return VTERM_KEY_PAGEUP;
    case Qt::Key_PageDown:
        return VTERM_KEY_PAGEDOWN;
    default:
        return VTERM_KEY_NONE;
    }
}

// Programs understand no Shift or Ctrl with Enter, Escape and Backspace, so these are left out.
int modelModifiers(int key, Qt::KeyboardModifiers modifiers)
{
    int all = VTERM_MOD_NONE;
    if (key == VTERM_KEY_ENTER || key == VTERM_KEY_ESCAPE || key == VTERM_KEY_BACKSPACE)
        modifiers &= Qt::AltModifier;
    if (modifiers & Qt::ShiftModifier)
        all |= VTERM_MOD_SHIFT;
    if (modifiers & Qt::AltModifier)
        all |= VTERM_MOD_ALT;
    if (modifiers & Qt::ControlModifier)
        all |= VTERM_MOD_CTRL;
    return all;
}

// Ctrl+A is 1, Ctrl+[ is Escape, Ctrl+Space is 0 (ASCII); -1: there is none.
int controlByte(int key)
{
    if (key >= Qt::Key_A && key <= Qt::Key_Z)
        return key - Qt::Key_A + 1;
    if (key >= Qt::Key_BracketLeft && key <= Qt::Key_Underscore)
        return key - Qt::Key_BracketLeft + 0x1b;
    return key == Qt::Key_Space ? 0 : -1;
}

bool movesCursor(int key)
{
    return (key >= Qt::Key_Home && key <= Qt::Key_Down) || key == Qt::Key_Delete || key == Qt::Key_Backspace;
}

bool scrollsView(const QKeyEvent &event)
{
    return event.modifiers() == Qt::ShiftModifier
           && (event.key() == Qt::Key_PageUp || event.key() == Qt::Key_PageDown || event.key() == Qt::Key_Home
               || event.key() == Qt::Key_End);
}

bool pastesText(const QKeyEvent &event)
{
    return (event.modifiers() == (Qt::ControlModifier | Qt::ShiftModifier) && event.key() == Qt::Key_V)
           || (event.modifiers() == Qt::ShiftModifier && event.key() == Qt::Key_Insert);
}

bool copiesText(const QKeyEvent &event)
{
    return event.modifiers() == (Qt::ControlModifier | Qt::ShiftModifier) && event.key() == Qt::Key_C;
}

} // namespace

TerminalKeys::TerminalKeys(OutputView *view, std::function<QList<QKeySequence>()> leaving)
    : QObject(view)
    , m_view(view)
    , m_leaving(std::move(leaving))
{
    view->installEventFilter(this);
}

void TerminalKeys::setRun(ShownRun *run)
{
    if (m_run)
        m_run->disconnect(this);
    m_run = run;
    if (m_run) {
        connect(m_run, &ShownRun::inputChanged, this, &TerminalKeys::showTyping);
        connect(m_run, &ShownRun::stateChanged, this, &TerminalKeys::showTyping);
    }
    showTyping();
}

bool TerminalKeys::isLive() const
{
    return m_run && m_run->log().screen() && !m_run->isDone() && !m_run->inputClosed()
           && m_view->log() == &m_run->log(); // else it shows what was let go
}

void TerminalKeys::showTyping()
{
    const bool typing = isLive() && m_view->hasFocus();
    m_view->setAttribute(Qt::WA_InputMethodEnabled, isLive());
    if (std::exchange(m_isTyping, typing) != typing)
        Q_EMIT typingChanged();
}

bool TerminalKeys::takes(const QKeyEvent &event) const
{
    if (!isLive() || event.modifiers() & Qt::MetaModifier)
        return false;
    if (pastesText(event) || copiesText(event) || scrollsView(event))
        return true;
    if (m_leaving().contains(QKeySequence(event.keyCombination())))
        return false;
    const bool control = event.modifiers() & Qt::ControlModifier;
    if (control && event.modifiers() & Qt::ShiftModifier)
        return false;
    return !control || controlByte(event.key()) >= 0
           || (movesCursor(event.key()) && event.key() != Qt::Key_PageUp && event.key() != Qt::Key_PageDown);
}

QByteArray TerminalKeys::bytesOf(const QKeyEvent &event) const
{
    if (const int key = modelKey(event.key()); key != VTERM_KEY_NONE) {
        const auto modifiers =
            event.key() == Qt::Key_Backtab ? event.modifiers() | Qt::ShiftModifier : event.modifiers();
        return m_run->log().screen()->pressed(key, modelModifiers(key, modifiers));
    }
    QByteArray bytes = event.text().toUtf8();
    if (event.modifiers() & Qt::ControlModifier)
        bytes = QByteArray(1, char(controlByte(event.key())));
    if (event.modifiers() & Qt::AltModifier && !bytes.isEmpty())
        bytes.prepend('\x1b');
    return bytes;
}

void TerminalKeys::send(const QByteArray &bytes)
{
    if (!bytes.isEmpty() && m_run->send(bytes))
        m_view->scrollToBottom();
}

void TerminalKeys::paste()
{
    send(m_run->log().screen()->pasted(QGuiApplication::clipboard()->text()));
}

// True: the key was for the terminal.
bool TerminalKeys::handle(const QKeyEvent &event)
{
    if (!takes(event))
        return false;
    if (scrollsView(event)) {
        QScrollBar *bar = m_view->verticalScrollBar();
        const bool isUp = event.key() == Qt::Key_PageUp || event.key() == Qt::Key_Home;
        if (event.key() == Qt::Key_Home || event.key() == Qt::Key_End)
            bar->setValue(isUp ? bar->minimum() : bar->maximum());
        else
            bar->setValue(bar->value() + (isUp ? -bar->pageStep() : bar->pageStep()));
    } else if (pastesText(event)) {
        paste();
    } else if (m_view->hasSelection()
               && (copiesText(event) || (event.modifiers() == Qt::ControlModifier && event.key() == Qt::Key_C))) {
        m_view->copy();
        m_view->clearSelection(); // the next Ctrl+C interrupts
    } else if (!copiesText(event)) {
        send(bytesOf(event));
    }
    return true;
}

bool TerminalKeys::eventFilter(QObject *watched, QEvent *event)
{
    switch (event->type()) {
    case QEvent::ShortcutOverride:
        if (takes(*static_cast<QKeyEvent *>(event)))
            event->accept(); // whatever the key means elsewhere
        return false;
    case QEvent::KeyPress:
        return handle(*static_cast<QKeyEvent *>(event));
    case QEvent::InputMethod:
        if (isLive())
            send(static_cast<QInputMethodEvent *>(event)->commitString().toUtf8());
        return isLive();
    case QEvent::FocusIn:
    case QEvent::FocusOut:
        QMetaObject::invokeMethod(this, &TerminalKeys::showTyping, Qt::QueuedConnection);
        return false;
    default:
        return QObject::eventFilter(watched, event);
    }
}

} // namespace glovebox
