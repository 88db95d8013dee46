// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/runpanel/output/outputlayout.h"
#include "app/workbench/runpanel/output/streamlines.h"

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

// The lines of a program's output that goes on over several writes.
QStringList printed(const QByteArray &bytes)
{
    StreamLines lines;
    lines.append({OutputStream::Out, 0, bytes});
    lines.finish();
    return texts(lines.lines());
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
    void barsRedrawTheirLines_data();
    void barsRedrawTheirLines();
    void theStyleGoesWithWhatIsWrittenOver();
    void theCursorStaysInItsOwnStream();
    void whatBarsLeftBlankGoesBeforeTheOtherStream();
    void theCursorReachesAScreenUpNoMore();
    void whatIsWrittenOverStaysBounded();
    void theLayoutFollowsTheCursor();
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
    // The space between two rows begins none, and one at the end of the line adds none; deeper gaps stay.
    for (const QString &text : {u"1234 6789 12"_s, u"1234 6789 "_s, u"1234 6789   12"_s})
        lines.appendLine(Kind::Out, text);
    QCOMPARE(rowStarts(lines.line(2), 9), QList<int>({0, 10}));
    QCOMPARE(rowStarts(lines.line(3), 9), QList<int>({0}));
    QCOMPARE(rowStarts(lines.line(4), 9), QList<int>({0, 10}));
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

void TestLineStore::barsRedrawTheirLines_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QStringList>("lines");
    const auto row = [](const char *name, const QByteArray &bytes, const QStringList &lines) {
        QTest::newRow(name) << bytes << lines;
    };
    row("carriage return", "\r 10%|#  |\r 20%|## |\ndone\n", {u" 20%|## |"_s, u"done"_s});
    row("shorter", "long line\rshort\n", {u"shortline"_s});
    row("erased", "long line\r\x1b[Kshort\n", {u"short"_s});
    row("erased, and the cursor stays", "abc\x1b[2Kd\n", {u"   d"_s});
    row("erased to the left", "abcdef\x1b[3D\x1b[1K\n", {u"    ef"_s});
    row("spinner", "work |\b/\b-\b\\\bok\n", {u"work ok"_s});
    row("column", "abc\x1b[10Gx\x1b[2Gy\n", {u"ayc      x"_s});
    row("several bars", "\ra: 1\n\rb: 1\x1b[A\ra: 2\n\rb: 2\x1b[A\ra: 3\n\n", {u"a: 3"_s, u"b: 2"_s});
    row("bars in bars", "\router: 0\n\rinner: 0\x1b[A\n\rinner: 1\x1b[A\n\r        \r\x1b[A\router: 1\n",
        {u"outer: 1"_s});
    row("the next line after those", "\router: 0\n\rinner: 0\x1b[A\n\r        \r\x1b[A\router: 1\ndone\n",
        {u"outer: 1"_s, u"done    "_s});
    row("lines and back", "one\ntwo\nthree\n\x1b[2Ftwo!\x1b[2Eafter\n", {u"one"_s, u"two!"_s, u"three"_s, u"after"_s});
    row("blocks that are drawn anew", "step 1\nx\n\x1b[2A\x1b[Jstep 2\ny\n", {u"step 2"_s, u"y"_s});
    row("wide characters", "日本語\rab\n", {u"ab本語"_s});
    row("half of a wide one", "日本\rx\n", {u"x 本"_s});
    row("a mark goes with its letter", "e\u0301a\rx\n", {u"xa"_s});
    row("a tab erases nothing", "abcdefghij\rx\ty\n", {u"xbcdefghyj"_s});
    row("goes on beyond the end", "ab\rxyz日\n", {u"xyz日"_s});
    row("Windows", "one\r\ntwo\r\n", {u"one"_s, u"two"_s});
}

void TestLineStore::barsRedrawTheirLines()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QStringList, lines);
    QCOMPARE(printed(bytes), lines);
}

void TestLineStore::theStyleGoesWithWhatIsWrittenOver()
{
    const TextStyle red{.foreground = 2}, green{.foreground = 3};
    LineStore lines;
    lines.append(Kind::Out, u"aaaaaa", red);
    lines.control(Kind::Out, LineControl::Column, 2);
    lines.append(Kind::Out, u"bb", green);
    QCOMPARE(lines.line(0).text, u"aabbaa"_s);
    QCOMPARE(lines.line(0).spans, QList<StyleSpan>({{0, red}, {2, green}, {4, red}}));
    lines.append(Kind::Out, u"cc", {});
    QCOMPARE(lines.line(0).spans, QList<StyleSpan>({{0, red}, {2, green}, {4, {}}}));
    lines.control(Kind::Out, LineControl::Column, 0);
    lines.append(Kind::Out, u"dddddd", green);
    QCOMPARE(lines.line(0).spans, QList<StyleSpan>({{0, green}}));
    lines.control(Kind::Out, LineControl::EraseLine, 1);
    QVERIFY(lines.line(0).spans.isEmpty());
}

