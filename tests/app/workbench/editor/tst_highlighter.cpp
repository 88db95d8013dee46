// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/editor/code/codelayout.h"
#include "app/workbench/editor/code/folding.h"
#include "app/workbench/editor/code/highlighter.h"
#include "app/workbench/editor/code/syntax.h"

#include <QRandomGenerator>
#include <QTest>
#include <QTextCursor>
#include <QTextDocument>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

struct Highlighted
{
    explicit Highlighted(const QString &language, const QString &text)
    {
        document.setDocumentLayout(new CodeLayout(&document));
        document.setPlainText(text);
        document.setModified(false);
        highlighter = new Highlighter(&document);
        highlighter->setDefinition(Syntax::of(theme).definition(language));
        highlighter->setTheme(Syntax::of(theme).codeTheme());
        QObject::connect(highlighter, &Highlighter::sliceDone, highlighter, [this](qint64 time) {
            longest = std::max(longest, time);
            ++slices;
        });
    }

    // "0-6 #c0ffee" of the coloured parts of a line.
    QStringList colours(int line)
    {
        QStringList colours;
        for (const auto &range : document.findBlockByNumber(line).layout()->formats())
            colours.append(u"%1-%2 %3"_s.arg(range.start)
                               .arg(range.start + range.length)
                               .arg(range.format.foreground().color().name()));
        return colours;
    }
    QColor colourAt(int line, int column)
    {
        for (const auto &range : document.findBlockByNumber(line).layout()->formats()) {
            if (column >= range.start && column < range.start + range.length)
                return range.format.foreground().color();
        }
        return {};
    }

    Theme theme;
    QTextDocument document;
    Highlighter *highlighter = nullptr;
    qint64 longest = 0; // nanoseconds
    int slices = 0;
};

} // namespace

class TestHighlighter : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void visibleLinesGetColours();
    void aChangeReachesAsFarAsItMatters();
    void editsOfManyKindsEndLikeAFreshStart();
    void aSliceIsShortAndTypingGoesOn();
    void aLongLineStaysPlain();
    void pythonFoldsByIndentation();
    void javascriptFoldsByBraces();
};

void TestHighlighter::visibleLinesGetColours()
{
    Highlighted h(u"python"_s, u"import os\n# remark\nx = 'text'\n"_s);
    h.highlighter->setVisibleBlocks(0, 3);
    QTRY_VERIFY(h.highlighter->isDone());
    const Scheme scheme = h.theme.scheme();
    QCOMPARE(h.colourAt(0, 0), Theme::colour(scheme, Colour::CodeKeyword));
    QCOMPARE(h.colourAt(1, 2), Theme::colour(scheme, Colour::CodeComment));
    QCOMPARE(h.colourAt(2, 6), Theme::colour(scheme, Colour::CodeString));
    QVERIFY(!h.document.isModified());
    QVERIFY(!h.document.isUndoAvailable());
}

void TestHighlighter::aChangeReachesAsFarAsItMatters()
{
    QString text;
    for (int i = 0; i < 200; ++i)
        text += u"x = 1\n"_s;
    Highlighted h(u"python"_s, text);
    h.highlighter->setVisibleBlocks(150, 160);
    QTRY_VERIFY(h.highlighter->isDone());
    const QStringList before = h.colours(155);
    QTextCursor(&h.document).insertText(u"y = \"\"\""_s); // all that follows is a string now
    QTRY_VERIFY(h.highlighter->isDone());
    QTRY_COMPARE(h.colourAt(155, 0), Theme::colour(h.theme.scheme(), Colour::CodeString));
    h.document.undo();
    QTRY_VERIFY(h.highlighter->isDone());
    QTRY_COMPARE(h.colours(155), before);
}

