// SPDX-License-Identifier: Apache-2.0
// Scrolling and selecting. Finding is in outputfinding.cpp, painting in outputpainting.cpp.
#include "outputview.h"

#include "outputrow.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace glovebox {

using namespace Qt::StringLiterals;

OutputView::OutputView(Theme &theme, QWidget *parent)
    : QAbstractScrollArea(parent)
    , m_theme(theme)
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setLayoutDirection(Qt::LeftToRight); // also where everything else is mirrored: it is a program's output
    viewport()->setCursor(Qt::IBeamCursor);
    viewport()->setMouseTracking(true);
    viewport()->setAutoFillBackground(false);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    m_autoScroll.setInterval(40);
    connect(&m_autoScroll, &QTimer::timeout, this, [this] {
        const QPoint point = viewport()->mapFromGlobal(QCursor::pos());
        const int step = point.y() < 0 ? -1 : point.y() >= viewport()->height() ? 1 : 0;
        verticalScrollBar()->setValue(verticalScrollBar()->value() + step);
        setSelection(m_anchor, positionAt(point));
    });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { m_stick = isAtBottom(); });
    connect(&m_theme, &Theme::changed, this, &OutputView::takeFont);
    takeFont();
}

OutputView::~OutputView() = default;

void OutputView::setLog(OutputLog *log)
{
    if (m_log)
        m_log->disconnect(this);
    m_log = log;
    if (m_log)
        connect(m_log, &OutputLog::changed, this, &OutputView::syncLog);
    m_anchor = m_cursor = {};
    m_currentMatch.reset();
    m_visitedPlace.reset();
    m_stick = true;
    relayout();
    Q_EMIT logChanged();
}

void OutputView::setPlaceholder(const QString &text)
{
    m_placeholder = text;
    viewport()->update();
}

void OutputView::takeFont()
{
    const QFont font = m_theme.font(FontRole::Code);
    setFont(font);
    const QFontMetricsF metrics(font);
    m_cellWidth = metrics.horizontalAdvance(QString(64, u'0')) / 64;
    m_rowHeight = std::max(int(std::ceil(metrics.height())), m_theme.scaled(20));
    m_ascent = int(std::round((m_rowHeight - metrics.height()) / 2 + metrics.ascent()));
    if (m_times)
        setTimesShown(true); // as wide as they are now
    relayout();
    tellCells();
}

// --- layout and scrolling

QSize OutputView::cells() const
{
    // The scroll bar has its room before it is there: the first lines of a program make its terminal no narrower.
    const QScrollBar *bar = verticalScrollBar();
    const int width = viewport()->width() - (bar->maximum() > 0 ? 0 : bar->sizeHint().width());
    return {std::max(10, int((width - 2 * Space::l) / m_cellWidth)),
            std::max(2, (viewport()->height() - 2 * Space::s) / m_rowHeight)};
}

void OutputView::tellCells()
{
    if (const QSize now = cells(); std::exchange(m_cells, now) != now)
        Q_EMIT cellsChanged();
}

void OutputView::relayout()
{
    const OutputLayout::Place top = m_layout.at(verticalScrollBar()->value());
    const bool stick = m_stick;
    m_layout.setWrap(wrapColumns());
    m_layout.reset();
    if (m_log)
        m_layout.sync(m_log->lines());
    updateScrollBars();
    if (stick)
        scrollToBottom();
    else if (top.line >= 0)
        verticalScrollBar()->setValue(int(m_layout.rowOf(top.line)));
    viewport()->update();
}

void OutputView::syncLog(qint64 changed)
{
    const bool stick = m_stick;
    const qint64 gone = m_layout.sync(m_log->lines(), changed);
    const OutputPosition first{m_log->lines().first(), 0};
    const OutputPosition last{std::max(m_log->lines().end() - 1, first.line), LineStore::longestLine};
    m_anchor = std::clamp(m_anchor, first, last);
    m_cursor = std::clamp(m_cursor, first, last);
    updateScrollBars();
    if (stick)
        scrollToBottom();
    else if (gone > 0)
        verticalScrollBar()->setValue(int(std::max<qint64>(0, verticalScrollBar()->value() - gone)));
    viewport()->update();
}

