// SPDX-License-Identifier: Apache-2.0
// A run's memory and processes where no cgroup counts them: measured numbers, else none.
#include "tests/engine/sandbox/sealed.h"

#include "engine/sandbox/native/native.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestUsage : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Backend> m_backend =
        makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), u"usage"_s, {.only = builderUnderTest(), .leaves = false});

private Q_SLOTS:
    // Half of all limits and more is measured; what is less is no exact number, and what PID 1 used by itself is nobody's peak.
    void tellsNoMemoryOfThoseWhomNobodyMeasured_data()
    {
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<bool>("isStopped");
        QTest::newRow("stopped") << QByteArray("kept = b'x' * 60_000_000\ntime.sleep(20)\n") << true;
        QTest::newRow("much for a moment, then little")
            << QByteArray("kept = b'x' * 60_000_000\ntime.sleep(0.3)\ndel kept\ntime.sleep(20)\n") << true;
        QTest::newRow("left somebody behind")
            << QByteArray("if os.fork() == 0:\n    kept = b'x' * 60_000_000\n    time.sleep(20)\ntime.sleep(0.5)\n")
            << false;
        QTest::newRow("waited for nobody")
            << QByteArray("import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nif os.fork() == 0:\n"
                          "    kept = b'x' * 60_000_000\n    time.sleep(0.5)\n    os._exit(0)\ntime.sleep(1)\n")
            << false;
    }
    void tellsNoMemoryOfThoseWhomNobodyMeasured()
    {
        QFETCH(QByteArray, code);
        QFETCH(bool, isStopped);
        SealedSpec spec = pythonSpec("import os, time\n" + code);
        spec.assignment.wall = std::chrono::milliseconds(isStopped ? 1000 : 10000);
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QCOMPARE(r->end.atDeadline, isStopped);
        QVERIFY2(!r->end.usage.peakMemoryBytes, qPrintable(QString::number(r->end.usage.peakMemoryBytes.value_or(0))));
        QVERIFY(r->end.usage.cpu.value_or(std::chrono::seconds(1)) > std::chrono::milliseconds(5));
    }

    void tellsTheMemoryThatWasMeasured_data()
    {
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<bool>("isStopped");
        QTest::newRow("stopped") << QByteArray("kept = b'x' * 180_000_000\ntime.sleep(20)\n") << true;
        QTest::newRow("left somebody behind")
            << QByteArray("have, says = os.pipe()\nif os.fork() == 0:\n    kept = b'x' * 180_000_000\n"
                          "    os.write(says, b'x')\n    time.sleep(20)\nos.read(have, 1)\ntime.sleep(1.5)\n")
            << false;
        QTest::newRow("by itself") << QByteArray("kept = b'x' * 180_000_000\n") << false;
    }
    void tellsTheMemoryThatWasMeasured()
    {
        QFETCH(QByteArray, code);
        QFETCH(bool, isStopped);
        SealedSpec spec = pythonSpec("import os, time\n" + code);
        spec.assignment.wall = std::chrono::milliseconds(isStopped ? 4000 : 10000);
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        const qint64 peak = r->end.usage.peakMemoryBytes.value_or(0);
        QVERIFY2(peak > 178'000'000 && peak < 215'000'000, qPrintable(QString::number(peak)));
    }

    // A child that died between two readings of one look holds nothing any more; 25 looks a second meet several such.
    void childrenThatComeAndGoLeaveThePeakKnown()
    {
        SealedSpec spec = pythonSpec("import os, time\nkept = b'x' * 40_000_000\nend = time.monotonic() + 2\n"
                                     "while time.monotonic() < end:\n"
                                     "    if os.fork() == 0:\n        os._exit(0)\n    os.wait()\n"
                                     "print('there', flush=True)\ntime.sleep(20)\n");
        spec.shape.limits.memoryBytes = 64 << 20;
        spec.assignment.wall = std::chrono::milliseconds(3500);
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        const qint64 peak = r->end.usage.peakMemoryBytes.value_or(0);
        QVERIFY2(peak > 40'000'000 && peak < 64'000'000, r->out + QByteArray::number(peak));
    }

    // Each ends before the launcher looks at it, or most do.
    void aShortRunThatHadAllProcessesReachedItsLimit()
    {
        SealedSpec spec = shellSpec("sleep 9 & sleep 9 & exit 0");
        for (int i = 0; i < 5; ++i) {
            for (const int limit : {3, 4}) {
                spec.shape.limits.processes = limit;
                const Result<SealedOutcome> r = runSealed(*m_backend, spec);
                QVERIFY(r);
                QVERIFY2(r->end.exitCode == 0 && r->end.hadAllProcesses == (limit == 3), r->err);
            }
        }
    }

    void aRunBelowItsLimitOfProcessesIsNotSaidToHaveReachedIt()
    {
        SealedSpec spec = pythonSpec("import os, threading, time\n"
                                     "for _ in range(8):\n"
                                     "    threading.Thread(target=time.sleep, args=(0.4,)).start()\n"
                                     "for _ in range(9):\n"
                                     "    if os.fork() == 0:\n        time.sleep(0.3)\n        os._exit(0)\n"
                                     "time.sleep(0.3)\nprint('fine')\n");
        spec.shape.limits.processes = 20; // the shell, Python and 17 more
        const Result<SealedOutcome> below = runSealed(*m_backend, spec);
        QVERIFY(below);
        QVERIFY2(below->out == "fine\n" && !below->end.hadAllProcesses, below->err);
        spec.shape.limits.processes = 19;
        const Result<SealedOutcome> all = runSealed(*m_backend, spec);
        QVERIFY(all);
        QVERIFY2(all->out == "fine\n" && all->end.hadAllProcesses, all->err);
    }
};

QTEST_GUILESS_MAIN(TestUsage)
#include "tst_usage.moc"
