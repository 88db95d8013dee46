// SPDX-License-Identifier: Apache-2.0
#include "cursors.h"

#include "app/workbench/editor/code/codeeditor.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QScopedValueRollback>
#include <QTextBlock>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

bool overlap(const QTextCursor &first, const QTextCursor &second)
{
    return first.position() == second.position() || first.selectionEnd() > second.selectionStart();
}

bool isMove(const QKeyEvent &key)
{
    switch (key.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Home:
    case Qt::Key_End:
        return true;
    case Qt::Key_Up:
    case Qt::Key_Down:
        return !(key.modifiers() & Qt::ControlModifier); // that scrolls
    default:
        return false;
    }
}

bool isEdit(const QKeyEvent &key)
{
    switch (key.key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Backspace:
    case Qt::Key_Delete:
    case Qt::Key_Tab:
    case Qt::Key_Backtab:
        return true;
    default:
        return !key.text().isEmpty() && key.text().front().isPrint()
               && !(key.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
    }
}

} // namespace

Cursors::Cursors(CodeEditor &editor)
    : m_editor(editor)
{
}

QList<QTextCursor> Cursors::inOrder() const
{
    QList<QTextCursor> all = m_further;
    all.append(m_editor.textCursor());
    std::ranges::sort(all, {}, &QTextCursor::selectionStart);
    return all;
}

FindQuery Cursors::queryFor(const QTextCursor &selected) const
{
    const QString text = selected.selectedText();
    return {.text = text, .matchCase = true, .wholeWords = text == m_word};
}

// Cursors that came together are one from then on.
void Cursors::dropDoubles()
{
    const QTextCursor own = m_editor.textCursor();
    std::ranges::sort(m_further, {}, &QTextCursor::selectionStart);
    QList<QTextCursor> kept;
    for (const QTextCursor &each : std::as_const(m_further)) {
        const bool before = each.selectionStart() < own.selectionStart();
        if (!(before ? overlap(each, own) : overlap(own, each)) && (kept.isEmpty() || !overlap(kept.last(), each)))
            kept.append(each);
    }
    m_further = kept;
}

bool Cursors::toggle(const QTextCursor &there)
{
    const auto isThere = [&](const QTextCursor &each) {
        return each.position() == there.position()
               || (each.selectionStart() <= there.position() && there.position() < each.selectionEnd());
    };
    if (m_further.removeIf(isThere) > 0)
        return true;
    if (isThere(m_editor.textCursor())) {
        if (m_further.isEmpty())
            return true;
        const QScopedValueRollback moving(m_moving, true);
        m_editor.setTextCursor(m_further.takeLast());
        return true;
    }
    if (count() == most)
        return false;
    const QScopedValueRollback moving(m_moving, true);
    m_further.append(m_editor.textCursor());
    m_editor.setTextCursor(there);
    return true;
}

bool Cursors::addInLine(bool below)
{
    const QList<QTextCursor> all = inOrder();
    QTextCursor next = below ? all.last() : all.first();
    if (next.hasSelection()) // which stays with the one that has it; the column is kept past shorter lines
        next.setPosition(next.position());
    do {
        if (!next.movePosition(below ? QTextCursor::Down : QTextCursor::Up))
            return true;
    } while (!next.block().isVisible());
    return toggle(next);
}

bool Cursors::addNextMatch()
{
    const QTextCursor own = m_editor.textCursor();
    if (!own.hasSelection()) {
        const QScopedValueRollback moving(m_moving, true);
        atEach(Act::Moves, [this] {
            QTextCursor word = m_editor.textCursor();
            word.select(QTextCursor::WordUnderCursor);
            m_editor.setTextCursor(word);
        });
        m_word = m_editor.textCursor().selectedText();
        return true;
    }
    const QTextCursor found = findNext(own, queryFor(own), false);
    if (found.isNull() || std::ranges::any_of(inOrder(), [&](const QTextCursor &each) {
            return each.selectionStart() == found.selectionStart();
        }))
        return true;
    return toggle(found);
}

bool Cursors::addAllMatches()
{
    if (!m_editor.textCursor().hasSelection())
        addNextMatch();
    const QTextCursor own = m_editor.textCursor();
    if (!own.hasSelection())
        return true;
    const FindQuery query = queryFor(own);
    QList<QTextCursor> found;
    for (QTextCursor next = findNext(own, query, false);
         !next.isNull() && next.selectionStart() != own.selectionStart(); next = findNext(next, query, false)) {
        if (!found.isEmpty() && next.selectionStart() == found.first().selectionStart())
            break; // "aa" in "aaa": once around without passing the one that it began with
        if (found.size() == most - 1)
            return false;
        found.append(next);
    }
    m_further = found;
    dropDoubles();
    return true;
}

void Cursors::clear()
{
    m_further.clear();
    m_word.clear();
}

void Cursors::atEach(Act kind, const std::function<void()> &act)
{
    if (m_further.isEmpty())
        return act();
    const QScopedValueRollback moving(m_moving, true);
    dropDoubles(); // another text may have come
    QList<QTextCursor> all = inOrder();
    const auto own = all.indexOf(m_editor.textCursor());
    QTextCursor step(m_editor.document());
    if (kind == Act::Edits)
        step.beginEditBlock();
    for (QTextCursor &each : all) {
        m_editor.setTextCursor(each);
        act();
        each = m_editor.textCursor();
    }
    if (kind == Act::Edits)
        step.endEditBlock();
    m_editor.setTextCursor(all[own]);
    all.removeAt(own);
    m_further = all;
    dropDoubles();
}

bool Cursors::takeKey(const QKeyEvent &key, const std::function<void()> &act)
{
    if (m_further.isEmpty())
        return false;
    if (key.key() == Qt::Key_Escape && key.modifiers() == Qt::NoModifier) {
        clear();
    } else if (key.matches(QKeySequence::Undo) || key.matches(QKeySequence::Redo)) {
        const QScopedValueRollback moving(m_moving, true);
        const QTextCursor own = m_editor.textCursor(); // it follows the text, as the others do
        act();
        m_editor.setTextCursor(own);
        dropDoubles();
    } else if (key.matches(QKeySequence::Copy) || key.matches(QKeySequence::Cut)) {
        // Not by the editor, which copies nothing where its own cursor has no selection.
        const QString text = selectedText();
        if (text.isEmpty())
            return true;
        QGuiApplication::clipboard()->setText(text);
        if (key.matches(QKeySequence::Cut) && !m_editor.isReadOnly())
            atEach(Act::Edits, [this] { m_editor.textCursor().removeSelectedText(); });
    } else if (isMove(key)) {
        atEach(Act::Moves, act);
    } else if (isEdit(key)) {
        atEach(Act::Edits, act);
    } else {
        return false;
    }
    return true;
}

QString Cursors::selectedText() const
{
    QStringList texts;
    for (const QTextCursor &each : inOrder()) {
        if (each.hasSelection())
            texts.append(each.selectedText().replace(QChar::ParagraphSeparator, u'\n'));
    }
    return texts.join(u'\n');
}

} // namespace glovebox
