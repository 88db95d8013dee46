// SPDX-License-Identifier: Apache-2.0
// A run that floods what keeps it to its allowlist, and one whose keeper dies or stands still: closed, never open, and the run's own
// limits hold.
#include "networkrun.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QElapsedTimer>

#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// glovebox-egress of that program; 0: there is none.
pid_t egressOf(qint64 program)
{
    for (const QString &pid : QDir(u"/proc"_s).entryList({u"[0-9]*"_s}, QDir::Dirs)) {
        QFile file(u"/proc/"_s + pid + u"/stat"_s);
        if (!file.open(QIODevice::ReadOnly))
            continue;
        const QList<QByteArray> words = file.readAll().split(' ');
        if (words.size() > 3 && words[1] == "(glovebox-egress)" && words[3].toLongLong() == program)
            return pid.toInt();
    }
    return 0;
}

} // namespace

class TestCliEgressFloods : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itStillServesAfterwards_data()
    {
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("thousands of connections") << QByteArray("works\n");
        QTest::newRow("all connections at once") << QByteArray("refused 144\nworks\n");
        QTest::newRow("slow words") << QByteArray("works\n10\n");
        QTest::newRow("half closed") << QByteArray("works\n");
        QTest::newRow("flood of names") << QByteArray("works\n");
        QTest::newRow("more names than there may be") << QByteArray("{0: 4096, 2: 104}\n198.18.0.1\n");
        QTest::newRow("huge words") << QByteArray("works\n");
    }

    void itStillServesAfterwards()
    {
        QFETCH(QByteArray, says);
        const NetworkRun run(m_home, {u"*.allowed.test"_s}, u"python"_s,
                             attack(QString::fromUtf8(QTest::currentDataTag())), {u"-t"_s, u"60"_s});
        QVERIFY2(run.out().endsWith(says) && !run.out().contains("lost"), run.story());
        QVERIFY2(run.result()[u"egress"_s].toArray().size() <= 1000, "everything is on record one by one");
        QVERIFY2(!run.story().contains("egress.lost"), run.story());
    }

    // What is listed one by one ends somewhere, and what is allowed could hide behind what isn't.
    void whatIsNotListedIsCountedWithItsBytes()
    {
        const NetworkRun run(m_home, {u"www.allowed.test"_s}, u"python"_s, attack(u"much behind a flood"_s),
                             {u"-t"_s, u"60"_s});
        QVERIFY2(run.out() == "True\n5\n", run.story());
        static const QRegularExpression words(
            u"listed \\((\\d+) times, of which 2 were allowed: (\\d+) bytes sent, (\\d+) received\\)"_s);
        const QRegularExpressionMatch told = words.match(run.event(u"egress.more"_s));
        QVERIFY2(told.hasMatch(), run.event(u"egress.more"_s).toUtf8());
        QCOMPARE(told.captured(1), u"102"_s);
        QVERIFY2(told.captured(2).toInt() > 300 && told.captured(3).toInt() > 1'001'000, qPrintable(told.captured()));
    }

    void whatIsDeniedInTheEndIsNotCountedAsAllowed()
    {
        const NetworkRun run(m_home, {u"www.allowed.test"_s}, u"python"_s, attack(u"denied behind a flood"_s),
                             {u"-t"_s, u"60"_s});
        QVERIFY2(run.out() == "b'HTTP/1.1 400'\nb'HTTP/1.1 200'\n", run.story());
        QVERIFY2(run.event(u"egress.more"_s).contains(u"(2 times, of which 1 was allowed: "_s),
                 run.event(u"egress.more"_s).toUtf8());
    }

    // It counts to no run's memory, and has bounds of its own.
    void whatConnectionsMakeItKeepIsLittle()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("A sanitizer makes the program keep more memory.");
#endif
        const QString code = attack(u"long heads"_s);
        const auto program = m_home.program(
            {u"run"_s, u"-t"_s, u"20"_s, u"-l"_s, u"python"_s, u"--allow"_s, u"www.allowed.test"_s, u"-c"_s, code});
        program->start();
        QByteArray out;
        QVERIFY(waitForOutput(*program, "held", out));
        QFile status(u"/proc/%1/status"_s.arg(egressOf(program->processId())));
        QVERIFY(status.open(QIODevice::ReadOnly));
        const QByteArray words = status.readAll();
        static const QRegularExpression resident(u"VmHWM:\\s+(\\d+) kB"_s);
        const qint64 kb = resident.match(QString::fromLatin1(words)).captured(1).toLongLong();
        QVERIFY2(kb > 8 * 1024 && kb < 96 * 1024, QByteArray::number(kb));
        QFile limits(u"/proc/%1/limits"_s.arg(egressOf(program->processId())));
        QVERIFY(limits.open(QIODevice::ReadOnly));
        QVERIFY(limits.readAll().contains("Max data size             268435456            268435456"));
        program->write("go on\n");
        program->closeWriteChannel();
        finish(*program);
    }

    void whenItsKeeperDiesTheNetworkIsClosed()
    {
        end(SIGKILL, [](const QByteArray &out) { return out.endsWith("closed\n"); });
    }

    void whenItsKeeperStandsStillTheRunEndsInTime()
    {
        QElapsedTimer timer;
        timer.start();
        end(SIGSTOP, [](const QByteArray &out) { return out.endsWith("connected\n"); });
        QVERIFY(timer.elapsed() < 8000);
    }

private:
    // Signals it in the middle of a connection.
    void end(int signal, const std::function<bool(const QByteArray &)> &isRight)
    {
        const InternetLog log;
        const QString code = attackTools() + uR"(
s = direct("v4.allowed.test", 7777)
print("connected", flush=True)
sys = __import__("sys")
sys.stdin.readline()
try:
    s.settimeout(10)
    s.sendall(b"after")
    print("answered" if s.recv(100) else "closed")
    direct("www.allowed.test", 80)
    print("reached")
except OSError:
    print("closed")
)"_s;
        const auto program =
            m_home.program({u"run"_s, u"-t"_s, u"4"_s, u"-l"_s, u"python"_s, u"--allow"_s, u"v4.allowed.test:7777"_s,
                            u"--allow"_s, u"www.allowed.test"_s, u"-c"_s, code});
        program->start();
        QByteArray out;
        QVERIFY(waitForOutput(*program, "connected", out));
        const pid_t egress = egressOf(program->processId());
        QVERIFY(egress > 0);
        QCOMPARE(sendSignal(egress, signal), 0);
        program->write("go on\n");
        program->closeWriteChannel();
        const Ended ended = finish(*program);
        QVERIFY2(isRight(out + ended.out), (out + ended.out + ended.err).constData());
        QVERIFY(!log.has("accept 2001:db8:2::10 80"));
        QCOMPARE(egressOf(program->processId()), 0);
        QVERIFY(sendSignal(egress, 0) != 0); // gone
    }

    Home m_home;
};

GLOVEBOX_INTERNET_TEST_MAIN(TestCliEgressFloods)
#include "tst_cliegressfloods.moc"
