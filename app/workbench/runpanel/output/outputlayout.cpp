// SPDX-License-Identifier: Apache-2.0
#include "outputlayout.h"

#include <algorithm>

namespace glovebox {

QList<int> rowStarts(const OutputLine &line, int columns)
{
    QList<int> starts{0};
    if (columns <= 0 || line.columns <= columns)
        return starts;
    // Behind the last space of a row, unless the word behind it would leave half of the row empty. A space that finds no room
    // ends its row all the same: it is not seen there, and words begin at the edge.
    int column = 0;
    int behindSpace = 0, columnBehindSpace = 0;
    for (qsizetype i = 0; i < line.text.size();) {
        const int at = int(i);
        const char32_t character = nextCodePoint(line.text, i);
        const int cells = cellsOf(character, column);
        if (column + cells > columns && column > 0) {
            if (character != U' ')
                i = columnBehindSpace > columns / 2 ? behindSpace : at;
            if (i < line.text.size())
                starts.append(int(i));
            column = columnBehindSpace = 0;
            continue;
        }
        column += cells;
        if (character == U' ') {
            behindSpace = int(i);
            columnBehindSpace = column;
        }
    }
    return starts;
}

int columnOf(const OutputLine &line, int rowStart, int character)
{
    if (line.plain)
        return character - rowStart;
    int column = 0;
    for (qsizetype i = rowStart; i < character && i < line.text.size();)
        column += cellsOf(nextCodePoint(line.text, i), column);
    return column;
}

int characterAt(const OutputLine &line, int rowStart, int rowEnd, double column)
{
    if (line.plain)
        return std::clamp(rowStart + qRound(column), rowStart, rowEnd);
    int at = 0;
    for (qsizetype i = rowStart; i < rowEnd;) {
        const qsizetype before = i;
        const int cells = cellsOf(nextCodePoint(line.text, i), at);
        if (column < at + cells / 2.0)
            return int(before);
        at += cells;
    }
    return rowEnd;
}

void OutputLayout::setWrap(int columns)
{
    if (std::exchange(m_wrap, columns) != columns)
        reset();
}

void OutputLayout::setFilter(const QString &text)
{
    if (std::exchange(m_filter, text) != text)
        reset();
}

void OutputLayout::reset()
{
    m_rows.clear();
    m_base = 0;
    m_seen = 0;
}

qint64 OutputLayout::sync(const LineStore &lines, qint64 changed)
{
    // The last line that was seen may have grown.
    const qint64 keep = std::min({m_seen - 1, lines.end(), changed});
    while (!m_rows.empty() && m_rows.back().line >= keep)
        m_rows.pop_back();
    m_seen = std::max(std::min(m_seen, keep), lines.first());

    const qint64 before = m_base;
    while (!m_rows.empty() && m_rows.front().line < lines.first()) {
        m_base = m_rows.front().end;
        m_rows.pop_front();
    }
    const qint64 gone = m_base - before;

    qint64 end = m_rows.empty() ? m_base : m_rows.back().end;
    for (; m_seen < lines.end(); ++m_seen) {
        const OutputLine &line = lines.line(m_seen);
        if (!m_filter.isEmpty() && !line.isOurs() && !line.text.contains(m_filter, Qt::CaseInsensitive))
            continue;
        if (m_wrap > 0 && line.columns > m_wrap)
            end += rowStarts(line, m_wrap).size();
        else
            end += 1;
        m_rows.push_back({m_seen, end});
    }
    return gone;
}

OutputLayout::Place OutputLayout::at(qint64 row) const
{
    if (m_rows.empty())
        return {};
    const qint64 wanted = m_base + std::clamp<qint64>(row, 0, rowCount() - 1);
    const auto entry = std::ranges::upper_bound(m_rows, wanted, {}, &Entry::end);
    const qint64 begin = entry == m_rows.begin() ? m_base : std::prev(entry)->end;
    return {entry->line, int(wanted - begin)};
}

qint64 OutputLayout::rowOf(qint64 line) const
{
    const auto entry = std::ranges::lower_bound(m_rows, line, {}, &Entry::line);
    return (entry == m_rows.begin() ? m_base : std::prev(entry)->end) - m_base;
}

} // namespace glovebox
