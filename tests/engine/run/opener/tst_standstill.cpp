// SPDX-License-Identifier: Apache-2.0
// While a run's folders are counted it stands still, and not for longer where they can't be.
#include "engine/base/base.h"
#include "engine/run/grants/opener/standstill.h"
#include "tests/support/signals.h"

#include <QElapsedTimer>
#include <QTest>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace glovebox;
using namespace glovebox::opener;

class TestStandstill : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // As a run's first process, which isn't stopped, with two below it.
    void init()
    {
        int ends[2];
        QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
        m_first = ::fork();
        if (m_first == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (int i = 0; i < 2; ++i) {
                if (::fork() != 0)
                    continue;
                ::prctl(PR_SET_PDEATHSIG, SIGKILL);
                const pid_t own = ::getpid();
                if (::write(ends[1], &own, sizeof own) != sizeof own)
                    ::_exit(1);
                break;
            }
            for (;;)
                ::pause();
        }
        for (pid_t *below : {&m_second, &m_third})
            QCOMPARE(::read(ends[0], below, sizeof *below), ssize_t(sizeof *below));
        ::close(ends[0]);
        ::close(ends[1]);
    }
    void cleanup()
    {
        for (const pid_t each : {m_third, m_second, m_first})
            sendSignal(each, SIGKILL);
        ::waitpid(m_first, nullptr, 0);
    }

    void itEndsWithTheLook()
    {
        {
            const Standstill still(m_first);
            QCOMPARE(statesOfProcess(m_second), QByteArray("T"));
            QVERIFY(statesOfProcess(m_first) != "T");
        }
        QTRY_COMPARE(statesOfProcess(m_second), QByteArray("S"));
    }

    void itEndsWhereTheLookDoesNot()
    {
        const Standstill still(m_first);
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(statesOfProcess(m_second), QByteArray("T"));
        QTRY_COMPARE_WITH_TIMEOUT(statesOfProcess(m_second), QByteArray("S"), 5'000);
        QVERIFY(timer.elapsed() >= 1'500);
    }

    // Whom somebody else had stopped stays so.
    void whoStoodStillBeforeIsLeftSo()
    {
        sendSignal(m_second, SIGSTOP);
        QTRY_COMPARE(statesOfProcess(m_second), QByteArray("T"));
        const Standstill still(m_first);
        QCOMPARE(statesOfProcess(m_third), QByteArray("T"));
        QTRY_COMPARE_WITH_TIMEOUT(statesOfProcess(m_third), QByteArray("S"), 5'000);
        QCOMPARE(statesOfProcess(m_second), QByteArray("T"));
    }

private:
    pid_t m_first = -1, m_second = -1, m_third = -1;
};

QTEST_GUILESS_MAIN(TestStandstill)
#include "tst_standstill.moc"
