// SPDX-License-Identifier: Apache-2.0
// kill -9 of the engine, the spawner and a run's PID 1 at each stage of the pipeline: nothing is left, nothing is lost, and the
// next run works. The engine is what the command line and the workbench have inside.
#include "engine/audit/audit.h"
#include "hurt.h"
#include "tests/support/controlgroups.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QTest>
#include <QThread>

#include <unistd.h>

#include <csignal>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

namespace {

const char *const stages[] = {"waiting", "queued", "preparing", "launched", "running", "pumping", "finishing"};

// A snippet that is still there at that stage.
QByteArray codeFor(const QByteArray &stage)
{
    if (stage == "running")
        return "echo up; sleep 100 & sleep 100";
    if (stage == "pumping")
        return "yes & yes";
    return stage == "launched" ? "sleep 100" : "true";
}

} // namespace

class TestKilled : public QObject
{
    Q_OBJECT

    // Nothing is left on the machine, and the next start knows how every run ended.
    void expectCleanRecord(Household &house, Outcome last)
    {
        QCOMPARE(house.leftBehind(Household::Cleaner::NextStart), QString());
        QVERIFY(house.startEngine());
        const auto log = AuditReader::open(house.data(u"audit.db"_s));
        QVERIFY(log);
        const Result<QList<RunRow>> runs = (*log)->runs({});
        QVERIFY(runs && !runs->isEmpty());
        for (const RunRow &run : *runs) {
            const Result<QList<StoredEntry>> entries = (*log)->entriesOf(run.run);
            QVERIFY(entries);
            QCOMPARE(entries->size(), 2);
        }
        QCOMPARE(runs->first().outcome, std::optional(last));
        house.say("run free true");
        house.say("end");
        QVERIFY(house.hear("end ").startsWith("end completed "));
        house.endEngine();
        QCOMPARE(QDir(house.data(u"engines"_s)).entryList(QDir::Files), QStringList());
        QCOMPARE(house.leftBehind(), QString());
    }

private Q_SLOTS:
    void theEngineKilledAtAnyStageLeavesNothing_data()
    {
        QTest::addColumn<QByteArray>("stage");
        for (const char *stage : stages)
            QTest::addRow("%s", stage) << QByteArray(stage);
    }
    void theEngineKilledAtAnyStageLeavesNothing()
    {
        QFETCH(QByteArray, stage);
        Household house;
        QVERIFY(house.startEngine({u"env"_s, u"GLOVEBOX_ENGINE_MAX_CONCURRENT=1"_s}));
        house.say("run " + stage + ' ' + codeFor(stage));
        QCOMPARE(house.hear("at "), "at " + stage);
        QTRY_VERIFY(house.spawner());
        house.killEngine();
        expectCleanRecord(house, Outcome::Interrupted);
    }

    void aSpawnerThatWasStoppedGoesWithItsEngine()
    {
        Household house;
        QVERIFY(house.startEngine());
        house.say("run running " + codeFor("running"));
        QCOMPARE(house.hear("at "), "at running"_ba);
        QCOMPARE(sendSignal(house.spawner(), SIGSTOP), 0);
        house.killEngine();
        expectCleanRecord(house, Outcome::Interrupted);
    }

    // The spawner removes its cgroups, the engine their folder: here neither can. systemd removes its scopes itself.
    void theNextStartRemovesTheControlGroupsOfBoth()
    {
        if (const QString &missing = controlGroups().missing; !missing.isEmpty())
            QSKIP(qPrintable(missing));
        Household house;
        QVERIFY(house.startEngine());
        house.say("run running " + codeFor("running"));
        QCOMPARE(house.hear("at "), "at running"_ba);
        const QStringList made = house.controlGroups();
        QVERIFY2(!made.filter(u"/run-"_s).isEmpty(), qPrintable(made.join(u' ')));
        const bool isScope = made.first().endsWith(u".scope"_s);
        sendSignal(house.engine(), SIGSTOP);
        sendSignal(house.spawner(), SIGKILL);
        QTRY_VERIFY(house.isEngineAlone());
        // While the engine's lock is on them: once it is gone, the next start may be that of any program of this machine.
        const QStringList left = house.controlGroups();
        QVERIFY2(isScope || !left.filter(u"/run-"_s).isEmpty(), qPrintable(left.join(u' ')));
        house.killEngine();
        QCOMPARE(house.leftBehind(Household::Cleaner::NextStart), QString()); // no process
        if (isScope)
            QTRY_COMPARE(house.controlGroups(), QStringList());
        QVERIFY(house.startEngine());
        house.say("run free true");
        house.say("end");
        QVERIFY(house.hear("end ").startsWith("end completed "));
        const auto remain = [&] {
            QStringList now = house.controlGroups();
            now.removeIf([&](const QString &group) { return !left.contains(group); });
            return now;
        };
        QTRY_COMPARE(remain(), QStringList());
        house.endEngine();
        QCOMPARE(house.leftBehind(), QString());
    }

