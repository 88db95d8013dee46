// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/runpanel/output/linestore.h"
#include "app/workbench/runpanel/output/outputlayout.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;
using Kind = OutputLine::Kind;

namespace {

QStringList texts(const LineStore &lines)
{
    QStringList texts;
    for (qint64 i = lines.first(); i < lines.end(); ++i)
        texts.append(lines.line(i).text);
    return texts;
}

// Rows of the layout, as "line.row".
QStringList rows(const OutputLayout &layout)
{
    QStringList rows;
    for (qint64 i = 0; i < layout.rowCount(); ++i)
        rows.append(u"%1.%2"_s.arg(layout.at(i).line).arg(layout.at(i).row));
    return rows;
}

} // namespace

class TestLineStore : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void piecesOfALineAreJoined();
    void theOtherStreamBeginsALine();
    void longLinesAreSplitAndKnowIt();
    void theOldestLinesGoFirst();
    void charactersAreBoundedToo();
    void wideAndCombiningCharactersTakeTheirCells();
    void rowsBreakWhereTheWidthEnds();
    void aFilterHidesOtherLines();
    void theLayoutFollowsWhatIsAppendedDroppedAndTruncated();
};

void TestLineStore::piecesOfALineAreJoined()
{
    LineStore lines;
    lines.append(Kind::Out, u"ab", {});
    lines.append(Kind::Out, u"cd", {.foreground = 2});
    lines.newLine(Kind::Out);
    lines.newLine(Kind::Out);
    QCOMPARE(texts(lines), QStringList({u"abcd"_s, u""_s}));
    QCOMPARE(lines.line(0).spans, QList<StyleSpan>({{2, {.foreground = 2}}}));
}

void TestLineStore::theOtherStreamBeginsALine()
{
    LineStore lines;
    lines.append(Kind::Out, u"abc", {});
    lines.append(Kind::Err, u"warning", {});
    lines.newLine(Kind::Err);
    lines.newLine(Kind::Out); // behind "abc"
    lines.append(Kind::Out, u"def", {});
    QCOMPARE(texts(lines), QStringList({u"abc"_s, u"warning"_s, u"def"_s}));
    QCOMPARE(lines.line(1).kind, Kind::Err);
}

void TestLineStore::longLinesAreSplitAndKnowIt()
{
    LineStore lines;
    const QString emoji = u"🎉"_s;
    QString text = QString(LineStore::longestLine - 1, u'x') + emoji + u"end"_s;
    lines.append(Kind::Out, text, {});
    lines.newLine(Kind::Out);
    QCOMPARE(lines.end(), 2);
    QVERIFY(lines.line(0).text.size() <= LineStore::longestLine);
    QVERIFY(lines.line(0).continued);
    QVERIFY(!lines.line(1).continued);
    QCOMPARE(lines.line(0).text + lines.line(1).text, text);
    QVERIFY(!lines.line(0).text.back().isHighSurrogate());
}

void TestLineStore::theOldestLinesGoFirst()
{
    LineStore lines;
    for (qint64 i = 0; i < LineStore::maximumLines + 10; ++i)
        lines.appendLine(Kind::Out, QString::number(i));
    QCOMPARE(lines.first(), 10);
    QCOMPARE(lines.end() - lines.first(), LineStore::maximumLines);
    QCOMPARE(lines.line(lines.first()).text, u"10"_s);
}

void TestLineStore::charactersAreBoundedToo()
{
    LineStore lines;
    const QString line(4000, u'x');
    for (int i = 0; i < 4000; ++i)
        lines.appendLine(Kind::Out, line);
    QVERIFY(lines.characters() <= LineStore::maximumCharacters);
    QVERIFY(lines.first() > 0);
}

void TestLineStore::wideAndCombiningCharactersTakeTheirCells()
{
    LineStore lines;
    lines.appendLine(Kind::Out, u"日本"_s);
    lines.appendLine(Kind::Out, u"e\u0301a"_s);
    lines.appendLine(Kind::Out, u"a\tb"_s);
    QCOMPARE(lines.line(0).columns, 4);
    QCOMPARE(lines.line(1).columns, 2);
    QCOMPARE(lines.line(2).columns, 9);
    QVERIFY(!lines.line(2).plain);
}

void TestLineStore::rowsBreakWhereTheWidthEnds()
{
    LineStore lines;
    lines.appendLine(Kind::Out, QString(25, u'x'));
    lines.appendLine(Kind::Out, u"日日日日日日"_s);
    QCOMPARE(rowStarts(lines.line(0), 10), QList<int>({0, 10, 20}));
    QCOMPARE(rowStarts(lines.line(0), 0), QList<int>({0}));
    QCOMPARE(rowStarts(lines.line(1), 5), QList<int>({0, 2, 4})); // two of two cells, and one stays free
    QCOMPARE(characterAt(lines.line(1), 0, 6, 4.2), 2);
    QCOMPARE(columnOf(lines.line(1), 2, 4), 4);
}

void TestLineStore::aFilterHidesOtherLines()
{
    LineStore lines;
    for (const QString &text : {u"Apple"_s, u"pear"_s, u"pineAPPLE"_s})
        lines.appendLine(Kind::Out, text);
    lines.appendLine(Kind::Summary, u"exit 0"_s);
    OutputLayout layout;
    layout.setFilter(u"apple"_s);
    layout.sync(lines);
    QCOMPARE(rows(layout), QStringList({u"0.0"_s, u"2.0"_s, u"3.0"_s}));
    QCOMPARE(layout.rowOf(1), 1);
}

void TestLineStore::theLayoutFollowsWhatIsAppendedDroppedAndTruncated()
{
    LineStore lines;
    OutputLayout layout;
    layout.setWrap(10);
    lines.append(Kind::Out, u"12345", {});
    layout.sync(lines);
    lines.append(Kind::Out, u"6789012345", {}); // the line that was seen goes on
    lines.newLine(Kind::Out);
    lines.appendLine(Kind::Out, u"two"_s);
    layout.sync(lines);
    QCOMPARE(rows(layout), QStringList({u"0.0"_s, u"0.1"_s, u"1.0"_s}));

    lines.truncate(1);
    lines.appendLine(Kind::Note, u"gap"_s);
    layout.sync(lines);
    QCOMPARE(rows(layout), QStringList({u"0.0"_s, u"0.1"_s, u"1.0"_s}));
    QCOMPARE(lines.line(1).text, u"gap"_s);

    for (qint64 i = 0; i < LineStore::maximumLines - 1; ++i)
        lines.appendLine(Kind::Out, u"x"_s);
    QCOMPARE(layout.sync(lines), 2); // both rows of line 0
    QCOMPARE(layout.at(0), (OutputLayout::Place{1, 0}));
    QCOMPARE(layout.rowCount(), LineStore::maximumLines);
}

QTEST_APPLESS_MAIN(TestLineStore)
#include "tst_linestore.moc"
