// SPDX-License-Identifier: Apache-2.0
// Further cursors of an editor, beside its own one: what is typed, erased or moved happens at each of them, as one step of undo.
#pragma once

#include "app/workbench/editor/code/editing.h"

#include <QTextCursor>

#include <functional>

class QKeyEvent;

namespace glovebox {

class CodeEditor;

// The newest cursor is the editor's own, which the view follows. Whatever else moves that one ends the others.
class Cursors
{
public:
    static constexpr int most = 50; // a key takes half a millisecond at each: more would be felt

    explicit Cursors(CodeEditor &editor);

    int count() const { return int(m_further.size()) + 1; }
    const QList<QTextCursor> &further() const { return m_further; }
    bool areMoving() const { return m_moving; }

    // Each of these is false where it would be one too many, and all are as they were.
    bool toggle(const QTextCursor &there); // one that is there already goes
    bool addInLine(bool below);
    // Without a selection, selects the word; with one, the next place with that text.
    bool addNextMatch();
    bool addAllMatches();
    void clear();

    // In the order of the text. Moves don't belong into a step of undo, where a document knows no lines.
    enum class Act { Edits, Moves };
    void atEach(Act kind, const std::function<void()> &act);
    // Whether the key was for several cursors. act does what it means at the editor's own one.
    bool takeKey(const QKeyEvent &key, const std::function<void()> &act);
    QString selectedText() const; // a line each

private:
    QList<QTextCursor> inOrder() const;
    FindQuery queryFor(const QTextCursor &selected) const;
    void dropDoubles();

    CodeEditor &m_editor;
    QList<QTextCursor> m_further;
    bool m_moving = false;
    QString m_word; // chosen as a whole word: for "i", the one in "if" isn't meant
};

} // namespace glovebox
