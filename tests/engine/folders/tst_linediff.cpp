// SPDX-License-Identifier: Apache-2.0
// The difference of two texts: as short as it can be, whole, and quick also for texts that have nothing in common.
#include "engine/folders/folders.h"

#include <QElapsedTimer>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestLineDiff : public QObject
{
    Q_OBJECT

private:
    static QString told(const QString &before, const QString &after, int context = 0)
    {
        QStringList lines;
        for (const DiffLine &line : lineDiff(before, after, context))
            lines.append(u" -+."_s.at(int(line.kind)) + line.text);
        return lines.join(u',');
    }

private Q_SLOTS:
    void lines_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::addColumn<QString>("says");
        QTest::newRow("new") << u""_s << u"a\nb\n"_s << u"+a,+b"_s;
        QTest::newRow("gone") << u"a\nb\n"_s << u""_s << u"-a,-b"_s;
        QTest::newRow("same") << u"a\nb\n"_s << u"a\nb\n"_s << u"."_s;
        QTest::newRow("middle") << u"a\nb\nc\n"_s << u"a\nx\nc\n"_s << u".,-b,+x,."_s;
        QTest::newRow("shortest") << u"a\nb\nc\na\nb\nb\na\n"_s << u"c\nb\na\nb\na\nc\n"_s << u"-a,-b,.,+b,.,-b,.,+c"_s;
    }

    void lines()
    {
        QFETCH(QString, before);
        QFETCH(QString, after);
        QFETCH(QString, says);
        QCOMPARE(told(before, after), says);
    }

    void aFewLinesAroundAreShown()
    {
        QCOMPARE(told(u"1\n2\n3\n4\n5\n6\n7\n"_s, u"1\n2\n3\nx\n5\n6\n7\n"_s, 1),
                 u".,  3,-4,+x, 5,."_s.replace(u"  "_s, u" "_s));
    }

    void removedComesBeforeAddedAtOnePlace()
    {
        QCOMPARE(told(u"a\nb\nc\nx\n"_s, u"1\n2\n3\nx\n"_s), u"-a,-b,-c,+1,+2,+3,."_s);
    }

    void linesHaveTheirNumbersInBoth()
    {
        QStringList numbers;
        for (const DiffLine &line : lineDiff(u"1\n2\n3\n4\n5\n"_s, u"1\n2\nx\ny\n4\n5\n"_s, 1))
            numbers << u"%1/%2"_s.arg(line.before).arg(line.after);
        QCOMPARE(numbers.join(u' '), u"1/1 2/2 3/0 0/3 0/4 4/5 5/6"_s);
    }

    void aLastLineWithoutALineEndIsAnother()
    {
        QCOMPARE(told(u"a\nb"_s, u"a\nb"_s), u"."_s);
        const QList<DiffLine> lines = lineDiff(u"a\nb"_s, u"a\nb\n"_s, 0);
        QCOMPARE(lines.size(), 3);
        QCOMPARE(lines[1].text, u"b"_s);
        QCOMPARE(lines[2].text, u"b"_s);
        QVERIFY(lines[1].kind == DiffLine::Kind::Removed && lines[1].isOpen);
        QVERIFY(lines[2].kind == DiffLine::Kind::Added && !lines[2].isOpen);
        QCOMPARE(told(u"a\nb"_s, u"a\nb\nc"_s), u".,-b,+b,+c"_s);
    }

    void aHunkHasItsPlace()
    {
        const QList<DiffLine> lines = lineDiff(u"1\n2\n3\n4\n5\n"_s, u"1\n2\nx\ny\n4\n5\n"_s, 1);
        QCOMPARE(lines[0].kind, DiffLine::Kind::Gap);
        QCOMPARE(hunkAt(lines, 0), std::nullopt);
        QCOMPARE(hunkAt(lines, 1), (HunkPlace{2, 3, 2, 4}));
        QCOMPARE(hunkAt(lines, 2), std::nullopt);
        QCOMPARE(hunkAt(lineDiff({}, u"a\n"_s), 0), (HunkPlace{0, 0, 1, 1}));
    }

    void wordsThatAreDifferentAreMarked()
    {
        const auto marked = [](const QString &before, const QString &after) {
            QStringList words;
            for (const DiffLine &line : lineDiff(before, after)) {
                for (const auto &[from, length] : line.words)
                    words << u" -+"_s.at(int(line.kind)) + line.text.mid(from, length);
            }
            return words.join(u',');
        };
        QCOMPARE(marked(u"let total = one(a, b);"_s, u"let total = two(a, bb);"_s), u"-one,-b,+two,+bb"_s);
        QCOMPARE(marked(u"return;"_s, u"def f(x): pass"_s), QString()); // nothing in common
        QCOMPARE(marked(u"a bcd\nc def\n"_s, u"a xyz\nc uvw\n"_s), QString()); // half a letter is too little to go by
        QCOMPARE(marked(u"alpha b\ngamma d\n"_s, u"alpha x\ngamma y\n"_s), u"-b,-d,+x,+y"_s);
    }

    void nothingInCommonIsQuick()
    {
        QString before;
        QString after;
        for (int i = 0; i < 50'000; ++i) {
            before += u"before %1\n"_s.arg(i);
            after += u"after %1\n"_s.arg(i);
        }
        QElapsedTimer time;
        time.start();
        QCOMPARE(lineDiff(before, after).size(), 100'000);
        QVERIFY2(time.elapsed() < 5000, qPrintable(QString::number(time.elapsed())));
    }
};

QTEST_GUILESS_MAIN(TestLineDiff)
#include "tst_linediff.moc"
