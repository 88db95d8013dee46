// SPDX-License-Identifier: Apache-2.0
// What a run may use up, all of its processes together: each limit with the best that this machine gives (a cgroup) and with
// what is left without one (limits of each process and a watchdog).
#include "tests/engine/sandbox/sealed.h"

#include "engine/sandbox/native/native.h"

#include "tests/support/controlgroups.h"

#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QScopeGuard>
#include <QTest>

#include <unistd.h>

#include <algorithm>
#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestLimits : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Backend> m_counted = backendUnderTest(u"limits"_s);
    std::unique_ptr<Backend> m_watched = makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), u"watched"_s,
                                                           {.only = builderUnderTest(), .leaves = false});
    const QString m_missing = test::controlGroups().missing; // empty: the machine gives cgroups

    static Control controlOf(const QList<Control> &controls, ControlId id)
    {
        const auto found = std::ranges::find(controls, id, &Control::id);
        return found == controls.end() ? Control() : *found;
    }

    static void eachWay()
    {
        QTest::addColumn<bool>("counted");
        QTest::newRow("cgroup") << true;
        QTest::newRow("watchdog") << false;
    }

    Backend &backend(bool counted) { return counted ? *m_counted : *m_watched; }

private Q_SLOTS:
    void initTestCase()
    {
        const Result<SealedOutcome> r = runSealed(*m_counted, shellSpec(""));
        QVERIFY2(r, qPrintable(r ? QString() : r.error().message.english() + r.error().detail.english()));
        if (m_missing.isEmpty())
            QVERIFY2(controlOf(r->controls, ControlId::Memory).detail.english().contains(u"cgroup"),
                     qPrintable(controlOf(r->controls, ControlId::Memory).detail.english()));
    }

    void saysWhoCounts()
    {
        SealedSpec spec = shellSpec("exit 0");
        spec.shape.limits.cpu = std::chrono::seconds(5);
        const Result<SealedOutcome> watched = runSealed(*m_watched, spec);
        QVERIFY2(watched, qPrintable(watched ? QString()
                                             : watched.error().message.english() + watched.error().detail.english()));
        QCOMPARE(toString(controlOf(watched->controls, ControlId::Memory).state), u"degraded"_s);
        QVERIFY2(controlOf(watched->controls, ControlId::Memory).detail.english().contains(u" MB; all together"_s),
                 qPrintable(controlOf(watched->controls, ControlId::Memory).detail.english()));
        QCOMPARE(toString(controlOf(watched->controls, ControlId::CpuTime).state), u"degraded"_s);
        QCOMPARE(toString(controlOf(watched->controls, ControlId::Processes).state), u"verified"_s);
        QVERIFY(watched->end.usage.source == UsageSource::Rusage); // it was over before anybody looked
        if (!m_missing.isEmpty())
            QSKIP(qPrintable(m_missing));
        const Result<SealedOutcome> counted = runSealed(*m_counted, spec);
        QVERIFY(counted);
        const Control memory = controlOf(counted->controls, ControlId::Memory);
        QCOMPARE(toString(memory.state), u"verified"_s);
        QVERIFY2(memory.detail.english().startsWith(u"memory and files together: 512 MB, cgroup v"_s)
                     && memory.detail.english().endsWith(u"; processes alone: 256 MB, by a look 25 times a second"_s),
                 qPrintable(memory.detail.english()));
        QCOMPARE(toString(controlOf(counted->controls, ControlId::CpuTime).state), u"verified"_s);
        QCOMPARE(toString(controlOf(counted->controls, ControlId::Processes).state), u"verified"_s);
        QVERIFY(counted->end.usage.source >= UsageSource::Cgroup1);
        QVERIFY(counted->end.usage.cpu.value_or(std::chrono::microseconds(0)).count() > 0);
        QVERIFY(counted->end.usage.peakMemoryBytes.value_or(0) > 100'000);
    }

    void strictRefusesWhatIsOnlyWatched()
    {
        SealedSpec spec = shellSpec("echo ran");
        spec.shape.strict = true;
        const Result<SealedOutcome> r = runSealed(*m_watched, spec);
        QVERIFY(!r);
        QVERIFY2(r.error().detail.english().contains(u"memory ("_s), qPrintable(r.error().detail.english()));
    }

    void endsWhatNeedsTooMuchMemory_data()
    {
        QTest::addColumn<bool>("counted");
        QTest::addColumn<QByteArray>("code");
        const QByteArray hold = "import os, time\n"
                                "def hold():\n"
                                "    b = bytearray(90_000_000)\n"
                                "    for i in range(0, len(b), 4096): b[i] = 1\n"
                                "    time.sleep(20)\n";
        for (const bool counted : {true, false}) {
            const char *who = counted ? "cgroup" : "watchdog";
            QTest::addRow("%s: many processes", who)
                << counted << hold + "for _ in range(12):\n    if os.fork() == 0:\n        hold()\ntime.sleep(20)\n";
            QTest::addRow("%s: processes and files", who)
                << counted
                << hold
                       + "open('/dev/shm/x', 'wb').write(bytes(90_000_000))\nopen('/tmp/x', "
                         "'wb').write(bytes(90_000_000))\n"
                         "for _ in range(5):\n    if os.fork() == 0:\n        hold()\ntime.sleep(20)\n";
        }
        QTest::addRow("cgroup: one heap") << true << QByteArray("b = []\nwhile True: b.append(b'x' * 10_000_000)\n");
        QTest::addRow("cgroup: files without a name")
            << true
            << QByteArray("import os\nfor _ in range(6):\n    fd = os.memfd_create('x')\n"
                          "    for _ in range(200): os.write(fd, bytes(1 << 20))\n");
        QTest::addRow("cgroup: shared memory")
            << true
            << QByteArray("import mmap\nm = mmap.mmap(-1, 1 << 30)\nfor i in range(0, 1 << 30, 4096): m[i] = 1\n");
    }

    void endsWhatNeedsTooMuchMemory()
    {
        QFETCH(bool, counted);
        QFETCH(QByteArray, code);
        if (counted && !m_missing.isEmpty())
            QSKIP(qPrintable(m_missing));
        const Result<SealedOutcome> r = runSealed(backend(counted), pythonSpec(code));
        QVERIFY(r);
        QVERIFY2(r->end.outOfMemory, r->out + r->err);
        QVERIFY(!r->end.atDeadline);
        QVERIFY2(r->end.usage.peakMemoryBytes.value_or(0) > 250'000'000,
                 qPrintable(QString::number(r->end.usage.peakMemoryBytes.value_or(0))));
        QVERIFY(counted ? r->end.usage.source >= UsageSource::Cgroup1 : r->end.usage.source == UsageSource::Watchdog);
    }

    void theLimitOfMemoryIsThatOfProcesses_data()
    {
        QTest::addColumn<bool>("counted");
        QTest::addColumn<QByteArray>("code");
        // Well below what memory and files may be together.
        const QByteArray touch = "import mmap, os, time\n"
                                 "def hold(size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS):\n"
                                 "    m = mmap.mmap(-1, size, flags)\n"
                                 "    for i in range(0, size, 4096): m[i] = 1\n"
                                 "    return m\n";
        for (const bool counted : {true, false}) {
            const char *who = counted ? "cgroup" : "watchdog";
            QTest::addRow("%s: of two", who) << counted << touch + "os.fork()\nkept = hold(60 << 20)\ntime.sleep(5)\n";
            QTest::addRow("%s: shared by two", who)
                << counted
                << touch
                       + "kept = [hold(60 << 20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)]\nos.fork()\n"
                         "kept.append(hold(30 << 20))\ntime.sleep(5)\n";
        }
        QTest::addRow("cgroup: files without a name")
            << true
            << QByteArray("import os, time\nfd = os.memfd_create('x')\nos.posix_fallocate(fd, 0, 120 << 20)\n"
                          "time.sleep(5)\n");
    }

    void theLimitOfMemoryIsThatOfProcesses()
    {
        QFETCH(bool, counted);
        QFETCH(QByteArray, code);
        if (counted && !m_missing.isEmpty())
            QSKIP(qPrintable(m_missing));
        SealedSpec spec = pythonSpec(code);
        spec.shape.limits.memoryBytes = 100 * mebibyte;
        const Result<SealedOutcome> r = runSealed(backend(counted), spec);
        QVERIFY(r);
        QVERIFY2(r->end.outOfMemory && r->end.memoryAlone, r->out + r->err);
        QVERIFY2(r->end.usage.peakMemoryBytes.value_or(0) < 330 * mebibyte,
                 qPrintable(QString::number(r->end.usage.peakMemoryBytes.value_or(0))));
    }

    void filesAreNotTakenForMemory_data() { eachWay(); }

    void memoryIsLookedAtTwentyFiveTimesASecond_data() { eachWay(); }
    // The spawner sleeps between two looks, and has nothing else to wake up for.
    void memoryIsLookedAtTwentyFiveTimesASecond()
    {
        QFETCH(bool, counted);
        if (counted && !m_missing.isEmpty())
            QSKIP(qPrintable(m_missing));
        const auto process = launchIn(backend(counted), shellSpec("echo up; exec sleep 20"));
        QVERIFY(process && (*process)->start());
        const UniqueFd out = (*process)->takeStdout();
        QVERIFY(waitUntilReadable(**process, out.get()));
        qint64 spawner = (*process)->hostProcess();
        const auto statusOf = [&spawner] {
            QFile file(u"/proc/%1/status"_s.arg(spawner));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        while (!statusOf().startsWith("Name:\tglovebox-spawne")) {
            spawner = parentOf(spawner);
            QVERIFY(spawner > 1);
        }
        const auto sleeps = [&statusOf] {
            const QByteArray status = statusOf();
            const QByteArray name = "\nvoluntary_ctxt_switches:";
            return status.mid(status.indexOf(name) + name.size()).split('\n').first().trimmed().toInt();
        };
        QElapsedTimer clock;
        clock.start();
        const int before = sleeps();
        QTest::qSleep(3000);
        const double each = double(sleeps() - before) * 1000 / double(clock.elapsed());
        QVERIFY2(each > 23, qPrintable(QString::number(each))); // a machine under load comes late now and then
        QVERIFY2(each < 60, qPrintable(QString::number(each))); // else it wakes for something else
    }

    void filesAreNotTakenForMemory()
    {
        QFETCH(bool, counted);
        if (counted && !m_missing.isEmpty())
            QSKIP(qPrintable(m_missing));
        // One of them is mapped, too, and others of the host's are read.
        SealedSpec spec =
            pythonSpec("import glob, mmap, os, time\n"
                       "for name in 'work', 'tmp', 'dev/shm':\n"
                       "    with open(f'/{name}/x', 'wb') as f: f.writelines(bytes(1 << 20) for _ in range(60))\n"
                       "f = open('/dev/shm/x', 'r+b')\n"
                       "m = mmap.mmap(f.fileno(), 30 << 20)\n"
                       "for i in range(0, len(m), 4096): m[i] = 1\n"
                       "for name in glob.glob('/usr/lib/*/*.so')[:400]:\n"
                       "    try: open(name, 'rb').read(1 << 20)\n"
                       "    except OSError: pass\n"
                       "time.sleep(0.3)\n"
                       "os.unlink('/tmp/x')\n"
                       "time.sleep(0.2)\n"
                       "print('fine')\n");
        spec.shape.limits.memoryBytes = 100 * mebibyte;
        const Result<SealedOutcome> r = runSealed(backend(counted), spec);
        QVERIFY(r);
        QVERIFY2(!r->end.outOfMemory && r->out == "fine\n", r->out + r->err);
    }

    // 2 GB at a limit of 512 MB, where nobody bounds it (cgroup v1 doesn't count it as memory).
    void whatSocketsHoldIsBoundedToo()
    {
        if (!m_missing.isEmpty())
            QSKIP(qPrintable(m_missing));
        const QByteArray code = "import socket\n"
                                "listener = socket.create_server(('127.0.0.1', 0))\n"
                                "held, total = [], 0\n"
                                "try:\n"
                                "    while True:\n"
                                "        a = socket.create_connection(listener.getsockname())\n"
                                "        b, _ = listener.accept()\n"
                                "        held += [a, b]\n"
                                "        for s in (a, b):\n"
                                "            s.setblocking(False)\n"
                                "            try:\n"
                                "                while True: total += s.send(bytes(65536))\n"
                                "            except BlockingIOError: pass\n"
                                "except OSError: pass\n"
                                "print(len(held), total)\n";
        const Result<SealedOutcome> r = runSealed(*m_counted, pythonSpec(code));
        QVERIFY(r);
        if (r->end.outOfMemory)
            return; // v2 counts it
        const QList<QByteArray> said = r->out.trimmed().split(' ');
        QVERIFY2(said.size() == 2 && said.at(0).toInt() > 100, r->out + r->err);
        QVERIFY2(said.at(1).toLongLong() < 600'000'000, r->out);
    }

    void hugePagesThatTheMachineKeepsReadyAreNotHad_data() { eachWay(); }

    void hugePagesThatTheMachineKeepsReadyAreNotHad()
    {
        QFETCH(bool, counted);
        if (counted && !m_missing.isEmpty())
            QSKIP(qPrintable(m_missing));
        // Root keeps some ready for the time of this test. Else the machine has none, and gives these answers by itself.
        const auto keepReady = [](const QByteArray &number) {
            QFile file(u"/proc/sys/vm/nr_hugepages"_s);
            return file.open(QIODevice::WriteOnly) && file.write(number) > 0 && file.flush();
        };
        QFile file(u"/proc/sys/vm/nr_hugepages"_s);
        const QByteArray before = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("0");
        const bool isKept = ::geteuid() == 0 && keepReady("32");
        const auto restore = qScopeGuard([&] { static_cast<void>(isKept && keepReady(before)); });
        SealedSpec spec =
            pythonSpec("import ctypes, errno\n"
                       "libc = ctypes.CDLL(None, use_errno=True)\n"
                       "libc.mmap.restype = ctypes.c_void_p\n"
                       "libc.mmap.argtypes = [ctypes.c_void_p] + 5 * [ctypes.c_long]\n"
                       "size = 40 << 20\n"
                       "at = libc.mmap(None, size, 3, 0x40022, -1, 0)\n"
                       "print(errno.errorcode.get(ctypes.get_errno()))\n"
                       "if at != 2 ** 64 - 1: ctypes.memset(at, 1, size); print('had')\n"
                       "print(libc.memfd_create(b'x', 4), libc.shmget(0, ctypes.c_size_t(size), 0o5600))\n");
        const Result<SealedOutcome> r = runSealed(backend(counted), spec);
        QVERIFY(r);
        QCOMPARE(r->out + r->err, "ENOMEM\n-1 -1\n");
    }

    void boundsAForkBomb_data() { eachWay(); }

    void boundsAForkBomb()
    {
        QFETCH(bool, counted);
        if (counted && !m_missing.isEmpty())
            QSKIP(qPrintable(m_missing));
        SealedSpec spec = pythonSpec("import os, time\n"
                                     "made = 0\n"
                                     "for _ in range(300):\n"
                                     "    try:\n"
                                     "        if os.fork() == 0:\n            time.sleep(20)\n"
                                     "        made += 1\n"
                                     "    except OSError:\n        pass\n"
                                     "time.sleep(0.2)\n"
                                     "print(made)\n");
        spec.shape.limits.processes = 20;
        const Result<SealedOutcome> r = runSealed(backend(counted), spec);
        QVERIFY(r);
        QCOMPARE(r->out, "18\n"); // besides the shell and the first Python
        if (counted)
            QCOMPARE(r->end.refusedProcesses, 282);
        // Both at most once, and nobody was started who was refused.
        QCOMPARE(r->end.hadAllProcesses, !counted);
        QCOMPARE(r->end.usage.processes, std::optional<qint64>(20));
    }

    void countsTheProcessorTimeOfAllProcesses_data() { eachWay(); }

    void countsTheProcessorTimeOfAllProcesses()
    {
        QFETCH(bool, counted);
        if (counted && !m_missing.isEmpty())
            QSKIP(qPrintable(m_missing));
        // None of them alone gets to the limit of a process before all of them together are far beyond theirs.
        SealedSpec spec = shellSpec("for i in 1 2 3 4 5 6 7 8; do while :; do :; done & done; wait");
        spec.shape.limits.cpu = std::chrono::seconds(1);
        const Result<SealedOutcome> r = runSealed(backend(counted), spec);
        QVERIFY(r);
        QVERIFY(r->end.cpuExhausted);
        const auto cpu = r->end.usage.cpu.value_or(std::chrono::microseconds(0));
        QVERIFY2(cpu >= std::chrono::milliseconds(900) && cpu < std::chrono::milliseconds(counted ? 1300 : 3000),
                 qPrintable(QString::number(cpu.count())));
    }

    void boundsTheShareOfTheProcessors_data()
    {
        QTest::addColumn<bool>("counted");
        QTest::addColumn<int>("percent");
        QTest::newRow("cgroup: half of one") << true << 50;
        QTest::newRow("cgroup: one") << true << 100;
        QTest::newRow("watchdog: one") << false << 100;
    }

    void boundsTheShareOfTheProcessors()
    {
        QFETCH(bool, counted);
        QFETCH(int, percent);
        if (const QString &why = test::controlGroups().shareMissing; counted && !why.isEmpty())
            QSKIP(qPrintable(why));
        SealedSpec spec = pythonSpec("import os, time\n"
                                     "try:\n    os.sched_setaffinity(0, range(os.cpu_count()))\n"
                                     "except PermissionError:\n    print('refused', flush=True)\n"
                                     "if os.fork() == 0:\n    os.fork()\n"
                                     "end = time.monotonic() + 1\n"
                                     "while time.monotonic() < end: pass\n"
                                     "while True:\n"
                                     "    try: os.wait()\n"
                                     "    except OSError: break\n");
        spec.shape.limits.cpuPercent = percent;
        const Result<SealedOutcome> r = runSealed(backend(counted), spec);
        QVERIFY(r);
        const Control share = controlOf(r->controls, ControlId::CpuShare);
        QCOMPARE(toString(share.state), counted ? u"verified"_s : u"degraded"_s);
        QCOMPARE(share.requested, u"%1%"_s.arg(percent));
        QCOMPARE(r->out + r->err, counted ? "" : "refused\n");
        // Three processes for a second, with what Python needs to start.
        const auto cpu = r->end.usage.cpu.value_or(std::chrono::microseconds(0));
        QVERIFY2(cpu > std::chrono::milliseconds(50) && cpu < std::chrono::milliseconds(percent * 10 + 250),
                 qPrintable(QString::number(cpu.count())));
    }

    void aRunThatAsksForNoShareHasNone()
    {
        const Result<SealedOutcome> r = runSealed(*m_watched, pythonSpec("import os\n"
                                                                         "print(len(os.sched_getaffinity(0)))\n"
                                                                         "os.sched_setaffinity(0, {0})\n"));
        QVERIFY(r);
        QCOMPARE(r->out + r->err, QByteArray::number(qlonglong(::sysconf(_SC_NPROCESSORS_ONLN))) + "\n");
        QVERIFY(controlOf(r->controls, ControlId::CpuShare).id == ControlId::Unknown);
    }

    void strictRefusesAShareThatIsOnlyApproximate()
    {
        SealedSpec spec = shellSpec("echo ran");
        spec.shape.strict = true;
        spec.shape.limits.cpuPercent = 50;
        const Result<SealedOutcome> r = runSealed(*m_watched, spec);
        QVERIFY(!r);
        QVERIFY2(r.error().detail.english().contains(u"cpu-share ("_s), qPrintable(r.error().detail.english()));
    }

    void seesThatTheDiskIsFull_data() { eachWay(); }

    void seesThatTheDiskIsFull()
    {
        QFETCH(bool, counted);
        SealedSpec spec = shellSpec("head -c 8M /dev/zero > /work/a || exit 3");
        spec.shape.workspace = Tmpfs{4 * mebibyte};
        const Result<SealedOutcome> full = runSealed(backend(counted), spec);
        QVERIFY(full);
        QVERIFY(full->end.diskFull);
        QCOMPARE(full->end.exitCode, std::optional(3));
        QVERIFY(!full->end.outOfMemory);
        spec.assignment.files = {{"main.sh", "head -c 1M /dev/zero > /work/a; exit 3"}};
        const Result<SealedOutcome> room = runSealed(backend(counted), spec);
        QVERIFY(room);
        QVERIFY(!room->end.diskFull);
    }

    // Space that was asked for and not given is not used up: what became of it is the program's own to say.
    void aReservationThatDoesNotFitIsToldApart()
    {
        SealedSpec spec = shellSpec("fallocate -l 3M a || exit 3; fallocate -l 3M b || exit 4");
        spec.shape.workspace = Tmpfs{4 * mebibyte};
        const Result<SealedOutcome> together = runSealed(*m_counted, spec);
        QVERIFY(together);
        QCOMPARE(together->end.exitCode, std::optional(4));
        QVERIFY2(together->err.contains("No space left on device"), together->err);
        QVERIFY(!together->end.diskFull && !together->end.outOfMemory);
        // One file larger than all of them may be, which with holes is none.
        spec.assignment.files = {{"main.sh", "truncate -s 1G c && rm c && fallocate -l 8M a || exit 4"}};
        const Result<SealedOutcome> alone = runSealed(*m_counted, spec);
        QVERIFY(alone);
        QCOMPARE(alone->end.exitCode, std::optional(4));
        QVERIFY2(alone->err.contains("No space left on device") && !alone->end.diskFull, alone->err);
        // Reserved and kept, it is used.
        spec.assignment.files = {{"main.sh", "fallocate -l 3M a; head -c 2M /dev/zero > b || exit 5"}};
        const Result<SealedOutcome> kept = runSealed(*m_counted, spec);
        QVERIFY(kept && kept->end.diskFull);
        QCOMPARE(kept->end.exitCode, std::optional(5));
    }

    void leavesNoCgroupBehind()
    {
        if (!m_missing.isEmpty())
            QSKIP(qPrintable(m_missing));
        const QString engine = u"gone%1"_s.arg(::getpid()); // this test may run over the other builder meanwhile
        const auto left = [&] {
            QStringList found;
            QDirIterator folders(u"/sys/fs/cgroup"_s, {u"glovebox-%1.*"_s.arg(engine)}, QDir::Dirs,
                                 QDirIterator::Subdirectories);
            while (folders.hasNext()) {
                const QString place = folders.next();
                found.append(place);
                const QStringList leaves = QDir(place).entryList({u"run-*"_s}, QDir::Dirs);
                found += leaves;
            }
            return found;
        };
        auto backend = backendUnderTest(engine);
        QString own;
        {
            Result<std::unique_ptr<SealedProcess>> process = launchIn(*backend, shellSpec("sleep 60"));
            QVERIFY(process);
            QVERIFY((*process)->start());
            own =
                backend->builder() == u"bwrap"_s ? u"run-2"_s : u"run-1"_s; // 1 was tried with a process of the other's
            QVERIFY(left().contains(own));
        }
        QTRY_VERIFY_WITH_TIMEOUT(!left().contains(own), 1000);
        backend.reset();
        QTRY_COMPARE_WITH_TIMEOUT(left(), QStringList(), 10'000); // systemd takes a moment
    }
};

QTEST_GUILESS_MAIN(TestLimits)
#include "tst_limits.moc"
