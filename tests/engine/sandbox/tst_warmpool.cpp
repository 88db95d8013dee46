// SPDX-License-Identifier: Apache-2.0
// Sandboxes that are built ahead, for real: they hold nothing of the person's, serve once, and are gone when they should be.
#include "insiders.h"
#include "sealed.h"

#include "engine/sandbox/native/native.h"

#include "tests/support/controlgroups.h"
#include "tests/support/signals.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <set>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

constexpr int patienceMs = 20'000; // other work may keep the machine busy

// Bash in the place of an interpreter with a driver: says that it is ready, waits for its job, runs the code.
SealedSpec driverSpec(const QByteArray &script, const QByteArray &beforeReady = {})
{
    SealedSpec spec = shellSpec(script);
    spec.shape.argv = {"/bin/bash", "/run/glovebox/driver"};
    spec.shape.supportFiles = {
        {"driver", beforeReady + "\necho >&3; read -r job <&3 || exit 1; exec 3<&-; . ./main.sh\n"}};
    spec.shape.hasDriver = true;
    spec.assignment.job = "go\n";
    spec.assignment.mayBeWarm = true;
    return spec;
}

} // namespace

class TestWarmPool : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Backend> m_backend;

    void start(WarmLimits limits = {}, bool leaves = true)
    {
        if (!limits.memoryIsLow)
            limits.memoryIsLow = [] { return false; }; // whatever else this machine is doing
        m_backend = makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), u"warm"_s,
                                      {.only = builderUnderTest(), .leaves = leaves});
        m_backend->keepWarm(limits);
    }

    // Once cold, then until as many wait.
    bool warmUp(const SealedSpec &spec, int waiting = 2)
    {
        m_backend->expect(spec.shape);
        return QTest::qWaitFor([&] { return m_backend->waiting() == waiting; }, patienceMs);
    }

    // Started and not looked after: for what goes on inside.
    std::unique_ptr<SealedProcess> started(const SealedSpec &spec)
    {
        auto process = launchIn(*m_backend, spec);
        return process && (*process)->start() ? *std::move(process) : nullptr;
    }

    bool isWarm(const SealedSpec &spec)
    {
        const auto process = launchIn(*m_backend, spec);
        return process && (*process)->isWarm();
    }

    static QByteArray said(const Result<SealedOutcome> &r)
    {
        return r ? r->out + r->err + r->end.notStarted.english().toUtf8() : r.error().message.english().toUtf8();
    }

