// SPDX-License-Identifier: Apache-2.0
// No processes, no descriptors and no disk left; many runs at once, and very many in a row: every run ends with an outcome
// and a sentence, nothing is left, and once there is room again the next one works.
//
// GLOVEBOX_TEST_FAULT_RUNS sets how many run in a row (default 150).
#include "hurt.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTest>

#include <unistd.h>

using namespace glovebox::test;
using namespace Qt::StringLiterals;

namespace {

// The soft limit of another process; by somebody with its user id, since root may lack CAP_SYS_RESOURCE.
void setLimit(qint64 pid, const QString &resource, const QString &soft)
{
    QStringList command{u"prlimit"_s, u"--pid"_s, QString::number(pid), u"--%1=%2:"_s.arg(resource, soft)};
    if (::geteuid() == 0) {
        const QFileInfo owner(u"/proc/%1"_s.arg(pid));
        command = QStringList{u"setpriv"_s, u"--clear-groups"_s, u"--regid=%1"_s.arg(owner.groupId()),
                              u"--reuid=%1"_s.arg(owner.ownerId())}
                  + command;
    }
    QCOMPARE(QProcess::execute(command.takeFirst(), command), 0);
}

QString softLimit(qint64 pid, const QByteArray &name)
{
    QFile file(u"/proc/%1/limits"_s.arg(pid));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QByteArray limits = file.readAll();
    return QString::fromLatin1(limits.mid(limits.indexOf(name) + name.size()).simplified().split(' ').first());
}

// With a small file system of its own as data folder: in a mount namespace, for an ordinary user with a user namespace around it.
QStringList onSmallDisk(const QString &folder)
{
    const QString mount = u"mount -t tmpfs -o size=2M,mode=700 tmpfs \"$0\" && "_s;
    if (::geteuid() == 0)
        return {u"unshare"_s, u"--mount"_s, u"sh"_s, u"-c"_s, mount + u"exec \"$@\""_s, folder};
    const QString back = u"exec unshare --user --map-user=%1 --map-group=%2 \"$@\""_s.arg(::getuid()).arg(::getgid());
    return {u"unshare"_s, u"--user"_s, u"--map-root-user"_s, u"--mount"_s, u"sh"_s, u"-c"_s, mount + back, folder};
}

int numberAfter(const QByteArray &line, const QString &word)
{
    return QRegularExpression(word + u"[ =](\\d+)"_s).match(QString::fromUtf8(line)).captured(1).toInt();
}

} // namespace

class TestExhausted : public QObject
{
    Q_OBJECT

    void expectRun(Household &house, const QByteArray &outcome)
    {
        house.say("run free true");
        house.say("end");
        const QByteArray end = house.hear("end ");
        QVERIFY2(end.startsWith("end " + outcome + ' '), end.constData());
        QVERIFY2(outcome == "completed" || end.endsWith('.'), end.constData());
    }

private Q_SLOTS:
    void withoutProcessesARunFailsWithASentence()
    {
        Household house;
        QVERIFY(house.startEngine());
        expectRun(house, "completed");
        const QString before = softLimit(house.spawner(), "Max processes");
        setLimit(house.spawner(), u"nproc"_s, u"0"_s);
        house.say("run free true"); // may find a sandbox that was made ahead
        house.say("end");
        house.hear("end ");
        expectRun(house, "setup_failed");
        expectRun(house, "setup_failed");
        setLimit(house.spawner(), u"nproc"_s, before);
        expectRun(house, "completed");
        house.endEngine();
        QCOMPARE(house.leftBehind(), QString());
    }

