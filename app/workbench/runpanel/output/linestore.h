// SPDX-License-Identifier: Apache-2.0
// The lines that an output view shows: styled text, bounded in number and size however much is appended.
#pragma once

#include "ansi/ansiparser.h"

#include <QList>
#include <QString>

#include <deque>
#include <limits>
#include <optional>

namespace glovebox {

// From start on, up to the next span.
struct StyleSpan
{
    int start = 0;
    TextStyle style;

    bool operator==(const StyleSpan &) const = default;
};

struct OutputLine
{
    enum class Kind : quint8 {
        Out,
        Err,
        Note, // ours, not the program's: when it started, what was left out
        Warning, // ours, worth a look
        Summary, // ours: how it ended
    };

    QString text;
    QList<StyleSpan> spans; // empty: all of it has the view's own style
    int columns = 0; // cells of a fixed grid that the text takes
    Kind kind = Kind::Out;
    bool plain = true; // ASCII without tabs: character i is in column i
    bool continued = false; // the next line belongs to this one, which was too long

    bool isOurs() const { return kind != Kind::Out && kind != Kind::Err; }
    bool operator==(const OutputLine &) const = default;
};

// Cells that a character takes in a fixed grid: 0 for combining ones, 2 for wide ones (Unicode Annex 11), else 1. A tab
// goes to the next multiple of 8.
int cellsOf(char32_t character, int column);
// The code point at index, which moves behind it.
char32_t nextCodePoint(QStringView text, qsizetype &index);

// Lines have numbers that stay the same for as long as they are kept; the oldest go first. A plain value, not
// thread-safe.
class LineStore
{
public:
    static constexpr int longestLine =
        4096; // characters; longer lines are split, as laying one out takes time by its length
    static constexpr int reach = 100; // lines: a screen of bars
    static constexpr int farthestColumn = 1000; // that is looked for among other characters than ASCII, one by one
    static constexpr qint64 maximumLines = 100'000;
    static constexpr qint64 maximumCharacters = 8 * 1024 * 1024;

    qint64 first() const { return m_first; }
    qint64 end() const { return m_first + qint64(m_lines.size()); }
    bool isEmpty() const { return m_lines.empty(); }
    const OutputLine &line(qint64 number) const { return m_lines[size_t(number - m_first)]; }
    qint64 characters() const { return m_characters; }
    qint64 dropped() const { return m_first; } // lines that are gone from the front
    int widest() const { return m_widest; } // columns of the widest line so far

    // Goes on with the last line if it is of this kind and unfinished, else begins one.
    void append(OutputLine::Kind kind, QStringView text, const TextStyle &style);
    // Ends the unfinished line of this kind; without one, that is an empty line. goesOn: the next line belongs to it.
    void newLine(OutputLine::Kind kind, bool goesOn = false);
    // Ends an unfinished line, of whatever kind.
    void endLine();
    // Moves the cursor of the unfinished line, or erases beside it. Up is as far as lines of this kind go without one of
    // another between them, at most `reach`; text that is appended there writes over what was.
    void control(OutputLine::Kind kind, LineControl control, int count);
    // The first line that was changed above the last one since the last call; farther than end(): none was.
    qint64 takeChanged();
    void appendLine(OutputLine::Kind kind, const QString &text, const TextStyle &style = {});
    void appendCopy(const OutputLine &line);
    // Forgets the lines from number on.
    void truncate(qint64 number);

private:
    OutputLine &openLine(OutputLine::Kind kind);
    void appendPiece(OutputLine &line, QStringView text, const TextStyle &style);
    void padToCursor(OutputLine &line);
    QStringView writeOver(OutputLine &line, QStringView text, const TextStyle &style);
    void erase(OutputLine &line, LineControl control);
    void moveUp(OutputLine::Kind kind, int lines);
    void goToColumn(const OutputLine &line, int column);
    void removeLast();
    void removeBlanks();
    OutputLine &cursorLine() { return m_lines[size_t(m_at - m_first)]; }
    bool isAtEnd(const OutputLine &line) const { return m_index == line.text.size() && m_column == line.columns; }
    void dropOldest();

    std::deque<OutputLine> m_lines;
    qint64 m_first = 0;
    qint64 m_characters = 0;
    int m_widest = 0;
    bool m_open = false; // the cursor is in a line; else behind the last one
    qint64 m_at = 0; // that line
    int m_column = 0; // of the cursor, may be beyond the line's end
    qsizetype m_index = 0; // the character there
    qint64 m_changed = std::numeric_limits<qint64>::max();
    std::optional<OutputLine::Kind> m_cut; // an unfinished line of this kind was followed by one of another
};

} // namespace glovebox
