// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/runpanel/output/sourceplaces.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSourcePlaces : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void messagesOfInterpretersNamePlaces_data();
    void messagesOfInterpretersNamePlaces();
    void otherFilesAreNoPlaces_data();
    void otherFilesAreNoPlaces();
    void headlinesAreToldFromTheRest();
};

void TestSourcePlaces::messagesOfInterpretersNamePlaces_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("clicked");
    QTest::addColumn<int>("line");
    QTest::addColumn<int>("column");
    QTest::newRow("python") << u"  File \"/work/main.py\", line 12, in <module>"_s << u"\"/work/main.py\", line 12"_s
                            << 12 << 0;
    QTest::newRow("python, relative") << u"  File \"main.py\", line 3"_s << u"\"main.py\", line 3"_s << 3 << 0;
    QTest::newRow("node, headline") << u"/work/main.js:7"_s << u"/work/main.js:7"_s << 7 << 0;
    QTest::newRow("node, frame") << u"    at f (/work/main.js:2:9)"_s << u"/work/main.js:2:9"_s << 2 << 9;
    QTest::newRow("node, module") << u"    at file:///work/main.mjs:5:1"_s << u"file:///work/main.mjs:5:1"_s << 5 << 1;
    QTest::newRow("bash") << u"main.sh: line 4: nope: command not found"_s << u"main.sh: line 4"_s << 4 << 0;
    QTest::newRow("bash, substitution") << u"main.sh: command substitution: line 9: syntax error"_s
                                        << u"main.sh: command substitution: line 9"_s << 9 << 0;
    QTest::newRow("dash") << u"main.sh: 4: nope: not found"_s << u"main.sh: 4"_s << 4 << 0;
}

void TestSourcePlaces::messagesOfInterpretersNamePlaces()
{
    QFETCH(QString, text);
    QFETCH(QString, clicked);
    QFETCH(int, line);
    QFETCH(int, column);
    const QList<SourcePlace> places = findSourcePlaces(text);
    QCOMPARE(places.size(), 1);
    QCOMPARE(text.mid(places[0].start, places[0].length), clicked);
    QCOMPARE(places[0].line, line);
    QCOMPARE(places[0].column, column);
}

void TestSourcePlaces::otherFilesAreNoPlaces_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("library") << u"  File \"/usr/lib/python3.11/json/__init__.py\", line 293, in load"_s;
    QTest::newRow("other folder") << u"  File \"/tmp/main.py\", line 1"_s;
    QTest::newRow("longer name") << u"    at /work/domain.js:3:1"_s;
    QTest::newRow("prose") << u"see main.py for more"_s;
    QTest::newRow("line 0") << u"main.sh: line 0: x"_s;
    QTest::newRow("number too long") << u"/work/main.js:99999999999"_s;
}

void TestSourcePlaces::otherFilesAreNoPlaces()
{
    QFETCH(QString, text);
    for (const SourcePlace &place : findSourcePlaces(text))
        QFAIL(qPrintable(u"found line %1"_s.arg(place.line)));
}

void TestSourcePlaces::headlinesAreToldFromTheRest()
{
    for (const QString &headline : {u"Traceback (most recent call last):"_s, u"ValueError: no"_s,
                                    u"KeyboardInterrupt"_s, u"urllib.error.URLError: <x>"_s, u"TypeError [ERR_X]: y"_s,
                                    u"Uncaught Error: z"_s, u"main.sh: line 4: nope: command not found"_s})
        QVERIFY2(isErrorHeadline(headline), qPrintable(headline));
    for (const QString &other :
         {u"  File \"/work/main.py\", line 12"_s, u"    raise ValueError(1)"_s, u"warning: old"_s, u"Errors: 0"_s})
        QVERIFY2(!isErrorHeadline(other), qPrintable(other));
}

QTEST_APPLESS_MAIN(TestSourcePlaces)
#include "tst_sourceplaces.moc"