void OutputView::updateScrollBars()
{
    const int page = std::max(1, (viewport()->height() - 2 * Space::s) / m_rowHeight);
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(1);
    verticalScrollBar()->setRange(0, int(std::max<qint64>(0, m_layout.rowCount() - page)));
    const int columns = m_wrap || !m_log ? 0 : m_log->lines().widest();
    const int width = int(std::ceil(columns * m_cellWidth)) + 2 * Space::l;
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(int(m_cellWidth * 4));
    horizontalScrollBar()->setRange(0, m_wrap ? 0 : std::max(0, width - viewport()->width()));
}

bool OutputView::isAtBottom() const
{
    return verticalScrollBar()->value() >= verticalScrollBar()->maximum();
}

void OutputView::scrollToBottom()
{
    verticalScrollBar()->setValue(verticalScrollBar()->maximum());
    m_stick = true;
}

void OutputView::showTop()
{
    m_stick = false;
    verticalScrollBar()->setValue(0);
}

void OutputView::scrollContentsBy(int, int)
{
    viewport()->update();
}

void OutputView::resizeEvent(QResizeEvent *)
{
    tellCells();
    if (m_wrap && wrapColumns() != m_layout.wrap()) {
        relayout();
        return;
    }
    const bool stick = m_stick;
    updateScrollBars();
    if (stick)
        scrollToBottom();
}

void OutputView::setWrap(bool wrap)
{
    if (std::exchange(m_wrap, wrap) != wrap)
        relayout();
}

void OutputView::setFilter(const QString &text)
{
    m_layout.setFilter(text);
    relayout();
}

void OutputView::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        viewport()->update();
}

// --- positions

OutputView::RowView OutputView::rowView(qint64 row) const
{
    const OutputLayout::Place place = m_layout.at(row);
    if (!m_log || place.line < m_log->lines().first() || place.line >= m_log->lines().end())
        return {};
    const OutputLine &line = m_log->lines().line(place.line);
    const QList<int> starts = rowStarts(line, m_layout.wrap());
    const int row0 = std::min(place.row, int(starts.size()) - 1);
    const int end = row0 + 1 < starts.size() ? starts[row0 + 1] : int(line.text.size());
    return {&line, place.line, starts[row0], end};
}

double OutputView::cellLeft(int column) const
{
    return Space::l - horizontalScrollBar()->value() + column * m_cellWidth;
}

OutputPosition OutputView::positionAt(const QPoint &point) const
{
    if (m_layout.rowCount() == 0)
        return {};
    const qint64 row = verticalScrollBar()->value() + int(std::floor(double(point.y() - Space::s) / m_rowHeight));
    if (row >= m_layout.rowCount()) {
        const RowView last = rowView(m_layout.rowCount() - 1);
        return {last.number, last.end};
    }
    const RowView view = rowView(std::max<qint64>(row, 0));
    if (!view.line)
        return {};
    const double column = std::max(0.0, (point.x() - cellLeft(0)) / m_cellWidth);
    return {view.number, characterAt(*view.line, view.start, view.end, row < 0 ? 0 : column)};
}

OutputView::Cell OutputView::cellAt(const QPoint &point) const
{
    const qint64 row = verticalScrollBar()->value() + (point.y() - Space::s) / m_rowHeight;
    const RowView view = point.y() < Space::s || row >= m_layout.rowCount() ? RowView{} : rowView(row);
    if (!view.line)
        return {};
    const double column = (point.x() - cellLeft(0)) / m_cellWidth;
    return {view.number, columnOf(*view.line, 0, view.start) + int(std::max(0.0, column))};
}

