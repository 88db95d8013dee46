// SPDX-License-Identifier: Apache-2.0
// Signals of tests go to the one process that was meant: not to all that run with the test, nor to everybody.
#include "tests/support/signals.h"

#include <QtTest>

#include <sys/wait.h>
#include <unistd.h>

using namespace glovebox;

class TestSignals : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // In a process group of its own, which the signal would end where it went to the group.
    void whatNamesNoSingleProcessIsRefused_data()
    {
        QTest::addColumn<qint64>("pid");
        QTest::newRow("a program that has ended") << qint64(0);
        QTest::newRow("a fork that failed") << qint64(-1);
        QTest::newRow("init") << qint64(1);
        QTest::newRow("a group") << qint64(-::getpid());
        QTest::newRow("no number of a process") << (qint64(1) << 32);
    }
    void whatNamesNoSingleProcessIsRefused()
    {
        QFETCH(qint64, pid);
        const pid_t child = ::fork();
        if (child == 0) {
            ::setpgid(0, 0);
            ::_exit(sendSignal(pid, 0) == -1 && errno == ESRCH ? 0 : 1); // 0: nobody is hurt, whoever is meant
        }
        int status = -1;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }

    void theOneThatIsMeantGetsIt()
    {
        const pid_t child = ::fork();
        if (child == 0) {
            for (;;)
                ::pause();
        }
        QCOMPARE(sendSignal(child, SIGKILL), 0);
        int status = -1;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
};

QTEST_GUILESS_MAIN(TestSignals)
#include "tst_signals.moc"
