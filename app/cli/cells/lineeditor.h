// SPDX-License-Identifier: Apache-2.0
// Lines that a person types, edited with the arrows and the keys of Emacs, by libedit (editline(3)).
//
// The lines typed before are kept in memory only: code may hold secrets. ~/.editrc isn't read, so that the keys are those of the manual.
#pragma once

#include "editline.h"

#include "app/cli/terminal/bell.h"

#include "engine/engine.h"

#include <cstdio>
#include <memory>
#include <string>

namespace glovebox {

// Used by the thread that made it. Between two lines the terminal has the mode that it had before.
class LineEditor
{
public:
    // Nothing where lines are left to the terminal: standard input or standard error is none, or can't move its cursor (TERM is
    // unset, "dumb" or unknown); or the locale is not one of UTF-8; or its size is one of no window; or the library is missing.
    // The bell, which rings for sizes too, outlives it. Of a longer line, mostBytes are kept.
    static std::unique_ptr<LineEditor> atTerminal(Bell &bell, qsizetype mostBytes);
    ~LineEditor();
    LineEditor(const LineEditor &) = delete;
    LineEditor &operator=(const LineEditor &) = delete;

    // The only reason, which whoever installs libedit takes away.
    static bool lacksLibrary();

    // Else read() would take memory without end: the line is left to the terminal.
    static bool isWindow();

    enum class Read { Line, End, Interrupted };
    // Waits. A line is UTF-8, or whatever bytes the terminal sent, and ends with a newline. Afterwards the cursor is where a line begins.
    Read read(const QByteArray &prompt, QByteArray &line);
    // What was typed or pasted, and is no line yet.
    void drop();
    // The same, for who reads the next line instead.
    QByteArray takeTyped();

    // Of Interrupted: SIGHUP also when the terminal is gone.
    int signal() const { return m_signal; }
    int readError() const { return m_readError; } // errno; 0: none

private:
    LineEditor(const Editline &edit, Bell &bell, qsizetype mostBytes);

    static bool canMoveCursor();
    bool open();
    void bindKeys();
    void takeSignals();
    void readMore();
    void readTypedAhead();
    void stop(int signal);
    wchar_t nextCharacter();
    qsizetype room() const;
    unsigned char takePaste();
    unsigned char insertPaste();
    void remember(const std::wstring &line);

    static LineEditor &of(EditLine *editor);

    struct Closer
    {
        void operator()(EditLine *editor) const { Editline::loaded()->end(editor); }
        void operator()(HistoryW *history) const { Editline::loaded()->historyEnd(history); }
        void operator()(std::FILE *file) const { std::fclose(file); }
    };

    const Editline &m_edit;
    Bell &m_bell;
    const qsizetype m_mostBytes;
    std::unique_ptr<std::FILE, Closer> m_out, m_noMessages;
    std::unique_ptr<HistoryW, Closer> m_history;
    std::unique_ptr<EditLine, Closer> m_editor;
    QByteArray m_prompt;
    QByteArray m_typed; // from m_at: read, and not yet taken
    qsizetype m_at = 0;
    QByteArray m_paste; // lines that aren't yet read, and the beginning of one
    bool m_redraws = false;
    bool m_isQuoting = false; // Ctrl+V: the next character is text, whatever it is
    bool m_maySearch = false; // Ctrl+R was typed, and no escape sequence since
    int m_signal = 0;
    int m_readError = 0;
};

} // namespace glovebox
