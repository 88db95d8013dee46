// SPDX-License-Identifier: Apache-2.0
#include "keyfield.h"

#include <QKeyEvent>

namespace glovebox {

KeyField::KeyField(QWidget *parent)
    : QLineEdit(parent)
{
    setReadOnly(true);
    setContextMenuPolicy(Qt::NoContextMenu);
}

void KeyField::setKeys(const QKeySequence &keys)
{
    m_keys = keys;
    setText(keys.toString(QKeySequence::NativeText));
}

// No action is meant by what is pressed here.
bool KeyField::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    return QLineEdit::event(event);
}

void KeyField::keyPressEvent(QKeyEvent *event)
{
    const int key = event->key();
    const Qt::KeyboardModifiers modifiers =
        event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::ShiftModifier | Qt::MetaModifier);
    if (key == Qt::Key_Escape && modifiers == Qt::NoModifier) {
        event->ignore();
        return;
    }
    if (key == 0 || key == Qt::Key_unknown || key == Qt::Key_Control || key == Qt::Key_Shift || key == Qt::Key_Alt
        || key == Qt::Key_Meta || key == Qt::Key_AltGr)
        return; // more is to come
    // Shift only writes the sign ("?") on some keyboards, so the keys of a sign have no Shift.
    const QString text = event->text();
    const bool isSign =
        !text.isEmpty() && text.at(0).isPrint() && !text.at(0).isLetterOrNumber() && !text.at(0).isSpace();
    setKeys(QKeyCombination(isSign ? modifiers & ~Qt::ShiftModifier : modifiers, Qt::Key(key)));
    Q_EMIT pressed(m_keys);
}

} // namespace glovebox