std::optional<SourcePlace> OutputView::placeAt(const QPoint &point) const
{
    const qint64 row = verticalScrollBar()->value() + (point.y() - Space::s) / m_rowHeight;
    if (point.y() < Space::s || row >= m_layout.rowCount())
        return std::nullopt;
    const RowView view = rowView(row);
    if (!view.line || view.line->isOurs())
        return std::nullopt;
    const double column = (point.x() - cellLeft(0)) / m_cellWidth;
    for (const SourcePlace &place : findSourcePlaces(view.line->text)) {
        const int from = std::max(place.start, view.start);
        const int to = std::min(place.start + place.length, view.end);
        if (from < to && column >= columnOf(*view.line, view.start, from)
            && column < columnOf(*view.line, view.start, to))
            return place;
    }
    return std::nullopt;
}

void OutputView::showPosition(OutputPosition position)
{
    qint64 row = m_layout.rowOf(position.line);
    const OutputLine &line = m_log->lines().line(position.line);
    const QList<int> starts = rowStarts(line, m_layout.wrap());
    const auto inside = std::ranges::upper_bound(starts, position.character) - starts.begin() - 1;
    row += inside;
    QScrollBar *bar = verticalScrollBar();
    if (row < bar->value() || row >= bar->value() + bar->pageStep())
        bar->setValue(int(row - bar->pageStep() / 3));
    const double left = columnOf(line, starts[inside], position.character) * m_cellWidth;
    QScrollBar *across = horizontalScrollBar();
    if (left < across->value() || left > across->value() + viewport()->width() - 4 * Space::l)
        across->setValue(int(left) - viewport()->width() / 3);
}

// --- selection

void OutputView::setSelection(OutputPosition anchor, OutputPosition cursor)
{
    if (anchor == m_anchor && cursor == m_cursor)
        return;
    m_anchor = anchor;
    m_cursor = cursor;
    viewport()->update();
    Q_EMIT selectionChanged();
}

QString OutputView::textBetween(OutputPosition from, OutputPosition to) const
{
    if (!m_log)
        return {};
    const LineStore &lines = m_log->lines();
    QString text;
    // What the filter hides isn't selected either.
    for (qint64 row = m_layout.rowOf(std::max(from.line, lines.first())); row < m_layout.rowCount();) {
        const qint64 number = m_layout.at(row).line;
        if (number > to.line || number >= lines.end())
            break;
        const OutputLine &line = lines.line(number);
        const int begin = number == from.line ? from.character : 0;
        const int end = number == to.line ? to.character : int(line.text.size());
        text += QStringView(line.text).mid(begin, end - begin);
        if (number != to.line && !line.continued)
            text += u'\n';
        row += rowStarts(line, m_layout.wrap()).size();
    }
    return text;
}

QString OutputView::selectedText() const
{
    const auto [from, to] = selection();
    return textBetween(from, to);
}

QString OutputView::text() const
{
    if (!m_log || m_log->lines().isEmpty())
        return {};
    const LineStore &lines = m_log->lines();
    return textBetween({lines.first(), 0}, {lines.end() - 1, int(lines.line(lines.end() - 1).text.size())});
}

QString OutputView::visibleText() const
{
    if (m_layout.rowCount() == 0)
        return {};
    const RowView first = rowView(verticalScrollBar()->value());
    const RowView last = rowView(
        std::min<qint64>(verticalScrollBar()->value() + verticalScrollBar()->pageStep(), m_layout.rowCount()) - 1);
    return first.line && last.line ? textBetween({first.number, first.start}, {last.number, last.end}) : QString();
}

void OutputView::selectAll()
{
    if (!m_log || m_log->lines().isEmpty())
        return;
    const LineStore &lines = m_log->lines();
    setSelection({lines.first(), 0}, {lines.end() - 1, int(lines.line(lines.end() - 1).text.size())});
}

