// SPDX-License-Identifier: Apache-2.0
// Cells, one after the other: those of a file, those that a program writes to standard input, those that a person types.
//
// A line "# %%" or "// %%" begins a cell, as in editors that know cells; the rest of the line is its title.
#pragma once

#include "lineeditor.h"

#include "app/cli/terminal/bell.h"

#include "engine/engine.h"

namespace glovebox {

// The cells of a whole text; those that hold nothing are left out.
QByteArrayList cellsOf(const QByteArray &text);

// From standard input, each as soon as it is whole.
class CellStream
{
public:
    // isTyped: shows a prompt, and ends a cell where the language says that it is whole, or after an empty line. The editor, if any, is
    // where a person types; else the terminal edits lines itself.
    CellStream(Bell &bell, const Language &language, bool isTyped, LineEditor *editor = nullptr);

    // More than any cell may have: of a longer one as much is kept, and the engine says why it is none.
    static constexpr qsizetype mostBytes = maximumCodeBytes + 1;

    // Waits. Nothing: no more cells come.
    std::optional<QByteArray> next();
    // What a person typed or pasted after the last cell, so far.
    void dropTyped();

    // The signal that ended it, which is SIGINT only where nobody types; SIGHUP also when the terminal is gone; 0: none.
    int stoppedBy() const { return m_stoppedBy; }
    int readError() const { return m_readError; } // errno; 0: none

private:
    enum class Read { Line, End, Interrupted };

    Read readLine(const QByteArray &prompt, QByteArray &line);
    Read readEdited(const QByteArray &prompt, QByteArray &line);
    bool isEnded(QByteArrayView cell, QByteArrayView line) const;

    Bell &m_bell;
    const Language &m_language;
    const bool m_isTyped;
    LineEditor *const m_editor;
    bool m_isEdited = false; // the line that is read, by the editor
    bool m_isDivided = false; // the cell began with a line that says so, so that only such a line or the end ends it
    bool m_isAtEnd = false;
    QByteArray m_buffer;
    int m_stoppedBy = 0;
    int m_readError = 0;
};

} // namespace glovebox