void TestHighlighter::editsOfManyKindsEndLikeAFreshStart()
{
    QString text;
    for (int i = 0; i < 300; ++i)
        text += i % 50 == 0 ? u"def f():  # begin\n"_s : u"    x = 'a' + \"b\"  # c\n"_s;
    Highlighted h(u"python"_s, text);
    const QStringList pieces{u"\"\"\""_s, u"'"_s, u"\n"_s, u"# x\n\n\n"_s, u"def g():\n    pass\n"_s, u"x"_s};
    QRandomGenerator random(7);
    for (int round = 0; round < 120; ++round) {
        QTextCursor cursor(&h.document);
        cursor.setPosition(random.bounded(h.document.characterCount()));
        if (random.bounded(3) == 0) {
            cursor.setPosition(std::min(cursor.position() + random.bounded(60), h.document.characterCount() - 1),
                               QTextCursor::KeepAnchor);
            cursor.removeSelectedText();
        } else {
            cursor.insertText(pieces[random.bounded(int(pieces.size()))]);
        }
        if (random.bounded(2) == 0)
            QCoreApplication::processEvents();
    }
    const int last = h.document.blockCount() - 1;
    h.highlighter->setVisibleBlocks(0, last);
    QTRY_VERIFY(h.highlighter->isDone());
    Highlighted fresh(u"python"_s, h.document.toPlainText());
    fresh.highlighter->setVisibleBlocks(0, last);
    QTRY_VERIFY(fresh.highlighter->isDone());
    for (int line = 0; line <= last; ++line)
        QTRY_COMPARE(h.colours(line), fresh.colours(line));
}

void TestHighlighter::aSliceIsShortAndTypingGoesOn()
{
    QString text;
    for (int i = 0; i < 60'000; ++i)
        text += u"    value_%1 = compute(%1, \"some text\")  # remark\n"_s.arg(i);
    Highlighted h(u"python"_s, text);
    h.highlighter->setVisibleBlocks(0, 40);
    QTRY_VERIFY(!h.colours(20).isEmpty());
    QVERIFY(!h.highlighter->isDone()); // the visible ones come first
    QElapsedTimer waited;
    waited.start();
    int edits = 0;
    while (!h.highlighter->isDone() && waited.elapsed() < 60'000) {
        QTextCursor(&h.document).insertText(u"#"_s);
        ++edits;
        for (int i = 0; i < 20; ++i)
            QCoreApplication::processEvents();
    }
    QVERIFY(h.highlighter->isDone());
    QVERIFY(edits > 2);
    qInfo("%d slices, the longest of %.1f ms", h.slices,
          double(h.longest) / 1e6); // about 8 ms on an idle machine, see the bench
    QVERIFY2(h.slices > edits, qPrintable(QString::number(h.slices)));
    QVERIFY2(h.slices > 20, qPrintable(QString::number(h.slices)));
}

void TestHighlighter::aLongLineStaysPlain()
{
    Highlighted h(u"python"_s, u"x = '"_s + QString(20'000, u'a') + u"'\nimport os\n"_s);
    h.highlighter->setVisibleBlocks(0, 1);
    QTRY_VERIFY(h.highlighter->isDone());
    QVERIFY(h.colours(0).isEmpty());
    QVERIFY(!h.colours(1).isEmpty());
}

void TestHighlighter::pythonFoldsByIndentation()
{
    Highlighted h(u"python"_s, u"def f():\n    a\n\n    b\nc\n"_s);
    const QTextBlock first = h.document.begin();
    QVERIFY(canFold(first, FoldStyle::Indentation));
    QCOMPARE(foldEnd(first, FoldStyle::Indentation).blockNumber(), 3);
    fold(first, FoldStyle::Indentation);
    QVERIFY(isFolded(first));
    QVERIFY(!h.document.findBlockByNumber(2).isVisible());
    QVERIFY(h.document.findBlockByNumber(4).isVisible());
    reveal(h.document.findBlockByNumber(3));
    QVERIFY(h.document.findBlockByNumber(2).isVisible());
    QVERIFY(!canFold(h.document.findBlockByNumber(4), FoldStyle::Indentation));
}

void TestHighlighter::javascriptFoldsByBraces()
{
    Highlighted h(u"node"_s, u"function f() {\n  if (x) {\n    y();\n  }\n}\nz();\n"_s);
    QTRY_VERIFY(h.highlighter->isDone());
    const QTextBlock first = h.document.begin();
    QVERIFY(canFold(first, FoldStyle::Regions));
    QCOMPARE(foldEnd(first, FoldStyle::Regions).blockNumber(), 3); // the closing brace stays in sight
    QCOMPARE(enclosingFold(h.document.findBlockByNumber(2), FoldStyle::Regions).blockNumber(), 1);
    QVERIFY(!canFold(h.document.findBlockByNumber(5), FoldStyle::Regions));
}

QTEST_MAIN(TestHighlighter)
#include "tst_highlighter.moc"
