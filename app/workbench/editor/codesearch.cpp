// SPDX-License-Identifier: Apache-2.0
#include "codesearch.h"

#include "findbar.h"

#include <QElapsedTimer>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int sliceOfMatches = 6; // ms

} // namespace

CodeSearch::CodeSearch(CodeEditor &editor, FindBar &bar)
    : QObject(&bar)
    , m_editor(editor)
    , m_find(bar)
{
    m_counting.setSingleShot(true);
    connect(&m_counting, &QTimer::timeout, this, &CodeSearch::countMatches);
    connect(&editor, &QPlainTextEdit::textChanged, this, [this] {
        if (m_counting.isActive()) { // of a text that is no more
            m_counting.stop();
            m_find.setResult({}, true);
        }
    });
    connect(&m_find, &FindBar::changed, this, [this] {
        m_editor.setMarkedQuery(m_find.query());
        // The match at the cursor stays the match while its text is being typed.
        QTextCursor start = m_editor.textCursor();
        start.setPosition(start.selectionStart());
        m_editor.setTextCursor(start);
        next(false);
    });
    connect(&m_find, &FindBar::next, this, &CodeSearch::next);
    connect(&m_find, &FindBar::replaceOne, this, &CodeSearch::replaceOne);
    connect(&m_find, &FindBar::replaceAll, this, &CodeSearch::replaceAll);
    connect(&m_find, &FindBar::closed, this, [this] {
        m_editor.setMarkedQuery({});
        m_editor.setFocus();
    });
}

void CodeSearch::show(bool withReplace)
{
    const QString selected = m_editor.textCursor().selectedText();
    m_find.open(selected.contains(QChar::ParagraphSeparator) ? QString() : selected, withReplace);
}

void CodeSearch::next(bool backward)
{
    const FindQuery query = m_find.query();
    m_counting.stop();
    if (query.text.isEmpty()) {
        m_find.setResult({}, true);
        return;
    }
    if (const QRegularExpression expression = query.expression(); !expression.isValid()) {
        m_find.setMistake(tr("The pattern can't be read: %1").arg(expression.errorString()));
        return;
    }
    const QTextCursor found = glovebox::findNext(m_editor.textCursor(), query, backward);
    if (!found.isNull()) {
        reveal(found.block());
        m_editor.setTextCursor(found);
    }
    showMatches();
}

// "3 of 17", when all of the text was looked at: a slice at a time, as nobody waits for it.
void CodeSearch::showMatches()
{
    m_counted = {.block = m_editor.document()->begin(), .current = m_editor.textCursor().selectionStart()};
    m_find.setResult({}, true);
    countMatches();
}

void CodeSearch::countMatches()
{
    const QRegularExpression expression = m_find.query().expression();
    QElapsedTimer spent;
    spent.start();
    for (; m_counted.block.isValid(); m_counted.block = m_counted.block.next()) {
        if (spent.elapsed() > sliceOfMatches)
            return m_counting.start(0);
        const QString text = m_counted.block.text();
        for (QRegularExpressionMatchIterator it = expression.globalMatch(text); it.hasNext();) {
            const QRegularExpressionMatch match = it.next();
            if (match.capturedLength() == 0)
                continue;
            ++m_counted.count;
            if (m_counted.block.position() + match.capturedStart() == m_counted.current)
                m_counted.number = m_counted.count;
        }
    }
    m_counting.stop();
    if (m_counted.count == 0)
        m_find.setResult(tr("Not found"), false);
    else if (m_counted.number > 0)
        m_find.setResult(tr("%L1 of %L2").arg(m_counted.number).arg(m_counted.count), true);
    else
        m_find.setResult(tr("%Ln match(es)", "", m_counted.count), true);
}

void CodeSearch::replaceOne()
{
    if (m_editor.isReadOnly())
        return;
    const FindQuery query = m_find.query();
    QTextCursor cursor = m_editor.textCursor();
    const QString selected = cursor.selectedText();
    const QRegularExpressionMatch match = query.expression().match(selected);
    if (match.hasMatch() && match.capturedLength() == selected.size() && !selected.isEmpty()) {
        cursor.insertText(filledReplacement(match, query, m_find.replacement()));
        m_editor.setTextCursor(cursor);
    }
    next(false);
}

void CodeSearch::replaceAll()
{
    if (m_editor.isReadOnly())
        return;
    const int count = glovebox::replaceAll(*m_editor.document(), m_find.query(), m_find.replacement());
    m_find.setResult(count > 0 ? tr("%Ln replaced", "", count) : tr("Not found"), count > 0);
}

} // namespace glovebox
