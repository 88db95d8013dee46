// SPDX-License-Identifier: Apache-2.0
// The lines that an output view shows: styled text, bounded in number and size however much is appended.
#pragma once

#include "ansi/ansiparser.h"

#include <QList>
#include <QString>

#include <deque>
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
    // Ends the unfinished line of this kind; without one, that is an empty line.
    void newLine(OutputLine::Kind kind);
    // Ends an unfinished line, of whatever kind.
    void endLine() { m_open = false; }
    void appendLine(OutputLine::Kind kind, const QString &text, const TextStyle &style = {});
    // Forgets the lines from number on.
    void truncate(qint64 number);

private:
    OutputLine &openLine(OutputLine::Kind kind);
    void appendPiece(OutputLine &line, QStringView text, const TextStyle &style);
    void dropOldest();

    std::deque<OutputLine> m_lines;
    qint64 m_first = 0;
    qint64 m_characters = 0;
    int m_widest = 0;
    bool m_open = false; // the last line isn't finished
    std::optional<OutputLine::Kind> m_cut; // an unfinished line of this kind was followed by one of another
};

} // namespace glovebox
