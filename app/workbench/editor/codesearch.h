// SPDX-License-Identifier: Apache-2.0
// Finds and replaces in the code what the find bar asks for.
#pragma once

#include "code/codeeditor.h"

#include <QObject>
#include <QTextBlock>
#include <QTimer>

namespace glovebox {

class FindBar;

// Lives on the GUI thread, as a child of its bar.
class CodeSearch : public QObject
{
    Q_OBJECT
public:
    CodeSearch(CodeEditor &editor, FindBar &bar);

    void show(bool withReplace); // the bar; the selection is looked for
    void next(bool backward);

private:
    void replaceOne();
    void replaceAll();
    void showMatches();
    void countMatches();

    CodeEditor &m_editor;
    FindBar &m_find;
    // How many matches there are, as far as they are counted.
    struct Counted
    {
        QTextBlock block; // the next to look at
        int current = 0; // where the one begins that was gone to
        int count = 0;
        int number = 0; // of that one; 0: not met
    };
    Counted m_counted;
    QTimer m_counting;
};

} // namespace glovebox
