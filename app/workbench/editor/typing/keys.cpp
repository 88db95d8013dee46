// SPDX-License-Identifier: Apache-2.0
// Keys in the code editor that do more than put in characters.
#include "lines.h"
#include "pairs.h"

#include "app/workbench/editor/code/codeeditor.h"

#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QTextBlock>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

void CodeEditor::commentOrUncomment()
{
    if (isReadOnly())
        return;
    int done = -1; // two cursors in one line don't comment it in and out again
    m_cursors.atEach(Cursors::Act::Edits, [&] {
        const auto [first, last] = touchedBlocks(textCursor());
        if (first.blockNumber() > done)
            toggleComment(textCursor(), m_comment.isEmpty() ? u"#"_s : m_comment);
        done = last.blockNumber();
    });
    followCursors();
}

void CodeEditor::addCursors(MoreCursors which)
{
    bool fits = true;
    switch (which) {
    case MoreCursors::Above:
    case MoreCursors::Below:
        fits = m_cursors.addInLine(which == MoreCursors::Below);
        break;
    case MoreCursors::NextMatch:
        fits = m_cursors.addNextMatch();
        break;
    case MoreCursors::AllMatches:
        fits = m_cursors.addAllMatches();
        break;
    }
    if (!fits && which != MoreCursors::AllMatches)
        Q_EMIT refused(tr("%L1 cursors are as many as there can be.").arg(Cursors::most));
    else if (!fits)
        Q_EMIT refused(
            tr("More than %L1 places have this text, and so many can have a cursor. Use Replace to change all of them.")
                .arg(Cursors::most));
    followCursors();
    ensureCursorVisible();
}

void CodeEditor::keepOneCursor()
{
    m_cursors.clear();
    followCursors();
}

void CodeEditor::mousePressEvent(QMouseEvent *event)
{
    const bool adds = event->modifiers() == Qt::AltModifier || event->modifiers() == Qt::ControlModifier;
    if (event->button() == Qt::LeftButton && adds) {
        m_cursors.toggle(cursorForPosition(event->position().toPoint()));
        followCursors();
        return;
    }
    if (event->button() == Qt::LeftButton)
        keepOneCursor();
    QPlainTextEdit::mousePressEvent(event);
}

// What is composed of several keys, such as "é".
void CodeEditor::inputMethodEvent(QInputMethodEvent *event)
{
    if (event->commitString().isEmpty() || isReadOnly())
        return QPlainTextEdit::inputMethodEvent(event);
    m_cursors.atEach(Cursors::Act::Edits, [&] { QPlainTextEdit::inputMethodEvent(event); });
    followCursors();
}

void CodeEditor::keyPressEvent(QKeyEvent *event)
{
    if (m_cursors.takeKey(*event, [&] { takeKey(event); }))
        return followCursors();
    takeKey(event);
}

void CodeEditor::changeLines(const std::function<LineChange(QTextCursor &)> &change)
{
    if (isReadOnly())
        return;
    if (!document()->isUndoRedoEnabled()) {
        Q_EMIT refused(tr("The rest of the text is still being read. Try again in a moment."));
        return;
    }
    m_cursors.clear(); // lines are moved and sorted as one piece
    QTextCursor cursor = textCursor();
    const LineChange done = change(cursor);
    if (done == LineChange::TooMuch)
        Q_EMIT refused(tr("This would change more than %L1 lines or %L2 characters at once. Select fewer lines.")
                           .arg(mostChangedLines)
                           .arg(mostInserted));
    if (done == LineChange::Done) {
        setTextCursor(cursor);
        ensureCursorVisible();
    }
}

