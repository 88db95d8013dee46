// SPDX-License-Identifier: Apache-2.0
// Where lines of output stand on a grid of cells: which are shown under a filter, and how they wrap.
#pragma once

#include "linestore.h"

namespace glovebox {

// Characters at which each row of a line begins (the first is 0) when it is wrapped at a number of columns.
QList<int> rowStarts(const OutputLine &line, int columns);
// The column of a character in a row that begins at rowStart, and back: the character nearest to a column.
int columnOf(const OutputLine &line, int rowStart, int character);
int characterAt(const OutputLine &line, int rowStart, int rowEnd, double column);

// Follows a store by sync(); a plain value.
class OutputLayout
{
public:
    struct Place
    {
        qint64 line = -1; // -1: there is none
        int row = 0; // of the line

        bool operator==(const Place &) const = default;
    };

    void setWrap(int columns); // 0: lines don't wrap. Call sync() after these two.
    void setFilter(const QString &text); // lines that contain it, whatever its case; our own remarks stay
    int wrap() const { return m_wrap; }

    // Takes in what was appended, dropped or truncated, and lines from changed on. Returns the number of rows that went at
    // the top.
    qint64 sync(const LineStore &lines, qint64 changed = std::numeric_limits<qint64>::max());
    void reset();

    qint64 rowCount() const { return m_rows.empty() ? 0 : m_rows.back().end - m_base; }
    Place at(qint64 row) const; // the last one when row is beyond
    qint64 rowOf(qint64 line) const; // its first row, or that of the next line that is shown
    qint64 lineCount() const { return qint64(m_rows.size()); } // lines that are shown

private:
    struct Entry
    {
        qint64 line = 0;
        qint64 end = 0; // rows up to here, counted from the first line that ever was
    };

    std::deque<Entry> m_rows;
    qint64 m_base = 0; // Entry::end in front of the first
    qint64 m_seen = 0; // the next line to look at
    int m_wrap = 0;
    QString m_filter;
};

} // namespace glovebox
