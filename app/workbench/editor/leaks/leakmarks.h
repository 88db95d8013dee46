// SPDX-License-Identifier: Apache-2.0
// Marks what looks like a secret in code: a key that was pasted belongs in the vault. Nothing waits for it, no run is kept back
// by it, and no sentence holds what was found.
#pragma once

#include "app/workbench/shell/context.h"

#include <QObject>
#include <QTimer>

namespace glovebox {

class CodeEditor;
struct LineMark;

// Lives on the GUI thread; the text is searched in the context's pool, a while after it was changed.
class LeakMarks : public QObject
{
    Q_OBJECT
public:
    LeakMarks(WorkbenchContext &context, CodeEditor &editor, QObject *parent = nullptr);

    void textChanged(); // who owns the editor tells: colours are no change
    qsizetype count() const { return m_count; } // also of those that are too many to be marked
    // From 1, and where it has gone since; 0: there is none.
    int firstLine() const;
    // "Line 3 has what looks like a secret: AWS access key."; empty: nothing was found.
    QString sentence() const;
    QString sentenceAt(int line) const;
    void goToNext();

Q_SIGNALS:
    void changed();

private:
    struct Found
    {
        int position = 0;
        int length = 0;
        QString kind;
    };
    struct Search;

    int lineOf(const LineMark &mark) const; // of the file
    void search();
    void take(const Search &search);

    WorkbenchContext &m_context;
    CodeEditor &m_editor;
    QTimer m_pause;
    qsizetype m_count = 0;
};

} // namespace glovebox