// Nobody writes over what another said, be it the other stream or the bench.
void TestLineStore::theCursorStaysInItsOwnStream()
{
    StreamLines lines;
    const auto print = [&lines](OutputStream stream, const QByteArray &bytes) { lines.append({stream, 0, bytes}); };
    lines.lines().appendLine(Kind::Note, u"sealed"_s);
    print(OutputStream::Out, "\x1b[5Aover\n");
    print(OutputStream::Err, "warning\n\x1b[9Awarned \r");
    print(OutputStream::Out, "more\n\x1b[9Aless\n");
    print(OutputStream::Err, "\x1b[3Alast\n");
    lines.finish();
    QCOMPARE(texts(lines.lines()), QStringList({u"sealed"_s, u"over"_s, u"warned "_s, u"less"_s, u"last"_s}));
}

void TestLineStore::whatBarsLeftBlankGoesBeforeTheOtherStream()
{
    StreamLines lines;
    lines.append({OutputStream::Err, 0, "\router: 0\n\rinner: 0\x1b[A\n\r        \r\x1b[A\router: 1"});
    lines.append({OutputStream::Out, 0, "between\n"}); // the cursor is in the outer bar, above the blank line
    lines.append({OutputStream::Err, 0, "\n\router: 2\n\rinner: 0\x1b[A\n\r        \x1b[A\router: 3\n"});
    lines.append({OutputStream::Out, 0, "done\n\n"});
    lines.append({OutputStream::Err, 0, "  "}); // nobody went back over it
    lines.finish();
    QCOMPARE(texts(lines.lines()),
             QStringList({u"outer: 1"_s, u"between"_s, u"outer: 3"_s, u"done"_s, u""_s, u"  "_s}));
}

void TestLineStore::theCursorReachesAScreenUpNoMore()
{
    LineStore lines;
    for (int i = 0; i < 300; ++i)
        lines.appendLine(Kind::Out, QString::number(i));
    lines.control(Kind::Out, LineControl::Up, 9999);
    lines.append(Kind::Out, u"here", {});
    QCOMPARE(lines.line(300 - LineStore::reach).text, u"here"_s);
    QCOMPARE(lines.takeChanged(), 300 - LineStore::reach);
    QVERIFY(lines.takeChanged() > lines.end());
    lines.append(Kind::Out, QString(3 * LineStore::longestLine, u'x'), {}); // there is no room for a line more
    QCOMPARE(lines.end(), 300);
    QCOMPARE(lines.line(300 - LineStore::reach + 1).text, QString::number(301 - LineStore::reach));
    lines.control(Kind::Out, LineControl::EraseBelow, 1);
    QCOMPARE(lines.end(), 301 - LineStore::reach);
}

void TestLineStore::whatIsWrittenOverStaysBounded()
{
    QCOMPARE(printed("x\r" + QByteArray(2 * LineStore::longestLine, 'y') + "\n").join(QString()).size(),
             2 * LineStore::longestLine);
    const QStringList far = printed("a\x1b[9999G\x1b[9999Cb\n");
    QVERIFY(far.join(QString()).size() <= LineStore::longestLine);
    QVERIFY(far.join(QString()).endsWith(u'b'));
    const QByteArray marks = QByteArray("\xcc\x81").repeated(3000);
    for (const QString &line : printed("abcdef\r" + marks + "x" + marks + "y" + marks + "\n"))
        QVERIFY(line.size() <= LineStore::longestLine);
}

void TestLineStore::theLayoutFollowsTheCursor()
{
    StreamLines lines;
    OutputLayout layout;
    layout.setWrap(10);
    const auto print = [&](const QByteArray &bytes) {
        lines.append({OutputStream::Out, 0, bytes});
        layout.sync(lines.lines(), lines.lines().takeChanged());
        return rows(layout);
    };
    QCOMPARE(print("a\nb\nc\n"), QStringList({u"0.0"_s, u"1.0"_s, u"2.0"_s}));
    QCOMPARE(print("\x1b[2A0123456789wrapped"), QStringList({u"0.0"_s, u"1.0"_s, u"1.1"_s, u"2.0"_s}));
    QCOMPARE(print("\x1b[2K"), QStringList({u"0.0"_s, u"1.0"_s, u"2.0"_s}));
    QCOMPARE(print("\r\x1b[J"), QStringList({u"0.0"_s, u"1.0"_s}));
}

QTEST_APPLESS_MAIN(TestLineStore)
#include "tst_linestore.moc"
