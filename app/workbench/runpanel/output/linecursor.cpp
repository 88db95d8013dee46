// SPDX-License-Identifier: Apache-2.0
// The store's cursor: what is printed behind a CR or above the last line writes over what was there.
#include "linestore.h"

#include <algorithm>
#include <utility>

namespace glovebox {

namespace {

TextStyle styleAt(const QList<StyleSpan> &spans, qsizetype index)
{
    const auto behind = std::ranges::upper_bound(spans, index, {}, &StyleSpan::start);
    return behind == spans.begin() ? TextStyle{} : std::prev(behind)->style;
}

// The styles after `removed` characters at `from` became `added` ones of this style. hasMore: more follow.
void restyle(QList<StyleSpan> &spans, qsizetype from, qsizetype removed, qsizetype added, const TextStyle &style,
             bool hasMore)
{
    const TextStyle before = from == 0 ? TextStyle{} : styleAt(spans, from - 1);
    const TextStyle behind = styleAt(spans, from + removed);
    const auto first = std::ranges::lower_bound(spans, from, {}, &StyleSpan::start);
    const auto last = std::ranges::upper_bound(spans, from + removed, {}, &StyleSpan::start);
    auto at = spans.erase(first, last);
    if (added != removed) {
        for (auto span = at; span != spans.end(); ++span)
            span->start += int(added - removed);
    }
    if (hasMore && behind != style)
        at = spans.insert(at, {int(from + added), behind});
    if (style != before)
        spans.insert(at, {int(from), style});
}

int cellsIn(QStringView text, int column)
{
    const int from = column;
    for (qsizetype i = 0; i < text.size();)
        column += cellsOf(nextCodePoint(text, i), column);
    return column - from;
}

} // namespace

void LineStore::control(OutputLine::Kind kind, LineControl control, int count)
{
    if (control == LineControl::Up)
        return moveUp(kind, count);
    if (!m_open || cursorLine().kind != kind)
        return;
    OutputLine &line = cursorLine();
    switch (control) {
    case LineControl::Down:
        if (count >= end() - m_at) {
            m_open = false; // behind the last line
            return;
        }
        m_at += count;
        return goToColumn(cursorLine(), m_column);
    case LineControl::Left:
        return goToColumn(line, std::max(0, m_column - count));
    case LineControl::Right:
        return goToColumn(line, std::min(m_column + count, longestLine - 1));
    case LineControl::Column:
        return goToColumn(line, std::min(count, longestLine - 1));
    default:
        erase(line, control);
    }
}

void LineStore::moveUp(OutputLine::Kind kind, int lines)
{
    if (m_open && cursorLine().kind != kind)
        return;
    const int column = m_open ? m_column : 0;
    qint64 at = m_open ? m_at : end();
    const qint64 top = std::max(m_first, end() - reach);
    while (lines-- > 0 && at > top && m_lines[size_t(at - 1 - m_first)].kind == kind)
        --at;
    if (at == end())
        return;
    m_open = true;
    m_at = at;
    goToColumn(cursorLine(), column);
}

// In the middle of a wide character, that is its beginning. Far out, where each character has to be measured, it is
// the line's end.
void LineStore::goToColumn(const OutputLine &line, int column)
{
    if (column < line.columns && !line.plain && column > farthestColumn)
        column = line.columns;
    if (line.plain || column >= line.columns) {
        m_index = column < line.columns ? column : line.text.size();
        m_column = column;
        return;
    }
    m_index = 0;
    m_column = 0;
    for (qsizetype next = 0; m_column < column; m_index = next) {
        const int cells = cellsOf(nextCodePoint(line.text, next), m_column);
        if (m_column + cells > column)
            return;
        m_column += cells;
    }
    // Marks belong to the character before them.
    for (qsizetype next = m_index; next < line.text.size(); m_index = next) {
        if (cellsOf(nextCodePoint(line.text, next), m_column) != 0)
            return;
    }
}

void LineStore::padToCursor(OutputLine &line)
{
    if (m_column <= line.columns)
        return;
    const qsizetype room = std::max<qsizetype>(0, longestLine - 1 - line.text.size());
    appendPiece(line, QString(std::min<qsizetype>(m_column - line.columns, room), u' '), {});
    m_index = line.text.size();
    m_column = line.columns;
}

// Up to the line's end; returns what is left.
QStringView LineStore::writeOver(OutputLine &line, QStringView text, const TextStyle &style)
{
    if (text.front() == u'\t') { // moves, and erases nothing
        goToColumn(line, m_column + cellsOf(u'\t', m_column));
        return text.sliced(1);
    }
    qsizetype length = text.indexOf(u'\t');
    length = std::min<qsizetype>(length < 0 ? text.size() : length, std::max(1, line.columns - m_column));
    if (length < text.size() && text[length - 1].isHighSurrogate())
        ++length;
    const QStringView piece = text.first(length);
    const bool isPlain = std::ranges::all_of(piece, [](QChar c) { return c >= u' ' && c < u'\x7f'; });
    const int cells = isPlain ? int(length) : cellsIn(piece, m_column);
    qsizetype behind = m_index;
    int column = m_column;
    if (line.plain) {
        behind = std::min<qsizetype>(m_index + cells, line.text.size());
        column += int(behind - m_index);
    }
    while (!line.plain && behind < line.text.size()) {
        qsizetype next = behind;
        const int more = cellsOf(nextCodePoint(line.text, next), column);
        if (column >= m_column + cells && more > 0)
            break;
        column += more;
        behind = next;
    }
    const qsizetype removed = behind - m_index;
    const int halves = std::max(0, column - m_column - cells); // of a wide character that lost its beginning
    const qsizetype added = length + halves;
    if (line.text.size() + added - removed <= longestLine) { // else marks without end
        line.text.replace(m_index, removed, piece.toString() + QString(halves, u' '));
        restyle(line.spans, m_index, removed, added, style, m_index + added < line.text.size());
        line.plain = line.plain && isPlain;
        m_characters += added - removed;
        m_index += length;
        m_column += cells;
        line.columns = std::max(line.columns, m_column);
        m_widest = std::max(m_widest, line.columns);
    }
    return text.sliced(length);
}

void LineStore::erase(OutputLine &line, LineControl control)
{
    m_changed = std::min(m_changed, m_at);
    if (control == LineControl::EraseLeft) {
        const int column = m_column;
        const QString blanks(std::min(column + 1, line.columns), u' ');
        goToColumn(line, 0);
        for (QStringView rest = blanks; !rest.isEmpty();)
            rest = writeOver(line, rest, {});
        return goToColumn(line, column);
    }
    const qsizetype keep = control == LineControl::EraseLine ? 0 : m_index;
    m_characters -= line.text.size() - keep;
    line.text.truncate(keep);
    line.columns = keep == 0 ? 0 : std::min(line.columns, m_column);
    line.plain = line.plain || keep == 0;
    line.continued = false;
    const auto behind = std::ranges::lower_bound(line.spans, keep, {}, &StyleSpan::start);
    line.spans.erase(behind, line.spans.end());
    m_index = keep;
    while (control == LineControl::EraseBelow && end() - 1 > m_at)
        removeLast();
}

qint64 LineStore::takeChanged()
{
    return std::exchange(m_changed, std::numeric_limits<qint64>::max());
}

} // namespace glovebox
