// SPDX-License-Identifier: Apache-2.0
// What the kernel gives to each user, who has other programs besides runs: a run takes its part of it and no more.
#include "tests/engine/sandbox/sealed.h"

#include <QFile>
#include <QTest>

#include <sys/resource.h>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestQuotas : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Backend> m_backend = backendUnderTest(u"quotas"_s);

private Q_SLOTS:
    void refusesWhatTakesMoreThanItsShare_data()
    {
        QTest::addColumn<QByteArray>("code");
        QTest::newRow("large pipes") << QByteArray("fcntl.fcntl(os.pipe()[0], 1031, 1 << 20)");
        QTest::newRow("limits of PID 1") << QByteArray("resource.prlimit(1, resource.RLIMIT_NOFILE, (1, 1))");
        QTest::newRow("its place before the OOM killer") << QByteArray("open('/proc/self/oom_score_adj', 'w')");
        QTest::newRow("asynchronous I/O of the machine")
            << QByteArray("assert ctypes.CDLL(None).syscall(206, 1, 0) == 0");
        QTest::newRow("inotify instances") << QByteArray(
            "l = ctypes.CDLL(None); assert all(l.inotify_init() >= 0 for _ in range(1 + MACHINES // 64))");
        QTest::newRow("pending signals") << QByteArray(
            "signal.pthread_sigmask(0, [40]); l = ctypes.CDLL(None, use_errno=True); "
            "assert all(l.sigqueue(os.getpid(), 40, None) == 0 for _ in range(1025))");
        QTest::newRow("locked memory of no process") << QByteArray(
            "l = ctypes.CDLL(None, use_errno=True); assert l.shmctl(l.shmget(0, 4096, 0o1600), 11, None) == 0");
        QTest::newRow("pages that a socket sends without a copy")
            << QByteArray("import socket; socket.socket().setsockopt(socket.SOL_SOCKET, 60, 1)");
    }

    void refusesWhatTakesMoreThanItsShare()
    {
        QFETCH(QByteArray, code);
        SealedSpec spec = shellSpec("exec python3 main.py");
        spec.assignment.files.append(
            {"main.py", "import ctypes, fcntl, os, resource, signal\n"
                        "MACHINES = int(open('/proc/sys/fs/inotify/max_user_instances').read())\ntry:\n    "
                            + code + "\nexcept (OSError, AssertionError):\n    print('refused')"});
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QCOMPARE(r->out + r->err, "refused\n");
    }

    void pipesMayBeAsLargeAsTheyBegin()
    {
        const Result<SealedOutcome> r = runSealed(
            *m_backend, shellSpec("python3 -c 'import fcntl, os; p = os.pipe()[0]; fcntl.fcntl(p, 1031, 4096); "
                                  "print(fcntl.fcntl(p, 1031, 65536))'"));
        QVERIFY(r);
        QCOMPARE(r->out + r->err, "65536\n");
    }

    void sixteenRunsLeaveThreeQuarters()
    {
        const Result<SealedOutcome> r = runSealed(*m_backend, shellSpec("ulimit -i; ulimit -q"));
        QVERIFY(r);
        const QList<QByteArray> bounds = r->out.trimmed().split('\n');
        QCOMPARE(bounds.size(), 2);
        for (const int i : {0, 1}) {
            rlimit own{};
            QVERIFY(::getrlimit(i == 0 ? RLIMIT_SIGPENDING : RLIMIT_MSGQUEUE, &own) == 0);
            QVERIFY2(16 * bounds.at(i).toULongLong() <= own.rlim_cur / 4, bounds.at(i));
        }
    }

    void sixteenRunsLeaveThreeQuartersOfInotify()
    {
        const Result<SealedOutcome> r = runSealed(*m_backend, shellSpec("cat /proc/sys/user/max_inotify_*"));
        QVERIFY(r);
        const auto inotify = std::ranges::find(r->controls, ControlId::Inotify, &Control::id);
        QVERIFY(inotify != r->controls.end());
        if (m_backend->builder() == u"bwrap"_s) {
            QCOMPARE(inotify->detail.english(), u"refused, since it can't be bounded"_s);
            return;
        }
        const QList<QByteArray> bounds = r->out.trimmed().split('\n');
        QCOMPARE(bounds.size(), 2);
        QCOMPARE(inotify->detail.english(), u"%1 instances and %2 watches of its user's"_s.arg(
                                                QString::fromUtf8(bounds.at(0)), QString::fromUtf8(bounds.at(1))));
        for (int i = 0; i < 2; ++i) {
            QFile file(u"/proc/sys/fs/inotify/max_user_%1"_s.arg(i == 0 ? u"instances"_s : u"watches"_s));
            QVERIFY(file.open(QIODevice::ReadOnly));
            QVERIFY2(16 * bounds.at(i).toLongLong() <= std::max(file.readAll().trimmed().toLongLong() / 4, 16LL),
                     bounds.at(i));
        }
    }
};

QTEST_GUILESS_MAIN(TestQuotas)
#include "tst_quotas.moc"
