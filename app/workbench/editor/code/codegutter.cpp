// SPDX-License-Identifier: Apache-2.0
#include "codegutter.h"

#include <QCoreApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QSet>
#include <QTextBlock>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace glovebox {

CodeGutter::CodeGutter(CodeEditor &editor, Theme &theme)
    : QWidget(&editor)
    , m_editor(editor)
    , m_theme(theme)
{
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setLayoutDirection(Qt::LeftToRight);
}

int CodeGutter::foldColumn() const
{
    return width() - m_theme.scaled(Space::m);
}

int CodeGutter::wantedWidth() const
{
    const QFontMetricsF metrics(m_editor.font());
    const int lines = std::max(m_editor.blockCount(), m_editor.expectedLines());
    const qsizetype digits = std::max<qsizetype>(2, QString::number(lines).size());
    return m_theme.scaled(Space::xl) + int(metrics.horizontalAdvance(u'0') * double(digits)) + m_theme.scaled(Space::m);
}

void CodeGutter::paintEvent(QPaintEvent *event)
{
    QPainter painter(this);
    painter.fillRect(event->rect(), m_editor.palette().base());
    painter.setFont(m_editor.font());
    const QFontMetricsF metrics(m_editor.font());
    const int current = m_editor.line();
    QSet<int> marked;
    for (const LineMark &mark : m_editor.marks())
        marked.insert(mark.line());
    for (QTextBlock block = m_editor.firstVisible(); block.isValid(); block = block.next()) {
        const QRectF place = m_editor.geometryOf(block);
        if (place.top() > event->rect().bottom())
            break;
        if (!block.isVisible() || place.bottom() < event->rect().top())
            continue;
        if (block.layout()->lineCount() == 0)
            continue;
        const int number = m_editor.numberOf(block);
        const QTextLine line = block.layout()->lineAt(0);
        const double top = place.top() + line.y();
        const QString text = m_editor.isContinuing(block) ? QString() : QString::number(number);
        painter.setPen(m_theme.colour(number == current ? Colour::Text : Colour::Dim));
        painter.drawText(
            QPointF(foldColumn() - Space::xs - metrics.horizontalAdvance(text), std::round(top + line.ascent())), text);
        if (marked.contains(block.blockNumber() + 1)) {
            const int size = m_theme.scaled(Space::m + 2);
            m_theme.icon(Icon::Warning, Colour::Warn)
                .paint(&painter, QRect(m_theme.scaled(Space::xs), int(top + (line.height() - size) / 2), size, size));
        }
        const bool folded = isFolded(block);
        if (folded || (m_hovered && canFold(block, m_editor.foldStyle()))) {
            const int size = width() - foldColumn();
            m_theme.icon(folded ? Icon::ChevronRight : Icon::ChevronDown, folded ? Colour::Accent : Colour::Dim)
                .paint(&painter, QRect(foldColumn(), int(top + (line.height() - size) / 2), size, size));
        }
    }
}

// Why a line is marked.
bool CodeGutter::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const int line = blockAt(help->pos().y()).blockNumber() + 1;
    QStringList sentences;
    for (const LineMark &mark : m_editor.marks()) {
        if (line > 0 && mark.line() == line)
            sentences.append(mark.sentence);
    }
    if (sentences.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), sentences.join(u'\n'), this);
    return true;
}

QTextBlock CodeGutter::blockAt(int y) const
{
    for (QTextBlock block = m_editor.firstVisible(); block.isValid(); block = block.next()) {
        const QRectF place = m_editor.geometryOf(block);
        if (place.top() > height())
            break;
        if (block.isVisible() && y >= place.top() && y < place.bottom())
            return block;
    }
    return {};
}

void CodeGutter::mousePressEvent(QMouseEvent *event)
{
    const QTextBlock block = blockAt(int(event->position().y()));
    if (!block.isValid() || event->button() != Qt::LeftButton)
        return;
    if (event->position().x() >= foldColumn()) {
        m_editor.toggleFold(block);
        return;
    }
    m_pressedBlock = block.blockNumber();
    QTextCursor cursor(block);
    cursor.movePosition(QTextCursor::NextBlock, QTextCursor::KeepAnchor);
    m_editor.setTextCursor(cursor);
    m_editor.setFocus(Qt::MouseFocusReason);
}

void CodeGutter::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_hovered) {
        m_hovered = true;
        update();
    }
    setCursor(event->position().x() >= foldColumn() ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (!(event->buttons() & Qt::LeftButton) || event->position().x() >= foldColumn())
        return;
    const QTextBlock to = blockAt(int(event->position().y()));
    const QTextBlock from = m_editor.document()->findBlockByNumber(m_pressedBlock);
    if (!to.isValid() || !from.isValid())
        return;
    const bool down = to.blockNumber() >= from.blockNumber();
    QTextCursor cursor(down ? from : from.next().isValid() ? from.next() : from);
    cursor.setPosition(down && to.next().isValid() ? to.next().position() : to.position(), QTextCursor::KeepAnchor);
    m_editor.setTextCursor(cursor);
}

void CodeGutter::leaveEvent(QEvent *)
{
    m_hovered = false;
    update();
}

void CodeGutter::wheelEvent(QWheelEvent *event)
{
    QCoreApplication::sendEvent(m_editor.verticalScrollBar(), event);
}

} // namespace glovebox