private Q_SLOTS:
    void cleanup() { m_backend.reset(); }

    void theSecondRunOfAShapeIsServedByASandboxThatWaits_data()
    {
        QTest::addColumn<bool>("leaves");
        QTest::newRow("counted by cgroups, where there are some") << true;
        QTest::newRow("watched") << false;
    }

    void theSecondRunOfAShapeIsServedByASandboxThatWaits()
    {
        QFETCH(bool, leaves);
        start({}, leaves);
        auto first = launchIn(*m_backend, driverSpec("exit 0"));
        QVERIFY(first);
        QVERIFY(!(*first)->isWarm());
        const QList<Control> cold = (*first)->controls();
        first->reset();
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 2, patienceMs);
        auto second = launchIn(*m_backend, driverSpec("exit 0"));
        QVERIFY(second);
        QVERIFY((*second)->isWarm());
        QCOMPARE((*second)->controls(), cold);
    }

    void itRunsTheCodeThatItIsGiven()
    {
        start();
        SealedSpec spec = driverSpec("cat other; cat; echo err >&2; exit 3");
        spec.assignment.files.append(InnerFile{"other", "content\n"});
        QVERIFY(warmUp(spec));
        const Result<SealedOutcome> r = runSealed(*m_backend, spec, "input\n");
        QCOMPARE(said(r), "content\ninput\nerr\n");
        QCOMPARE(r->end.exitCode, std::optional(3));
        QCOMPARE(r->end.usage.processes, std::optional<qint64>(3)); // bash, twice cat
    }

    void aShellWithoutDriverWaitsSealedAndGetsItsArguments()
    {
        start();
        SealedSpec spec = shellSpec("echo $1");
        spec.assignment.mayBeWarm = true;
        QVERIFY(warmUp(spec));
        QCOMPARE(insiders().size(), 2); // nothing is started yet
        spec.assignment.arguments = {"a b"};
        QCOMPARE(said(runSealed(*m_backend, spec)), "a b\n");
    }

    void nothingOfThePersonIsInsideBefore()
    {
        const QByteArray marker = "person-" + QByteArray::number(::getpid()) + "-said";
        qputenv("GLOVEBOX_TEST_PERSON", marker);
        start();
        SealedSpec spec = driverSpec("read -r line; mark=" + marker + "; echo $mark; read -r line");
        spec.assignment.files.append(InnerFile{marker, marker});
        spec.assignment.arguments = {marker};
        spec.assignment.job = marker + '\n';
        QVERIFY(started(spec)); // the shape comes from a run that has all of it
        QVERIFY(warmUp(spec));
        QTRY_COMPARE_WITH_TIMEOUT(insiders().size(), 4, patienceMs); // the first one is gone
        qint64 looked = 0;
        QCOMPARE(placeOf(marker, looked), QByteArray());
        if (!mayReadMemoryInUserNamespaces())
            QSKIP("This user may not read the memory of a process in a user namespace.");
        QVERIFY2(looked > 1'000'000, QByteArray::number(looked));
        const auto process = started(spec);
        QVERIFY(process && process->isWarm());
        QTRY_VERIFY_WITH_TIMEOUT(!placeOf(marker, looked).isEmpty(), patienceMs); // it would have been found
        qunsetenv("GLOVEBOX_TEST_PERSON");
    }

    void noneServesTwice()
    {
        start();
        std::set<QByteArray> seen;
        for (int i = 0; i < 6; ++i) {
            const SealedSpec spec =
                driverSpec("ls -A /work /tmp /dev/shm; touch /work/x /tmp/x /dev/shm/x; setsid sleep 99 &");
            QVERIFY(warmUp(spec));
            const QList<qint64> before = insiders();
            const Result<SealedOutcome> r = runSealed(*m_backend, spec);
            QCOMPARE(said(r), "/dev/shm:\n\n/tmp:\n\n/work:\nmain.sh\n");
            qsizetype left = 0;
            for (const qint64 pid : before)
                left += isAlive(pid) ? 1 : 0;
            QCOMPARE(left, before.size() / 2); // of two that waited one is gone with all that was in it
        }
    }

    void timeIsCountedFromTheAssignment()
    {
        start();
        SealedSpec spec = driverSpec("sleep 0.2");
        spec.assignment.wall = std::chrono::milliseconds(1000);
        QVERIFY(warmUp(spec));
        QTest::qWait(1200);
        Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY2(r && r->end.exitCode == 0, said(r));
        spec.assignment.files = {{"main.sh", "while :; do :; done"}};
        QVERIFY(m_backend->waiting() > 0);
        QElapsedTimer timer;
        timer.start();
        r = runSealed(*m_backend, spec);
        QVERIFY(r && r->end.atDeadline);
        QVERIFY2(timer.elapsed() >= 1000 && timer.elapsed() < 1250, qPrintable(QString::number(timer.elapsed())));
    }

    void processorTimeBeforeTheAssignmentIsNotThePersons()
    {
        start();
        SealedSpec spec = driverSpec("exit 0", "for ((i = 0; i < 300000; ++i)); do :; done");
        QVERIFY(warmUp(spec));
        Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r && r->end.usage.cpu);
        QVERIFY2(*r->end.usage.cpu < std::chrono::milliseconds(100),
                 qPrintable(QString::number(r->end.usage.cpu->count())));
        spec.assignment.mayBeWarm = false;
        r = runSealed(*m_backend, spec);
        QVERIFY(r && *r->end.usage.cpu > std::chrono::milliseconds(200)); // else the line above proves nothing
    }

    void anotherShapeStartsCold_data()
    {
        QTest::addColumn<int>("what");
        int what = 0;
        for (const char *name : {"memory", "processes", "disk", "environment", "program", "driver", "processor time",
                                 "granted folder", "wanted"})
            QTest::newRow(name) << what++;
    }

    void anotherShapeStartsCold()
    {
        QFETCH(int, what);
        start();
        SealedSpec spec = driverSpec("exit 0");
        QVERIFY(warmUp(spec));
        SandboxLimits &limits = spec.shape.limits;
        switch (what) {
        case 0:
            limits.memoryBytes += mebibyte;
            break;
        case 1:
            ++limits.processes;
            break;
        case 2:
            spec.shape.workspace.bytes -= mebibyte;
            break;
        case 3:
            spec.shape.environment.append("A=b");
            break;
        case 4:
            spec.shape.argv.append("x");
            break;
        case 5:
            spec.shape.supportFiles.first().content.append("\n");
            break;
        case 6:
            limits.cpu = std::chrono::seconds(5);
            break;
        case 7:
            QCOMPARE(qHash(spec.shape),
                     qHash(driverSpec("exit 0").shape)); // the same shape, but it can't be built ahead
            spec.assignment.granted = {*openFolder({u"/usr/share"_s, u"/mnt/x"_s}, {})};
            break;
        default:
            spec.assignment.mayBeWarm = false;
            break;
        }
        if (what < 7)
            QVERIFY(spec.shape != driverSpec("exit 0").shape);
        QVERIFY(!isWarm(spec));
        QVERIFY(isWarm(driverSpec("exit 0")));
    }

    void itIsThrownAwayWhenItsInterpreterChanges()
    {
        const QTemporaryDir folder(u"/var/tmp/glovebox-warm-XXXXXX"_s);
        QVERIFY(QFile::setPermissions(folder.path(), QFile::Permissions(0x7755)));
        const QString program = folder.filePath(u"bash"_s);
        QVERIFY(QFile::copy(u"/bin/bash"_s, program));
        start();
        SealedSpec spec = driverSpec("exit 0");
        spec.shape.argv.first() = program.toUtf8();
        spec.shape.folders = {folder.path()};
        QVERIFY(warmUp(spec));
        const QList<qint64> old = insiders();
        QVERIFY(QFile::rename(program, program + u".old"_s) && QFile::copy(u"/bin/bash"_s, program));
        QVERIFY(!isWarm(spec));
        for (const qint64 pid : old)
            QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), patienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 2, patienceMs); // of the new one
        QVERIFY(isWarm(spec));
        QVERIFY(QFile::rename(program + u".old"_s, program + u".older"_s)); // nobody runs anything
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 0, patienceMs);
    }

    void aLimitThatChangedMeanwhileIsNoticed()
    {
        start();
        QCOMPARE(m_backend->builder(),
                 u"direct"_s); // bwrap's mounts can't be entered like this; what notices is the same
        const SealedSpec spec = driverSpec("echo ran");
        QVERIFY(warmUp(spec));
        for (const qint64 pid : insiders()) {
            if (nameOf(pid) == "glovebox-init") // which nobody of this user may enter
                continue;
            QVERIFY(enlargesTheDisk(pid));
        }
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QVERIFY2(!r->end.notStarted.isEmpty() && r->out.isEmpty(), said(r));
    }

    void whatWasChangedAboutItsCgroupMeanwhileIsRefused_data()
    {
        QTest::addColumn<QByteArray>("control");
        for (const char *control : {"memory", "processes", "cpu-share", "place"})
            QTest::newRow(control) << QByteArray(control);
    }

    void whatWasChangedAboutItsCgroupMeanwhileIsRefused()
    {
        QFETCH(QByteArray, control);
        const test::ControlGroups &machine = test::controlGroups();
        if (const QString &why = control == "cpu-share" ? machine.shareMissing : machine.missing; !why.isEmpty())
            QSKIP(qPrintable(why));
        start();
        SealedSpec spec = driverSpec("touch /work/ran; echo ran");
        spec.shape.limits.cpuPercent = 80;
        QVERIFY(warmUp(spec));
        const Result<SealedOutcome> untouched = runSealed(*m_backend, spec);
        QCOMPARE(said(untouched), "ran\n");
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 2, patienceMs);
        int changed = 0;
        for (const QString &leaf : leaves())
            changed += change(leaf, control) ? 1 : 0;
        QVERIFY(changed >= 2); // as many as wait
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY2(!r, said(r));
        const QString message = r.error().message.english();
        QVERIFY2(message.startsWith(u"Nothing was run: these protections could not be verified: "_s),
                 qPrintable(message));
        QVERIFY2(message.contains(control == "place" ? u"not in its cgroup"_s : QString::fromUtf8(control) + u" ("_s),
                 qPrintable(message));
    }

    void noneWaitsWhenMemoryIsLow()
    {
        std::atomic<bool> low = false;
        WarmLimits limits;
        limits.memoryIsLow = [&] { return low.load(); };
        start(limits);
        const SealedSpec spec = driverSpec("exit 0");
        QVERIFY(warmUp(spec));
        low = true;
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 0, patienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(insiders().isEmpty(), patienceMs);
        QVERIFY(runSealed(*m_backend, spec)); // cold, and none is built
        QTest::qWait(500);
        QVERIFY(insiders().isEmpty());
        low = false;
        QVERIFY(runSealed(*m_backend, spec));
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 2, patienceMs);
        m_backend.reset(); // before low goes
    }

    void noneWaitsForEver()
    {
        start({.idle = std::chrono::milliseconds(500)});
        QVERIFY(warmUp(driverSpec("exit 0")));
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 0, patienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(insiders().isEmpty(), patienceMs);
    }

    void thereAreNeverMoreThanAllowed_data()
    {
        QTest::addColumn<int>("most");
        QTest::addColumn<qint64>("mostBytes");
        QTest::newRow("in number") << 3 << 100 * 1024 * mebibyte;
        QTest::newRow("in memory") << 100 << 800 * mebibyte;
        QTest::newRow("one at a time") << 1 << 1024 * mebibyte;
    }

    void thereAreNeverMoreThanAllowed()
    {
        QFETCH(int, most);
        QFETCH(qint64, mostBytes);
        const int expected = std::min<int>(most, int(mostBytes / (250 * mebibyte)));
        start({.most = most, .mostBytes = mostBytes});
        int largest = 0;
        for (int i = 0; i < 4; ++i) {
            SealedSpec spec = driverSpec("exit 0");
            spec.shape.limits.memoryBytes = (250 + i) * mebibyte;
            m_backend->expect(spec.shape);
            QElapsedTimer unchanged;
            int last = 0;
            const auto settled = [&] {
                if (const int now = m_backend->waiting(); now != last) {
                    last = now;
                    unchanged.start();
                }
                largest = std::max(largest, last);
                return last > 0 && unchanged.elapsed() >= 500;
            };
            QVERIFY(QTest::qWaitFor(settled, patienceMs));
            QVERIFY(QTest::qWaitFor([&] { return isWarm(spec); },
                                    patienceMs)); // the latest has the right, when it is there
        }
        QVERIFY2(largest <= expected && largest > 0, qPrintable(QString::number(largest)));
    }

    void oneThatDiedIsNotGivenToAnybody()
    {
        start();
        const SealedSpec spec = driverSpec("echo ran");
        QVERIFY(warmUp(spec));
        for (const qint64 pid : insiders()) {
            if (nameOf(pid) == "bash")
                sendSignal(pid, SIGKILL);
        }
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 0, patienceMs);
        QCOMPARE(said(runSealed(*m_backend, spec)), "ran\n");
    }

    void theyGoWithTheSpawnerAndAnotherOneComes()
    {
        start();
        const SealedSpec spec = driverSpec("echo ran");
        QVERIFY(warmUp(spec));
        const QList<qint64> old = insiders();
        sendSignal(spawnerOf(), SIGKILL);
        for (const qint64 pid : old)
            QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), 1000);
        QCOMPARE(said(runSealed(*m_backend, spec)), "ran\n");
        QTRY_COMPARE_WITH_TIMEOUT(m_backend->waiting(), 2, patienceMs);
    }

    void oneThatWasAssignedCanBeKilled()
    {
        start();
        const SealedSpec spec = driverSpec("trap '' INT TERM; setsid sleep 60 & while :; do sleep 1; done");
        QVERIFY(warmUp(spec));
        auto process = started(spec);
        QVERIFY(process && process->isWarm());
        const QList<qint64> inside = insiders();
        process.reset();
        m_backend->shutdown();
        for (const qint64 pid : inside)
            QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), 1000);
    }

    void shutdownLeavesNothing()
    {
        start();
        QVERIFY(warmUp(driverSpec("exit 0")));
        m_backend->shutdown();
        QCOMPARE(m_backend->waiting(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(descendantsOf(::getpid()), QList<qint64>(), 1000);
        QVERIFY(!launchIn(*m_backend, driverSpec("exit 0")));
    }

    void shutdownWhileOneIsBuiltLeavesNothing()
    {
        for (int i = 0; i < 10; ++i) {
            start();
            m_backend->expect(driverSpec("exit 0", "sleep 0.05").shape);
            QTest::qWait(i * 8);
            m_backend->shutdown();
            QTRY_COMPARE_WITH_TIMEOUT(descendantsOf(::getpid()), QList<qint64>(), 1000);
        }
    }

    // This program again, killed while sandboxes wait in it.
    void theyGoWithTheEngineHoweverItEnds()
    {
        QProcess holder;
        holder.start(QCoreApplication::applicationFilePath(), {u"hold"_s});
        QVERIFY(holder.waitForReadyRead(patienceMs));
        const QList<qint64> inside = descendantsOf(holder.processId());
        QVERIFY2(inside.size() >= 5,
                 qPrintable(QString::number(inside.size()))); // the spawner, and two of each sandbox
        holder.kill();
        holder.waitForFinished();
        for (const qint64 pid : inside)
            QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), 1000);
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    if (argc == 2 && std::strcmp(argv[1], "hold") == 0) {
        const auto backend = backendUnderTest(u"hold"_s);
        backend->keepWarm({.memoryIsLow = [] { return false; }});
        backend->expect(driverSpec("exit 0").shape);
        while (backend->waiting() < 2)
            ::usleep(10'000);
        std::puts("ready");
        std::fflush(stdout);
        ::pause();
    }
    TestWarmPool test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_warmpool.moc"
