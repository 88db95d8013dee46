// SPDX-License-Identifier: Apache-2.0
// Files that are tables are shown as tables, whatever is in them.
#include "app/workbench/runpanel/artifacts/sheet.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSheet : public QObject
{
    Q_OBJECT

private:
    static QString shownAs(const QString &type, const QString &text, bool isCut = false)
    {
        const auto sheet = readSheet(type, text, isCut);
        if (!sheet)
            return u"none"_s;
        QStringList lines{sheet->titles.join(u'|')};
        for (const QStringList &row : sheet->rows)
            lines.append(row.join(u'|'));
        return lines.join(u" / "_s) + (sheet->isCut ? u" ..."_s : QString());
    }

private Q_SLOTS:
    void tables_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shown");
        const QString csv = u"text/csv"_s, json = u"application/json"_s;
        QTest::newRow("plain") << csv << u"a,b\n1,2\n"_s << u"a|b / 1|2"_s;
        QTest::newRow("quotes") << csv << u"a,b\r\n\"x, \"\"y\"\"\",\"1\n2\"\r\n"_s << u"a|b / x, \"y\"|1\n2"_s;
        QTest::newRow("semicolons") << csv << u"a;b\n1,5;2"_s << u"a|b / 1,5|2"_s;
        QTest::newRow("uneven") << csv << u"a\n1,2,3\n\n4"_s << u"a|| / 1|2|3 / 4||"_s;
        QTest::newRow("open quote") << csv << u"a,b\n\"x,y\nz"_s << u"a|b / x,y\nz|"_s;
        QTest::newRow("empty") << csv << QString() << u"none"_s;
        QTest::newRow("tabs") << u"text/tab-separated-values"_s << u"a\tb\n1\t2"_s << u"a|b / 1|2"_s;
        QTest::newRow("records") << json << uR"([{"b":1,"a":"x"},{"c":[1,null]}])"_s << u"a|b|c / x|1| / ||[1,null]"_s;
        QTest::newRow("lists") << json << uR"([[1,2],["x",true,1.5]])"_s << u"1|2|3 / 1|2| / x|true|1.5"_s;
        QTest::newRow("mixed") << json << uR"([1,{"a":2}])"_s << u"none"_s;
        QTest::newRow("object") << json << uR"({"a":2})"_s << u"none"_s;
        QTest::newRow("broken") << json << u"[{"_s << u"none"_s;
        QTest::newRow("no records") << json << u"[]"_s << u"none"_s;
        QTest::newRow("text") << u"text/plain"_s << u"a,b"_s << u"none"_s;
    }
    void tables()
    {
        QFETCH(QString, type);
        QFETCH(QString, text);
        QFETCH(QString, shown);
        QCOMPARE(shownAs(type, text), shown);
    }

    void halfARowIsLeftOut()
    {
        QCOMPARE(shownAs(u"text/csv"_s, u"a,b\n1,2\n3,"_s, true), u"a|b / 1|2 ..."_s);
        QCOMPARE(shownAs(u"application/json"_s, u"[[1],[2"_s, true), u"none"_s);
    }

    // Also what a parser would lose: keys that come twice, their order, and digits.
    void jsonIsLaidOutAsItIs()
    {
        QCOMPARE(laidOutJson(u"{ \"b\":[1,12345678901234567890, {} ],\"a\":\"x, \\\"] {\",\"b\":1e400,\"c\":[]}"_s),
                 u"{\n  \"b\": [\n    1,\n    12345678901234567890,\n    {}\n  ],\n  \"a\": \"x, \\\"] {\",\n"
                 "  \"b\": 1e400,\n  \"c\": []\n}"_s);
        QVERIFY(laidOutJson(QString(1000, u'[') + u"1"_s + QString(1000, u']')).size() < 100'000);
        QCOMPARE(shownAs(u"application/json"_s, u"[[1234567890123456789,0.1]]"_s), u"1|2 / 1234567890123456789|0.1"_s);
    }

    void whatIsTooMuchIsCut()
    {
        QString rows = u"a\n"_s;
        for (int i = 0; i < 1500; ++i)
            rows += u"1\n"_s;
        const auto many = readSheet(u"text/csv"_s, rows, false);
        QVERIFY(many && many->isCut);
        QCOMPARE(many->rows.size(), 1000);
        const auto wide = readSheet(u"text/csv"_s, QString(5000, u','), false);
        QVERIFY(wide && wide->isCut);
        QCOMPARE(wide->titles.size(), 100);
        const auto longCell = readSheet(u"text/csv"_s, QString(5000, u'x'), false);
        QVERIFY(longCell);
        QCOMPARE(longCell->titles.value(0).size(), 500);
    }
};

QTEST_GUILESS_MAIN(TestSheet)
#include "tst_sheet.moc"
