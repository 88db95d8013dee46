// SPDX-License-Identifier: Apache-2.0
// Paints the visible rows, cell by cell where characters aren't plain.
#include "ansi/ansicolours.h"
#include "outputrow.h"

#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace glovebox {

namespace {

// Letters that change their form by their neighbours: drawn together, as cells would tear them apart.
bool isJoined(char32_t character)
{
    switch (QChar::script(character)) {
    case QChar::Script_Latin:
    case QChar::Script_Greek:
    case QChar::Script_Cyrillic:
    case QChar::Script_Common:
    case QChar::Script_Han:
    case QChar::Script_Hiragana:
    case QChar::Script_Katakana:
    case QChar::Script_Hangul:
        return false;
    default:
        return true;
    }
}

// The end of what can be drawn in one go from `from`: plain ASCII, a word of joined letters, or one character with its
// marks.
int pieceEnd(const OutputLine &line, int from, int end)
{
    const QString &text = line.text;
    const auto isAscii = [&](qsizetype i) { return text[i] >= u' ' && text[i] < u'\x7f'; };
    qsizetype i = from;
    if (isAscii(i)) {
        while (i < end && isAscii(i))
            ++i;
        if (i == end || cellsOf(text[i].unicode(), 0) != 0)
            return int(i);
        if (i - 1 > from) // the last one has a mark on it, and is a piece of its own
            return int(i - 1);
        i = from;
    }
    const bool joined = isJoined(nextCodePoint(text, i));
    while (i < end) {
        qsizetype next = i;
        const char32_t character = nextCodePoint(text, next);
        if (character == '\t' || (cellsOf(character, 0) != 0 && !(joined && isJoined(character))))
            break;
        i = next;
    }
    return int(std::min<qsizetype>(i, end));
}

QColor plainColour(const OutputLine &line, const Theme &theme)
{
    switch (line.kind) {
    case OutputLine::Kind::Out:
        return theme.colour(Colour::Text);
    case OutputLine::Kind::Err:
        return theme.colour(isErrorHeadline(line.text) ? Colour::Bad : Colour::Text);
    case OutputLine::Kind::Warning:
        return theme.colour(Colour::Warn);
    case OutputLine::Kind::Note:
    case OutputLine::Kind::Summary:
        break;
    }
    return theme.colour(Colour::Dim);
}

} // namespace

void OutputView::paintEvent(QPaintEvent *event)
{
    QPainter painter(viewport());
    painter.setLayoutDirection(Qt::LeftToRight);
    painter.fillRect(event->rect(), m_theme.colour(Colour::Panel));
    painter.setFont(font());
    if (m_layout.rowCount() == 0) {
        painter.setPen(m_theme.colour(Colour::Dim));
        painter.setFont(m_theme.font(FontRole::Base));
        painter.drawText(viewport()->rect().adjusted(Space::l, Space::m, -Space::l, -Space::m),
                         int(Qt::AlignTop | Qt::AlignLeft) | Qt::TextWordWrap, m_placeholder);
    }
    const int rows = viewport()->height() / m_rowHeight + 1;
    for (int i = 0; i < rows && verticalScrollBar()->value() + i < m_layout.rowCount(); ++i) {
        if (const RowView row = rowView(verticalScrollBar()->value() + i); row.line)
            paintRow(painter, row, Space::s + i * m_rowHeight);
    }
    paintCursor(painter);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.colour(Colour::Accent), Space::focusRing));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    }
}

// The terminal's: full where keys go to it, else its outline.
void OutputView::paintCursor(QPainter &painter) const
{
    const auto cursor = m_log && m_log->screen() ? m_log->screen()->cursor() : std::nullopt;
    const qint64 row = cursor ? m_layout.rowOf(cursor->line) : -1;
    if (!cursor || m_layout.at(row).line != cursor->line)
        return;
    const double y = Space::s + double(row - verticalScrollBar()->value()) * m_rowHeight;
    const QRectF cell(cellLeft(cursor->column), y, m_cellWidth, m_rowHeight);
    if (!hasFocus()) {
        painter.setPen(m_theme.colour(Colour::Text));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5));
        return;
    }
    painter.fillRect(cell, m_theme.colour(Colour::Text));
    const OutputLine &line = m_log->lines().line(cursor->line);
    const int at = characterAt(line, 0, int(line.text.size()), cursor->column);
    if (cursor->column >= line.columns || columnOf(line, 0, at) != cursor->column)
        return;
    qsizetype behind = at;
    nextCodePoint(line.text, behind);
    painter.setPen(m_theme.colour(Colour::Panel));
    painter.drawText(QPointF(cell.left(), y + m_ascent), line.text.mid(at, behind - at));
}

