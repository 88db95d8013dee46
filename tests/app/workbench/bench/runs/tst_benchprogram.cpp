// SPDX-License-Identifier: Apache-2.0
// The real program, driven by the keys of a real keyboard, judged by what is on record; with a kill -9 in the middle.
#include "tests/app/workbench/desk/startedworkbench.h"
#include "tests/app/workbench/history/biglog.h"

#include "engine/engine.h"

#include <QDirIterator>
#include <QTemporaryDir>
#include <QtTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

QList<RunRow> runsOnRecord(const QString &home)
{
    const auto reader = AuditReader::open(home + u"/data/audit.db"_s);
    return reader ? (*reader)->runs({}).value_or(QList<RunRow>()) : QList<RunRow>();
}

QList<RunRow> finishedRuns(const QString &home)
{
    QList<RunRow> finished = runsOnRecord(home);
    finished.removeIf([](const RunRow &row) { return row.finishedSeq <= 0; });
    return finished;
}

bool isStashed(const QString &home, const QByteArray &text)
{
    QDirIterator files(home, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (file.fileName().contains(u"stash"_s) && file.open(QIODevice::ReadOnly) && file.readAll().contains(text))
            return true;
    }
    return false;
}

} // namespace

class TestBenchProgram : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void whatWasTypedRunsAndIsBackAfterAKill();
    void yesterdaysRunIsFoundAndRunAgain();
};

void TestBenchProgram::whatWasTypedRunsAndIsBackAfterAKill()
{
    QTemporaryDir home;
    {
        StartedWorkbench workbench(home.path());
        QVERIFY(workbench.isReady());
        QVERIFY(xdotool({u"type"_s, u"--delay"_s, u"20"_s, u"print(input())"_s}));
        QVERIFY(xdotool({u"key"_s, u"ctrl+Return"_s}));
        QTRY_COMPARE_WITH_TIMEOUT(runsOnRecord(home.path()).size(), 1, 20'000);
        QVERIFY(workbench.comesToRest());
        QVERIFY(xdotool({u"key"_s, u"ctrl+i"_s}));
        QVERIFY(xdotool({u"type"_s, u"--delay"_s, u"20"_s, u"hello"_s}));
        QVERIFY(xdotool({u"key"_s, u"Return"_s}));
        QTRY_COMPARE_WITH_TIMEOUT(finishedRuns(home.path()).size(), 1, 20'000);
        QCOMPARE(finishedRuns(home.path()).first().firstLine, u"print(input())"_s);
        QVERIFY(finishedRuns(home.path()).first().outcome == Outcome::Completed);
        QTRY_VERIFY_WITH_TIMEOUT(isStashed(home.path(), "print(input())"), 20'000);
        workbench.kill();
    }
    StartedWorkbench again(home.path());
    QVERIFY(again.isReady());
    // The same code, without typing it again; no input this time: it is stopped.
    QVERIFY(xdotool({u"key"_s, u"ctrl+Return"_s}));
    QTRY_COMPARE_WITH_TIMEOUT(runsOnRecord(home.path()).size(), 2, 20'000);
    QVERIFY(xdotool({u"key"_s, u"ctrl+period"_s}));
    QTRY_COMPARE_WITH_TIMEOUT(finishedRuns(home.path()).size(), 2, 20'000);
    QCOMPARE(finishedRuns(home.path()).first().firstLine, u"print(input())"_s);
    QVERIFY(finishedRuns(home.path()).first().outcome == Outcome::Cancelled);
    QVERIFY(finishedRuns(home.path()).first().callerKind == Caller::Kind::Workbench);
}

void TestBenchProgram::yesterdaysRunIsFoundAndRunAgain()
{
    QTemporaryDir home;
    qputenv("GLOVEBOX_HOME", home.path().toLocal8Bit());
    for (const auto &code : {u"print('the needle')"_s, u"print('hay')"_s, u"print('more hay')"_s})
        QCOMPARE(QProcess::execute(QStringLiteral(GLOVEBOX_BIN "/glovebox"), {u"run"_s, u"-c"_s, code}), 0);
    qunsetenv("GLOVEBOX_HOME");
    execute(home.path() + u"/data/audit.db"_s, "UPDATE runs SET time_us = time_us - 86400000000");
    StartedWorkbench workbench(home.path());
    QVERIFY(workbench.isReady());
    QVERIFY(xdotool({u"key"_s, u"ctrl+2"_s}) && workbench.comesToRest());
    QVERIFY(xdotool({u"key"_s, u"ctrl+f"_s}));
    QVERIFY(xdotool({u"type"_s, u"--delay"_s, u"20"_s, u"needle"_s}) && workbench.comesToRest());
    QVERIFY(xdotool({u"key"_s, u"Down"_s}));
    QVERIFY(xdotool({u"key"_s, u"Down"_s}) && workbench.comesToRest());
    QVERIFY(xdotool({u"key"_s, u"ctrl+Return"_s}));
    QTRY_COMPARE_WITH_TIMEOUT(finishedRuns(home.path()).size(), 4, 20'000);
    const RunRow again = finishedRuns(home.path()).first();
    QCOMPARE(again.firstLine, u"print('the needle')"_s);
    QVERIFY(again.callerKind == Caller::Kind::Workbench);
    QVERIFY(again.outcome == Outcome::Completed);
}

QTEST_GUILESS_MAIN(TestBenchProgram)
#include "tst_benchprogram.moc"