    // At each step another open() or accept() is the one that fails.
    void withoutDescriptorsARunFailsWithASentence_data()
    {
        QTest::addColumn<bool>("spawner");
        QTest::addColumn<QList<int>>("limits");
        QList<int> low;
        for (int limit = 4; limit < 40; ++limit)
            low.append(limit);
        QTest::addRow("engine") << false << low;
        // What becomes PID 1 arranges its own from 64 on.
        QTest::addRow("spawner") << true
                                 << QList{4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 63, 64, 65, 66, 67, 68, 69, 70, 80};
    }
    void withoutDescriptorsARunFailsWithASentence()
    {
#ifdef __SANITIZE_ADDRESS__
        QSKIP("UndefinedBehaviorSanitizer looks at an object by a pipe of its own, for which there is no descriptor.");
#endif
        QFETCH(bool, spawner);
        QFETCH(QList<int>, limits);
        Household house;
        QVERIFY(house.startEngine());
        expectRun(house, "completed");
        const qint64 victim = spawner ? house.spawner() : house.engine();
        const int open = settledDescriptorsOf(victim);
        const QString before = softLimit(victim, "Max open files");
        int failed = 0;
        int completed = 0;
        for (const int limit : limits) {
            setLimit(victim, u"nofile"_s, QString::number(limit));
            house.say("run free true");
            house.say("end");
            const QByteArray end = house.hear("end ");
            QVERIFY2(end.startsWith("end "), qPrintable(u"nothing was heard with a limit of %1"_s.arg(limit)));
            const bool whole = end.startsWith("end completed ");
            QVERIFY2(whole || (end.startsWith("end setup_failed ") && end.endsWith('.')), end.constData());
            QVERIFY2(!end.contains("ermission"), end.constData()); // nothing is wrong with those
            ++(whole ? completed : failed);
        }
        qInfo("%d failed, %d completed", failed, completed);
        QVERIFY(failed > 0);
        QVERIFY(completed > 0);
        setLimit(victim, u"nofile"_s, before);
        expectRun(house, "completed");
        QTRY_COMPARE(descriptorsOf(victim), open);
        house.endEngine();
        QCOMPARE(house.leftBehind(), QString());
    }

    void onAFullDiskNothingRunsThatCannotBeRecorded()
    {
        Household house;
        QVERIFY(QDir().mkpath(house.data()));
        QVERIFY(house.startEngine(onSmallDisk(house.data())));
        expectRun(house, "completed");
        // From here the engine's data folder is reached through its root directory.
        const QString disk = u"/proc/%1/root"_s.arg(house.engine()) + house.data();
        QFile filling(disk + u"filling"_s);
        QVERIFY2(filling.open(QIODevice::WriteOnly | QIODevice::Unbuffered), qPrintable(filling.errorString()));
        while (filling.write(QByteArray(4096, 'x')) == 4096) { }
        expectRun(house, "setup_failed");
        expectRun(house, "setup_failed");
        QVERIFY(filling.remove());
        expectRun(house, "completed");
        house.say("record");
        QCOMPARE(house.hear("record"), "record completed completed"); // what could not be accepted did not run
        house.endEngine();
        QCOMPARE(house.leftBehind(), QString());
    }

    void thirtyTwoRunsAtOnce()
    {
        Household house;
        QVERIFY(house.startEngine({u"env"_s, u"GLOVEBOX_ENGINE_MAX_CONCURRENT=32"_s}));
        expectRun(house, "completed");
        const int descriptors = settledDescriptorsOf(house.engine());
        const int spawnerDescriptors = settledDescriptorsOf(house.spawner());
        house.say("many 64 32");
        const QByteArray line = house.hear("many ");
        QVERIFY2(line.startsWith("many completed=64 rss "), line.constData());
        QTRY_COMPARE(descriptorsOf(house.engine()), descriptors);
        QTRY_COMPARE(descriptorsOf(house.spawner()), spawnerDescriptors);
        house.endEngine();
        QCOMPARE(house.leftBehind(), QString());
    }

    void manyRunsInARowKeepMemoryFlat()
    {
        const int asked = qEnvironmentVariableIntValue("GLOVEBOX_TEST_FAULT_RUNS");
        const int count = asked > 0 ? asked : 150;
        constexpr int steps = 5;
        Household house;
        QVERIFY(house.startEngine());
        QElapsedTimer timer;
        timer.start();
        QList<int> memory;
        QList<qint64> spawnerMemory;
        QList<int> descriptors;
        for (int step = 0; step < steps; ++step) {
            house.say("many " + QByteArray::number(count / steps) + " 2");
            const QByteArray line = house.hear("many ");
            QCOMPARE(numberAfter(line, u"completed"_s), count / steps);
            memory.append(numberAfter(line, u"rss"_s));
            descriptors.append(settledDescriptorsOf(house.engine()));
            spawnerMemory.append(residentKibOf(house.spawner()));
            qInfo("%6.1f s: %s spawner %lld", double(timer.elapsed()) / 1000, line.constData(), spawnerMemory.last());
        }
        // Caches fill in the first hundreds (2 MiB of SQLite's); ten times as many runs add nothing.
#ifndef __SANITIZE_THREAD__ // ThreadSanitizer remembers accesses, for each thread anew
        QVERIFY2(memory.last() - memory.first() < 4096, "the engine's memory grows");
#endif
        QVERIFY2(spawnerMemory.last() - spawnerMemory.first() < 256, "the spawner's memory grows");
        QCOMPARE(descriptors.last(), descriptors.first());
        house.endEngine();
        QCOMPARE(house.leftBehind(), QString());
    }
};

QTEST_GUILESS_MAIN(TestExhausted)
#include "tst_exhausted.moc"
