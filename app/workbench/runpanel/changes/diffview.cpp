// SPDX-License-Identifier: Apache-2.0
#include "diffview.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/look.h"

#include <QPaintEvent>
#include <QPainter>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextLayout>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostDiffLines = 5000;
constexpr qsizetype longestDiffLine = 1000; // characters

} // namespace

DiffView::DiffView(Theme &theme, QWidget *parent)
    : QPlainTextEdit(parent)
    , m_theme(theme)
    , m_numbers(new QWidget(this))
{
    setReadOnly(true);
    setTabChangesFocus(true);
    setFrameShape(QFrame::NoFrame);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setLayoutDirection(Qt::LeftToRight);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setFontRole(this, FontRole::Code);
    hideOwnPlaceholder(this);
    m_numbers->installEventFilter(this);
    connect(this, &QPlainTextEdit::updateRequest, m_numbers, qOverload<>(&QWidget::update));
    connect(&theme, &Theme::changed, this, [this] { setLines(m_lines); }); // their colours are in the text
}

void DiffView::setLines(const QList<DiffLine> &lines)
{
    m_lines = lines;
    clear();
    m_places.clear();
    QTextCursor cursor(document());
    cursor.beginEditBlock();
    QTextCharFormat format;
    const auto put = [&](const QString &text, Colour colour, std::pair<int, int> place = {},
                         const QBrush &ground = {}) {
        if (!m_places.isEmpty())
            cursor.insertBlock();
        QTextBlockFormat line;
        line.setBackground(ground);
        cursor.setBlockFormat(line);
        m_places.append(place);
        format.setForeground(m_theme.colour(colour));
        cursor.insertText(text, format);
    };
    // The words of a line that are different stand out; what is cut off has none.
    const auto putLine = [&](const DiffLine &line, const QString &sign, Colour colour) {
        const bool isSame = line.kind == DiffLine::Kind::Same;
        put(sign, colour, {line.before, line.after}, isSame ? QBrush() : QBrush(m_theme.wash(colour)));
        format.setForeground(m_theme.colour(Colour::Text));
        const QString text = line.text.left(longestDiffLine);
        const QColor ground = m_theme.wash(colour, Wash::Word);
        int at = 0;
        for (const auto &[from, length] : line.words) {
            if (from >= text.size())
                break;
            cursor.insertText(withHiddenShown(text.mid(at, from - at)), format);
            format.setBackground(ground);
            cursor.insertText(withHiddenShown(text.mid(from, length)), format);
            format.clearBackground();
            at = from + length;
        }
        cursor.insertText(withHiddenShown(text.mid(at)) + (line.text.size() > longestDiffLine ? u"…"_s : QString()),
                          format);
    };
    for (qsizetype i = 0; i < std::min(lines.size(), mostDiffLines); ++i) {
        const DiffLine &line = lines[i];
        if (const auto at = hunkAt(lines, i)) // as in a unified diff
            put(u"@@ −%1,%2 +%3,%4 @@"_s.arg(at->before).arg(at->beforeCount).arg(at->after).arg(at->afterCount),
                Colour::Info);
        switch (line.kind) {
        case DiffLine::Kind::Same:
            putLine(line, u"  "_s, Colour::Dim);
            break;
        case DiffLine::Kind::Removed:
            putLine(line, u"− "_s, Colour::Bad);
            break;
        case DiffLine::Kind::Added:
            putLine(line, u"+ "_s, Colour::Ok);
            break;
        case DiffLine::Kind::Gap:
            break;
        }
        if (line.isOpen)
            put(u"\\ "_s + tr("No newline at the end"), Colour::Dim);
    }
    if (lines.size() > mostDiffLines)
        put(tr("%L1 more lines").arg(lines.size() - mostDiffLines), Colour::Warn);
    cursor.endEditBlock();
    moveCursor(QTextCursor::Start);
    placeNumbers();
}

void DiffView::placeNumbers()
{
    int largest = 0;
    for (const auto &[before, after] : std::as_const(m_places))
        largest = std::max({largest, before, after});
    const int digits = int(QString::number(largest).size());
    const int width = largest == 0 ? 0 : 2 * (fontMetrics().horizontalAdvance(u'0') * digits + Space::s) + Space::s;
    setViewportMargins(width, 0, 0, 0);
    setTabStopDistance(4 * fontMetrics().horizontalAdvance(u' '));
    m_numbers->setGeometry(contentsRect().left(), contentsRect().top(), width, contentsRect().height());
    m_numbers->update();
}

void DiffView::paintNumbers(const QRect &area)
{
    QPainter painter(m_numbers);
    painter.fillRect(area, m_theme.colour(Colour::Panel));
    painter.setFont(font());
    painter.setPen(m_theme.colour(Colour::Dim));
    const int half = (m_numbers->width() - Space::s) / 2;
    const auto paintWash = [&](const QTextBlock &block, const QRectF &place) {
        if (block.blockFormat().background().style() != Qt::NoBrush)
            painter.fillRect(QRectF(0, place.top(), m_numbers->width(), place.height()),
                             block.blockFormat().background());
    };
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (place.top() > area.bottom())
            break;
        const auto [before, after] = m_places.value(block.blockNumber());
        paintWash(block, place);
        if (block.layout()->lineCount() == 0)
            continue;
        const double base = place.top() + block.layout()->lineAt(0).y() + block.layout()->lineAt(0).ascent();
        const auto put = [&](int number, int left) {
            const QString text = QString::number(number);
            if (number > 0)
                painter.drawText(QPointF(left + half - Space::xs - fontMetrics().horizontalAdvance(text), base), text);
        };
        put(before, 0);
        put(after, half);
    }
}

bool DiffView::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_numbers && event->type() == QEvent::Paint) {
        paintNumbers(static_cast<QPaintEvent *>(event)->rect());
        return true;
    }
    return QPlainTextEdit::eventFilter(watched, event);
}

void DiffView::paintEvent(QPaintEvent *event)
{
    QPlainTextEdit::paintEvent(event);
    paintPlaceholder(*this, m_theme.colour(Colour::Dim));
}

void DiffView::resizeEvent(QResizeEvent *event)
{
    QPlainTextEdit::resizeEvent(event);
    placeNumbers();
}

void DiffView::changeEvent(QEvent *event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        placeNumbers();
}

} // namespace glovebox