    // Later and later, until one was killed that had a sandbox: 100 ms here, a second on a slow machine.
    void theCommandLineKilledAtAnyMomentLeavesNothing()
    {
        Household house;
        bool reached = false;
        for (unsigned long milliseconds = 1; !reached; milliseconds += 2 + milliseconds / 10) {
            QVERIFY(milliseconds < 10'000);
            QProcess program;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert(u"GLOVEBOX_HOME"_s, house.home());
            program.setProcessEnvironment(environment);
            program.start(QStringLiteral(GLOVEBOX_BIN "/glovebox"),
                          {u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"sleep 100"_s});
            QVERIFY(program.waitForStarted());
            QThread::msleep(milliseconds);
            reached = !house.inits().isEmpty();
            program.kill();
            QVERIFY(program.waitForFinished());
            QCOMPARE(house.leftBehind(Household::Cleaner::NextStart), QString());
        }
        expectCleanRecord(house, Outcome::Interrupted);
    }

    void theSpawnerKilledAtAnyStageEndsTheRunAndTheNextOneWorks_data()
    {
        QTest::addColumn<QByteArray>("stage");
        QTest::addColumn<QByteArray>("outcome");
        QTest::addRow("queued") << QByteArray("queued") << QByteArray("completed");
        QTest::addRow("preparing") << QByteArray("preparing") << QByteArray("completed"); // by another spawner
        QTest::addRow("launched") << QByteArray("launched") << QByteArray("setup_failed");
        QTest::addRow("running") << QByteArray("running") << QByteArray("interrupted");
        QTest::addRow("pumping") << QByteArray("pumping") << QByteArray("interrupted");
        QTest::addRow("finishing") << QByteArray("finishing") << QByteArray("completed");
    }
    void theSpawnerKilledAtAnyStageEndsTheRunAndTheNextOneWorks() { hurt(true); }

    void initKilledAtAnyStageEndsTheRunAndTheNextOneWorks_data()
    {
        QTest::addColumn<QByteArray>("stage");
        QTest::addColumn<QByteArray>("outcome");
        QTest::addRow("launched") << QByteArray("launched") << QByteArray("setup_failed"); // nothing ran
        for (const char *stage : {"running", "pumping"})
            QTest::addRow("%s", stage) << QByteArray(stage) << QByteArray("signalled");
    }
    void initKilledAtAnyStageEndsTheRunAndTheNextOneWorks() { hurt(false); }

private:
    void hurt(bool spawner)
    {
        QFETCH(QByteArray, stage);
        QFETCH(QByteArray, outcome);
        Household house;
        QVERIFY(house.startEngine({u"env"_s, u"GLOVEBOX_ENGINE_MAX_CONCURRENT=1"_s}));
        house.say("run free true");
        house.say("end");
        QVERIFY(house.hear("end ").startsWith("end completed "));
        const int descriptors = settledDescriptorsOf(house.engine());

        house.say("run " + stage + ' ' + codeFor(stage));
        QCOMPARE(house.hear("at "), "at " + stage);
        const QList<qint64> victims = spawner ? QList{house.spawner()} : house.inits();
        QVERIFY(!victims.isEmpty());
        for (const qint64 victim : victims)
            QCOMPARE(sendSignal(victim, SIGKILL), 0);
        for (const qint64 victim : victims)
            QTRY_VERIFY(!descendantsOf(::getpid()).contains(victim));
        if (stage == "preparing" || stage == "launched" || stage == "finishing")
            house.say("go");
        house.say("end");
        const QByteArray end = house.hear("end ");
        QVERIFY2(end.startsWith("end " + outcome + ' '), end.constData());
        QVERIFY(outcome == "completed" || end.endsWith('.')); // a sentence
        QCOMPARE(end.contains("ended from outside"), outcome == "signalled");

        house.say("run free true");
        house.say("end");
        QVERIFY(house.hear("end ").startsWith("end completed "));
        if (stage != "queued") // what filled its slot is still held there
            QTRY_COMPARE(descriptorsOf(house.engine()), descriptors);
        house.endEngine();
        expectCleanRecord(house, Outcome::Completed);
    }
};

QTEST_GUILESS_MAIN(TestKilled)
#include "tst_killed.moc"
