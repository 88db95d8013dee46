// SPDX-License-Identifier: Apache-2.0
// The editor for code: a QPlainTextEdit that knows languages, with line numbers and folding beside it.
#pragma once

#include "editing.h"
#include "folding.h"
#include "syntax.h"

#include "app/workbench/editor/typing/cursors.h"
#include "app/workbench/editor/typing/lines.h"

#include <QPlainTextEdit>
#include <QSet>

#include <algorithm>
#include <functional>

namespace glovebox {

class CodeGutter;
class CodeLayout;
class Completion;
class Highlighter;
class WordIndex;

// A place that is marked in the margin and underlined, with what the tool tip there says.
struct LineMark
{
    QTextCursor where; // moves with the text
    QString sentence;
    QString kind; // of who made it

    int line() const { return where.document()->findBlock(where.selectionStart()).blockNumber() + 1; }
};

qsizetype longestLineOf(const QString &text); // in characters

// Brings its own document; setDocument() isn't for it.
class CodeEditor : public QPlainTextEdit
{
    Q_OBJECT
public:
    static constexpr int longestLine = 50'000; // characters: Qt lays a line out as a whole, at every change of it

    CodeEditor(Theme &theme, QWidget *parent = nullptr);
    ~CodeEditor() override;

    // id of the engine ("python"), or empty; the file name decides where the language is none of the engine's.
    void setLanguage(const QString &language, const QString &fileName);
    const WritingStyle &style() const { return m_style; }
    void setIndentation(const Indentation &indentation);
    const Indentation &indentation() const { return m_indentation; }
    FoldStyle foldStyle() const { return m_foldStyle; }
    Highlighter *highlighter() const { return m_highlighter; }

    // From 1. Opens what is folded there and brings it into the view.
    void goTo(int line, int column = 1);
    int line() const { return numberOf(textCursor().block()); } // of the file, from 1 on
    int numberOf(const QTextBlock &block) const; // the line of the file; a long one is shown in several blocks
    int column() const { return textCursor().positionInBlock() + 1; } // in characters

    // What a person did to the cursors.
    enum class MoreCursors { Above, Below, NextMatch, AllMatches };
    void addCursors(MoreCursors which);
    void keepOneCursor();
    Cursors &cursors() { return m_cursors; }
    const Cursors &cursors() const { return m_cursors; }

    void commentOrUncomment();
    // Changes whole lines, where the text can be edited and is all there; else says why not.
    void changeLines(const std::function<LineChange(QTextCursor &)> &change);
    // Brackets and quotes bring their partners.
    void setClosesPairs(bool on) { m_closesPairs = on; }
    // The gutter has room for so many already: each time that it grows, all lines are laid out again.
    void expectLines(int lines);
    int expectedLines() const { return m_expectedLines; }
    // Blocks that go on with the line before, as a long line is shown in pieces; in order.
    void setContinuing(const QList<int> &blocks) { m_continuing = blocks; }
    bool isContinuing(const QTextBlock &block) const
    {
        return std::ranges::binary_search(m_continuing, block.blockNumber());
    }
    void setWrap(bool on) { setLineWrapMode(on ? WidgetWidth : NoWrap); }
    const WordIndex &words() const { return *m_words; }
    const QSet<QString> &keywords() const { return m_keywords; } // of the language
    Completion &completion() { return *m_completion; }
    void foldHere();
    void unfoldHere();
    void foldEverything();
    void unfoldEverything();
    void toggleFold(const QTextBlock &block);

    // Marks what matches in the visible lines; an empty query marks nothing.
    void setMarkedQuery(const FindQuery &query);

    // In the order of the text; replace those before.
    void setMarks(const QList<LineMark> &marks);
    const QList<LineMark> &marks() const { return m_marks; }

    // For the gutter.
    QTextBlock firstVisible() const { return firstVisibleBlock(); }
    QRectF geometryOf(const QTextBlock &block) const
    {
        return blockBoundingGeometry(block).translated(contentOffset());
    }

Q_SIGNALS:
    void cursorsChanged(); // moved, came or went; once, however many there are
    void filesDropped(const QStringList &paths);
    void refused(const QString &sentence); // something wasn't put in, and why
    void pasted();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void inputMethodEvent(QInputMethodEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool canInsertFromMimeData(const QMimeData *source) const override;
    void insertFromMimeData(const QMimeData *source) override;
    QMimeData *createMimeDataFromSelection() const override;

private:
    void takeTheme();
    void takeDefinition();
    void followView();
    void mark();
    void followCursors();
    void takeKey(QKeyEvent *event); // at the editor's own cursor
    void breakLine();
    bool backspaceToStep();
    void moveHome(bool select);
    void paintBands(const QRect &rect);
    void paintSelection(const QTextCursor &cursor, const QRect &rect);
    void paintFurtherCursors();
    void layOutGutter();

    Theme &m_theme;
    Syntax &m_syntax;
    CodeLayout *m_layout;
    Highlighter *m_highlighter;
    CodeGutter *m_gutter;
    int m_expectedLines = 0;
    QList<int> m_continuing;
    QString m_language;
    QString m_fileName;
    WritingStyle m_style;
    QString m_comment; // marker of a one-line comment
    Indentation m_indentation;
    FoldStyle m_foldStyle = FoldStyle::Indentation;
    FindQuery m_marked;
    QList<LineMark> m_marks;
    WordIndex *m_words;
    Completion *m_completion;
    Cursors m_cursors;
    QSet<QString> m_keywords;
    bool m_closesPairs = true;
    bool m_leavesByTab = false; // Escape was the key before
};

} // namespace glovebox