void CodeEditor::breakLine()
{
    QTextCursor cursor = textCursor();
    cursor.beginEditBlock();
    cursor.removeSelectedText();
    const QString line = cursor.block().text();
    const QStringView before = QStringView(line).first(cursor.positionInBlock());
    const QStringView behind = QStringView(line).sliced(cursor.positionInBlock()).trimmed();
    const QString indentation = indentationAfter(before, m_indentation, m_style);
    cursor.insertText(u'\n' + indentation);
    // {|} opens up: the closing one gets a line of its own.
    const QChar opened = before.trimmed().isEmpty() ? QChar() : before.trimmed().back();
    const bool pair = (opened == u'{' && behind.startsWith(u'}')) || (opened == u'[' && behind.startsWith(u']'))
                      || (opened == u'(' && behind.startsWith(u')'));
    if (pair && m_style.bracesAreBlocks) {
        const int position = cursor.position();
        cursor.insertText(u'\n' + indentation.chopped(std::min(indentation.size(), m_indentation.step().size())));
        cursor.setPosition(position);
    }
    cursor.endEditBlock();
    setTextCursor(cursor);
    ensureCursorVisible();
}

// In the white space in front of a line: back to the step before.
bool CodeEditor::backspaceToStep()
{
    QTextCursor cursor = textCursor();
    const int column = cursor.positionInBlock();
    const QString before = cursor.block().text().first(column);
    if (cursor.hasSelection() || column == 0 || m_indentation.tabs
        || std::ranges::any_of(before, [](QChar c) { return c != u' '; }))
        return false;
    const int back = (column - 1) % m_indentation.width + 1;
    cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor, back);
    cursor.removeSelectedText();
    return true;
}

void CodeEditor::moveHome(bool select)
{
    QTextCursor cursor = textCursor();
    const QString text = cursor.block().text();
    const auto space = std::ranges::find_if_not(text, [](QChar c) { return c.isSpace(); }) - text.begin();
    const bool atText = cursor.positionInBlock() == space;
    cursor.setPosition(cursor.block().position() + (atText ? 0 : int(space)),
                       select ? QTextCursor::KeepAnchor : QTextCursor::MoveAnchor);
    setTextCursor(cursor);
}

void CodeEditor::takeKey(QKeyEvent *event)
{
    const bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
    // Tab belongs to the code; after Escape it goes on to what comes next, for who has no mouse.
    const bool isTab = event->key() == Qt::Key_Tab || event->key() == Qt::Key_Backtab;
    const bool leaves = m_leavesByTab && isTab && plain;
    if (event->key() != Qt::Key_Shift)
        m_leavesByTab = event->key() == Qt::Key_Escape;
    if (leaves) {
        setTabChangesFocus(true);
        focusNextPrevChild(event->key() == Qt::Key_Tab);
        setTabChangesFocus(false);
        return;
    }
    if (isReadOnly() || !plain) {
        QPlainTextEdit::keyPressEvent(event);
        return;
    }
    if (m_closesPairs && event->text().size() == 1) {
        const bool back = event->key() == Qt::Key_Backspace;
        const auto after = back ? erasedPair(textCursor()) : typedPair(textCursor(), event->text().front());
        if (after) {
            setTextCursor(*after);
            ensureCursorVisible();
            return;
        }
    }
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        breakLine();
        return;
    case Qt::Key_Backtab:
        indentLines(textCursor(), m_indentation, true);
        return;
    case Qt::Key_Tab:
        if (textCursor().hasSelection() && textCursor().selectedText().contains(QChar::ParagraphSeparator)) {
            indentLines(textCursor(), m_indentation, false);
        } else if (m_indentation.tabs) {
            insertPlainText(u"\t"_s);
        } else {
            const int column = textCursor().positionInBlock();
            insertPlainText(QString(m_indentation.width - column % m_indentation.width, u' '));
        }
        return;
    case Qt::Key_Backspace:
        if (!shift && backspaceToStep())
            return;
        break;
    case Qt::Key_Home:
        moveHome(shift);
        return;
    default:
        break;
    }
    // A closing bracket as the first character of a line goes one step out.
    if (m_style.bracesAreBlocks && event->text() == u"}"_s && !textCursor().hasSelection()) {
        const QString before = textCursor().block().text().first(textCursor().positionInBlock());
        if (!before.isEmpty() && before.trimmed().isEmpty()) {
            QTextCursor cursor = textCursor();
            cursor.beginEditBlock();
            indentLines(cursor, m_indentation, true);
            cursor.insertText(u"}"_s);
            cursor.endEditBlock();
            setTextCursor(cursor);
            return;
        }
    }
    QPlainTextEdit::keyPressEvent(event);
}

} // namespace glovebox
