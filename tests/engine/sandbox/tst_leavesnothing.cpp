// SPDX-License-Identifier: Apache-2.0
// A run that is dropped, cancelled or killed at any moment, or that loses its spawner, leaves no process.
#include "sealed.h"
#include "tests/support/signals.h"
#include "tests/support/trappedcalls.h"

#include <QFile>
#include <QTest>

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;

// What makes a process, gives it another program or namespace, or ties it to its parent; and the eight bytes with which bwrap
// lets its child go on.
static const std::vector<test::FailingCall> buildingCalls = {
    {.number = SYS_clone},
    {.number = SYS_clone3},
    {.number = SYS_execve},
    {.number = SYS_execveat},
    {.number = SYS_unshare},
    {.number = SYS_pivot_root},
    {.number = SYS_prctl, .argument = 0, .value = PR_SET_PDEATHSIG},
    {.number = SYS_write, .argument = 2, .value = 8},
};

// The child of this program from which the process descends; 0 for none, as with a thread of its own.
static qint64 childOnTheWayTo(qint64 process)
{
    while (process > 0 && parentOf(process) != ::getpid())
        process = parentOf(process);
    return process;
}

static QString commandNameOf(qint64 process)
{
    QFile name(u"/proc/%1/comm"_s.arg(process));
    return name.open(QIODevice::ReadOnly) ? QString::fromLatin1(name.readAll()).trimmed() : QString();
}

