// SPDX-License-Identifier: Apache-2.0
// Where the disk of the log takes its time, a person at a terminal is told what the command waits for, and nobody else is.
#include "desk.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSlowDisk : public QObject
{
    Q_OBJECT

private:
    static constexpr QByteArrayView notice = "glovebox: Waiting for a slow disk: Glovebox keeps its log in ";

private Q_SLOTS:
    void init() { qputenv("LD_PRELOAD", GLOVEBOX_SLOW_DISK); } // of the programs that are started
    void cleanup() { qunsetenv("LD_PRELOAD"); }

    void whoWaitsIsTold_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("notices");
        const QString code = u"printf begun"_s; // whose line doesn't end
        QTest::newRow("a run") << QStringList{u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, code} << 2; // before and after
        QTest::newRow("a session") << QStringList{u"session"_s, u"create"_s, u"--name"_s, u"shop"_s} << 1;
        QTest::newRow("quiet") << QStringList{u"run"_s, u"--quiet"_s, u"-l"_s, u"sh"_s, u"-c"_s, code} << 0;
        QTest::newRow("JSON") << QStringList{u"run"_s, u"--json"_s, u"-l"_s, u"sh"_s, u"-c"_s, code} << 0;
    }
    void whoWaitsIsTold()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, notices);
        const Home home;
        Desk desk(home, arguments);
        QCOMPARE(desk.status(), 0);
        QCOMPARE(desk.seen.count(notice), notices);
        for (qsizetype at = desk.seen.indexOf(notice); at >= 0; at = desk.seen.indexOf(notice, at + 1))
            QVERIFY2(at == 0 || desk.seen[at - 1] == '\n', desk.seen); // a line of its own
        QVERIFY2(notices == 0 || desk.seen.contains(home.path().toUtf8() + "/data"), desk.seen);
    }

    // Nothing waits for a second: nothing is said.
    void aQuickDiskIsNotTold()
    {
        qunsetenv("LD_PRELOAD");
        qputenv("TMPDIR", "/dev/shm"); // whatever the disk does meanwhile
        const Home home;
        qunsetenv("TMPDIR");
        Desk desk(home, {u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"sleep 2"_s});
        QCOMPARE(desk.status(), 0);
        QVERIFY2(!desk.seen.contains("slow disk"), desk.seen);
    }

    void scriptsAreNotTold()
    {
        const Home home;
        const Ended ended = home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"echo x"_s});
        QCOMPARE(ended.out, "x\n");
        QCOMPARE(ended.err, "");
    }
};

QTEST_GUILESS_MAIN(TestSlowDisk)
#include "tst_slowdisk.moc"