void OutputView::copy()
{
    QGuiApplication::clipboard()->setText(hasSelection() ? selectedText() : text());
    if (!hasSelection())
        Q_EMIT copiedAll();
}

// --- events

void OutputView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (!(event->modifiers() & Qt::ShiftModifier))
        return beginSelection(event->position().toPoint());
    setSelection(m_anchor, positionAt(event->position().toPoint()));
    m_selecting = true;
}

void OutputView::beginSelection(const QPoint &point)
{
    const OutputPosition position = positionAt(point);
    setSelection(position, position);
    m_selecting = true;
}

void OutputView::mouseMoveEvent(QMouseEvent *event)
{
    const QPoint point = event->position().toPoint();
    if (!m_selecting) {
        viewport()->setCursor(placeAt(point) ? Qt::PointingHandCursor : Qt::IBeamCursor);
        return;
    }
    setSelection(m_anchor, positionAt(point));
    if (point.y() < 0 || point.y() >= viewport()->height())
        m_autoScroll.start();
    else
        m_autoScroll.stop();
}

void OutputView::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_selecting = false;
    m_autoScroll.stop();
    if (hasSelection()) {
        QClipboard *clipboard = QGuiApplication::clipboard();
        if (clipboard->supportsSelection())
            clipboard->setText(selectedText(), QClipboard::Selection);
        return;
    }
    if (const auto place = placeAt(event->position().toPoint())) {
        m_visitedPlace = OutputPosition{positionAt(event->position().toPoint()).line, place->start};
        Q_EMIT placeActivated(*place);
    }
}

void OutputView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const OutputPosition at = positionAt(event->position().toPoint());
    if (!m_log || at.line < m_log->lines().first() || at.line >= m_log->lines().end())
        return;
    const QString &text = m_log->lines().line(at.line).text;
    const auto isWord = [&text](int i) { return text[i].isLetterOrNumber() || text[i] == u'_' || text[i] == u'.'; };
    int from = at.character, to = at.character;
    while (from > 0 && isWord(from - 1))
        --from;
    while (to < text.size() && isWord(to))
        ++to;
    setSelection({at.line, from}, {at.line, to});
    m_selecting = false;
}

void OutputView::keyPressEvent(QKeyEvent *event)
{
    QScrollBar *bar = verticalScrollBar();
    if (event->matches(QKeySequence::Copy))
        copy();
    else if (event->matches(QKeySequence::SelectAll))
        selectAll();
    else if (event->key() == Qt::Key_Home)
        bar->setValue(0);
    else if (event->key() == Qt::Key_End)
        scrollToBottom();
    else if (event->key() == Qt::Key_Up)
        bar->setValue(bar->value() - 1);
    else if (event->key() == Qt::Key_Down)
        bar->setValue(bar->value() + 1);
    else if (event->key() == Qt::Key_PageUp)
        bar->setValue(bar->value() - bar->pageStep());
    else if (event->key() == Qt::Key_PageDown)
        bar->setValue(bar->value() + bar->pageStep());
    else
        QAbstractScrollArea::keyPressEvent(event);
}

void OutputView::contextMenuEvent(QContextMenuEvent *event)
{
    Q_EMIT contextMenuWanted(event->reason() == QContextMenuEvent::Keyboard
                                 ? viewport()->mapToGlobal(viewport()->rect().center())
                                 : event->globalPos());
}

void OutputView::focusInEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void OutputView::focusOutEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

bool OutputView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        const qint64 row = verticalScrollBar()->value() + (help->pos().y() - Space::s) / m_rowHeight;
        const RowView view = row < m_layout.rowCount() ? rowView(row) : RowView{};
        if (view.line && view.line->kind == OutputLine::Kind::Err && help->pos().x() < Space::l)
            QToolTip::showText(help->globalPos(), tr("Printed to standard error"), viewport());
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace glovebox