void OutputView::paintBehind(QPainter &painter, const RowView &row, int y, int from, int to, const QColor &colour) const
{
    from = std::clamp(from, row.start, row.end);
    to = std::clamp(to, row.start, row.end);
    if (from >= to)
        return;
    const double left = cellLeft(columnOf(*row.line, row.start, from));
    const double right = cellLeft(columnOf(*row.line, row.start, to));
    painter.fillRect(QRectF(left, y, right - left, m_rowHeight), colour);
}

void OutputView::paintRow(QPainter &painter, const RowView &row, int y) const
{
    const OutputLine &line = *row.line;
    if (line.kind == OutputLine::Kind::Err)
        painter.fillRect(QRect(Space::s - 2, y, 2, m_rowHeight), m_theme.colour(Colour::Line));

    const auto [from, to] = selection();
    if (hasSelection() && row.number >= from.line && row.number <= to.line) {
        const int begin = row.number == from.line ? from.character : 0;
        const int end = row.number == to.line ? to.character : int(line.text.size());
        paintBehind(painter, row, y, begin, end, m_theme.colour(Colour::AccentWash));
    }
    for (auto match = m_marked.next(line.text, 0); match.start >= 0;
         match = m_marked.next(line.text, match.start + match.length)) {
        const bool current = m_currentMatch == OutputPosition{row.number, int(match.start)};
        paintBehind(painter, row, y, int(match.start), int(match.start + match.length),
                    m_theme.colour(current ? Colour::AccentWash : Colour::Pressed));
    }

    const QList<SourcePlace> places = line.isOurs() ? QList<SourcePlace>() : findSourcePlaces(line.text);
    const QColor plain = plainColour(line, m_theme);
    const QFont base = font();
    int begin = row.start;
    int end = row.end;
    if (line.plain) { // a long line: only what can be seen
        begin = std::max(begin, row.start + int(std::floor(-cellLeft(0) / m_cellWidth)) - 1);
        end = std::min(end, row.start + int(std::ceil((viewport()->width() - cellLeft(0)) / m_cellWidth)) + 1);
    }
    // A shape beside the colour, in the margin: text stays as it was said.
    if (line.kind == OutputLine::Kind::Warning && row.start == 0) {
        constexpr int side = Space::l - Space::xs - 2; // as far from the words as from the edge
        m_theme.icon(Icon::Warning, Colour::Warn).paint(&painter, QRect(2, y + (m_rowHeight - side) / 2, side, side));
    }

    auto span = std::ranges::upper_bound(line.spans, begin, {}, &StyleSpan::start);
    while (begin < end) {
        const TextStyle style = span == line.spans.begin() ? TextStyle{} : std::prev(span)->style;
        int spanEnd = span == line.spans.end() ? end : std::min(end, span->start);
        const auto place =
            std::ranges::find_if(places, [begin](const SourcePlace &p) { return p.start + p.length > begin; });
        const bool inPlace = place != places.end() && place->start <= begin;
        if (place != places.end())
            spanEnd = std::min(spanEnd, inPlace ? place->start + place->length : place->start);

        const PaintedStyle painted = paintedStyle(style, plain, m_theme);
        QFont styled = base;
        styled.setBold(style.attributes & TextStyle::Bold);
        styled.setItalic(style.attributes & TextStyle::Italic);
        styled.setUnderline(inPlace || (style.attributes & TextStyle::Underline));
        styled.setStrikeOut(style.attributes & TextStyle::Strike);
        painter.setFont(styled);
        painter.setPen(inPlace ? m_theme.colour(Colour::Info) : painted.foreground);
        int column = columnOf(line, row.start, begin);
        if (painted.background.isValid())
            paintBehind(painter, row, y, begin, spanEnd, painted.background);
        while (begin < spanEnd) {
            const int next = line.plain ? spanEnd : pieceEnd(line, begin, spanEnd);
            const QStringView piece = QStringView(line.text).mid(begin, next - begin);
            const double left = cellLeft(column);
            for (qsizetype i = 0; !line.plain && i < piece.size();)
                column += cellsOf(nextCodePoint(piece, i), column);
            if (piece != u"\t" && left < viewport()->width() && (line.plain || cellLeft(column) > 0))
                painter.drawText(QPointF(left, y + m_ascent), piece.toString());
            begin = next;
        }
        if (span != line.spans.end() && span->start <= begin)
            ++span;
    }
    painter.setFont(base);
}

} // namespace glovebox
