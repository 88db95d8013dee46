// SPDX-License-Identifier: Apache-2.0
// The screen of a run with a terminal, at the end of a store of lines: what scrolls off its top stays in the store.
#pragma once

#include "sequencefilter.h"

#include "../linestore.h"

#include <QPoint>
#include <QSize>

#include <memory>
#include <optional>

struct VTerm;

namespace glovebox {

// The model is libvterm's (http://www.leonerd.org.uk/code/libvterm/). Lives on one thread, with its store.
class TerminalScreen
{
public:
    // cells: columns and rows, as in all that follows. The store must outlive the screen.
    TerminalScreen(LineStore &lines, QSize cells);
    ~TerminalScreen();

    // Takes bytes in; rows are in the store after show(), lines that scrolled off at once.
    void feed(QByteArrayView bytes);
    void resize(QSize cells);
    void show();
    // Rows become ordinary lines, and the screen begins anew behind them; a program that has the whole screen keeps it.
    void settle();
    // As settle(), and for good; the last picture of a program that had the whole screen stands below what was before.
    void finish();
    // The store was changed at its end: the rows are to be shown behind that.
    void moveToEnd();

    struct Cursor
    {
        qint64 line = 0;
        int column = 0; // cell

        bool operator==(const Cursor &) const = default;
    };
    // Where show() put it; nothing: hidden.
    std::optional<Cursor> cursor() const;

    // The terminal's own answers to the program since the last call: the place of the cursor and the kind of the
    // terminal, when asked. At most a few bytes: a flood of questions is answered once.
    QByteArray takeAnswers();
    // The bytes of a key for the program, by the modes that the program chose. key, modifiers: VTermKey, VTermModifier.
    QByteArray pressed(int key, int modifiers);
    // What the program wants to hear of the mouse now.
    enum class Mouse { Nothing, Clicks, Drags, Moves };
    Mouse mouse() const { return m_mouse; }
    // The cell of the screen at a column of a line of the store, if the line is a row of it.
    std::optional<QPoint> cellAt(qint64 line, int column) const;
    // The bytes for the program that tell a movement to a cell, then a button there (1 left, 2 middle, 3 right, 4 and 5 the wheel
    // up and down; 0: none).
    QByteArray pointed(QPoint cell, int button, bool isPressed, int modifiers);
    // As typed, or between marks where the program asked for them; controls but tabs and ends of lines are left out.
    QByteArray pasted(const QString &text);

private:
    friend struct ScreenEvents;
    struct Free
    {
        void operator()(VTerm *terminal) const;
    };

    void write(const QByteArray &sequence); // our own
    int usedRows() const;
    void showRow(int row);
    void dropBlankRows();

    LineStore &m_lines;
    std::unique_ptr<VTerm, Free> m_terminal;
    SequenceFilter m_filter;
    QSize m_cells;
    qint64 m_top = 0; // the line of the first row
    int m_shown = 0; // rows that are in the store
    int m_most = 0; // rows that were used: they stay, so that nothing jumps when some are cleared
    int m_changed = 0; // the first row that isn't in the store as it is now
    bool m_isAlternate = false; // a program has the whole screen
    bool m_hasCursor = true;
    Mouse m_mouse = Mouse::Nothing;
    QByteArray m_said;
};

} // namespace glovebox