// Waits for that: a hundred sandboxes are taken away, beside other work. Not QTRY_COMPARE, which looks once more after what it waited
// for: what the spawner makes ahead is busy while it is made.
static bool onlyTheSpawnerIsBusy()
{
    return QTest::qWaitFor([] { return busyProcesses().size() == 1; }, 20'000);
}

class TestLeavesNothing : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // Each test counts from nothing.
    void init() { QTRY_COMPARE(descendantsOf(::getpid()), QList<qint64>()); }

    void leavesNothingWhenTheHandleIsDropped()
    {
        const auto backend = backendUnderTest(u"drop"_s);
        {
            Result<std::unique_ptr<SealedProcess>> process = launchIn(*backend, shellSpec("sleep 60"));
            QVERIFY(process);
            QVERIFY((*process)->start());
        }
        QVERIFY(onlyTheSpawnerIsBusy());
        backend->shutdown();
        QTRY_COMPARE(descendantsOf(::getpid()), QList<qint64>());
    }

    void leavesNothingWhenCancelledAtAnyMomentOfBuilding()
    {
        const auto backend = backendUnderTest(u"cancel"_s);
        QVERIFY(runSealed(*backend, shellSpec("")));
        QVERIFY(onlyTheSpawnerIsBusy());
        for (int delay = 0; delay < 12'000; delay += 100) {
            std::stop_source stop;
            const std::jthread canceller([&] {
                std::this_thread::sleep_for(std::chrono::microseconds(delay));
                stop.request_stop();
            });
            static_cast<void>(launchIn(*backend, shellSpec("sleep 60"), stop.get_token()));
        }
        QVERIFY(onlyTheSpawnerIsBusy());
        QTRY_VERIFY(descendantsOf(::getpid()).size() <= 2); // and what the spawner made ahead
    }

    void leavesNothingWhenShutDownAtAnyMomentOfBuilding()
    {
        QCOMPARE(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0); // what loses its parent is seen below us
        for (int delay = 0; delay < 12'000; delay += 300) {
            std::stop_source stop;
            const auto backend = backendUnderTest(u"shutdown"_s);
            QVERIFY(launchIn(*backend, shellSpec("")));
            const std::jthread canceller([&] {
                std::this_thread::sleep_for(std::chrono::microseconds(delay));
                stop.request_stop();
            });
            static_cast<void>(launchIn(*backend, shellSpec("sleep 60"), stop.get_token()));
            backend->shutdown(); // at once: the spawner has no time to look after what it killed
        }
        QTRY_COMPARE(descendantsOf(::getpid()), QList<qint64>());
        QCOMPARE(::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0), 0);
    }

    void leavesNothingWhenTheSpawnerIsKilledAtAnyMomentOfBuilding()
    {
        QCOMPARE(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0); // what loses its parent is seen below us
        for (int delay = 0; delay < 12'000; delay += 300) {
            const QList<qint64> before = descendantsOf(::getpid());
            const auto backend = backendUnderTest(u"stages"_s);
            const auto ready = launchIn(*backend, shellSpec(""));
            QVERIFY(ready);
            QList<qint64> started = descendantsOf(::getpid());
            started.removeIf([&](qint64 pid) { return before.contains(pid); });
            const std::jthread killer([&] {
                std::this_thread::sleep_for(std::chrono::microseconds(delay));
                sendSignal(started.first(), SIGKILL);
            });
            static_cast<void>(launchIn(*backend, shellSpec("sleep 60")));
        }
        QTRY_COMPARE(descendantsOf(::getpid()), QList<qint64>());
        QCOMPARE(::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0), 0);
    }

    // Moments that a delay hardly ever meets.
    void leavesNothingWhenKilledAtAnyCallOfBuilding_data()
    {
        QTest::addColumn<int>("generations"); // from the process that makes the call up to the one that is killed
        QTest::newRow("its spawner") << -1;
        QTest::newRow("its parent") << 1;
        QTest::newRow("the process itself") << 0;
    }

    void leavesNothingWhenKilledAtAnyCallOfBuilding()
    {
        QFETCH(const int, generations);
        QFile yama(u"/proc/sys/kernel/yama/ptrace_scope"_s);
        if (builderUnderTest() == NativeBuilder::Bubblewrap && yama.open(QIODevice::ReadOnly)
            && yama.readAll().toInt() > 1)
            QSKIP("kernel.yama.ptrace_scope lets nobody trace his own children");
        QSet<QString> tried;
        for (qsizetype before = -1; before < tried.size();) {
            before = tried.size();
            std::promise<test::StoppedCalls> stopped;
            const std::jthread engine([&stopped] {
                stopped.set_value(test::StoppedCalls(buildingCalls));
                const auto backend = backendUnderTest(u"calls"_s);
                static_cast<void>(launchIn(*backend, shellSpec("sleep 60")));
            });
            test::StoppedCalls building = stopped.get_future().get();
            QHash<QString, int> made;
            QString moment;
            while (const std::optional<test::StoppedCalls::Made> call = building.next(10'000)) {
                const qint64 spawner = childOnTheWayTo(call->process);
                const QString name = u"%1, call %2"_s.arg(commandNameOf(call->process)).arg(call->number);
                const QString now = u"%1, %2"_s.arg(name).arg(++made[name]);
                if (spawner > 0 && moment.isEmpty() && !tried.contains(now)) {
                    moment = now;
                    tried.insert(now);
                    const qint64 killed = generations < 0    ? spawner
                                          : generations == 0 ? call->process
                                                             : parentOf(call->process);
                    if (killed != ::getpid()) {
                        sendSignal(killed, SIGKILL);
                        QTRY_VERIFY(!isAlive(killed));
                    }
                }
                building.letGo(*call);
            }
            QVERIFY2(building.isOver(), qPrintable(u"killed at: "_s + moment)); // nobody lives who could make a call
        }
        QVERIFY(tried.size() >= 5);
    }

    void endsWithTheProcessThatLooksAfterIt()
    {
        const auto backend = backendUnderTest(u"outer"_s);
        QVERIFY(runSealed(*backend, shellSpec("")));
        const QList<qint64> before = busyProcesses();
        Result<std::unique_ptr<SealedProcess>> process =
            launchIn(*backend, shellSpec("echo begun; sleep 60 & sleep 60"));
        QVERIFY(process);
        const UniqueFd out = (*process)->takeStdout();
        QVERIFY((*process)->start());
        QVERIFY(waitUntilReadable(**process, out.get())); // a run that is killed earlier has not started
        QList<qint64> run = busyProcesses();
        run.removeIf([&](qint64 pid) { return before.contains(pid); });
        QVERIFY(!run.isEmpty());
        sendSignal(run.first(), SIGKILL); // PID 1 or bwrap
        const SandboxEnd end = endOf(**process);
        QVERIFY2(end.signal == SIGKILL, qPrintable(end.lost.english()));
        for (qint64 pid : run)
            QVERIFY2(!isAlive(pid), qPrintable(QString::number(pid))); // the end is told when all are gone
    }

    // Whether Go still goes out, to be read by nobody, or is refused: the spawner, woken by Started, sees the end meanwhile.
    void whatIsKilledBeforeItsCodeBeginsHasNotStarted()
    {
        const auto backend = backendUnderTest(u"early"_s);
        QVERIFY(runSealed(*backend, shellSpec("")));
        const QList<qint64> before = busyProcesses();
        Result<std::unique_ptr<SealedProcess>> process = launchIn(*backend, shellSpec("echo ran"));
        QVERIFY(process);
        QList<qint64> run = busyProcesses();
        run.removeIf([&](qint64 pid) { return before.contains(pid); });
        QVERIFY(!run.isEmpty());
        const auto spawner = static_cast<pid_t>(parentOf(run.first()));
        QVERIFY(before.contains(spawner));
        sendSignal(spawner, SIGSTOP);
        sendSignal(run.first(), SIGKILL); // PID 1 or bwrap
        for (qint64 pid : run)
            QTRY_VERIFY(!isAlive(pid));
        const Status started = (*process)->start();
        sendSignal(spawner, SIGCONT);
        const SandboxEnd end = started ? endOf(**process) : SandboxEnd{.notStarted = started.error().message};
        QCOMPARE(end.notStarted.english(), u"The sandbox ended before the code was started."_s);
        QVERIFY(!end.signal && !end.killedFromOutside);
    }

    void takesTheRunsAlongWhenTheSpawnerIsKilled()
    {
        const auto backend = backendUnderTest(u"kill"_s);
        const QList<qint64> before = descendantsOf(::getpid());
        Result<std::unique_ptr<SealedProcess>> process = launchIn(*backend, shellSpec("sleep 60 & sleep 60"));
        QVERIFY(process);
        QVERIFY((*process)->start());
        qint64 spawner = 0;
        const QList<qint64> now = descendantsOf(::getpid());
        for (qint64 pid : now) {
            QFile comm(u"/proc/%1/comm"_s.arg(pid));
            if (!before.contains(pid) && comm.open(QIODevice::ReadOnly) && comm.readAll().startsWith("glovebox-spawn"))
                spawner = pid;
        }
        QVERIFY(spawner > 0);
        const QList<qint64> runs = descendantsOf(spawner);
        QVERIFY(!runs.isEmpty());
        sendSignal(spawner, SIGKILL);
        QVERIFY(!endOf(**process).lost.isEmpty());
        for (qint64 pid : runs)
            QTRY_VERIFY(!isAlive(pid));
        process->reset();
        // and the next run starts a new one
        const Result<SealedOutcome> r = runSealed(*backend, shellSpec("echo again"));
        QVERIFY(r);
        QCOMPARE(r->out, "again\n");
    }
};

QTEST_GUILESS_MAIN(TestLeavesNothing)
#include "tst_leavesnothing.moc"
