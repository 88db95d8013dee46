// SPDX-License-Identifier: Apache-2.0
#include "engine/run/live/pump.h"

#include "engine/run/queue/workthread.h"
#include "tests/support/unsealedbackend.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTest>

#include <sys/eventfd.h>

#include <csignal>
#include <ctime>
#include <semaphore>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

// A sandbox that says nothing.
class SilentProcess : public SealedProcess
{
public:
    const QList<Control> &controls() const override { return m_controls; }
    UniqueFd takeStdin() override { return {}; }
    UniqueFd takeStdout() override { return {}; }
    UniqueFd takeStderr() override { return {}; }
    Status start() override { return {}; }
    void interrupt() override { }
    void kill() override { }
    int reportDescriptor() const override { return m_report.get(); }
    std::optional<SandboxEnd> takeEnd() override { return {}; }
    UniqueFd m_report;

private:
    QList<Control> m_controls;
};

// A shell script under the pump on a thread of its own.
class PumpedShell
{
public:
    explicit PumpedShell(const QByteArray &script, std::chrono::milliseconds wall = 20s, qint64 outputBytes = mebibyte)
        : run(request(outputBytes))
    {
        SandboxShape shape;
        Assignment assignment;
        shape.argv = {"/bin/sh", "main.sh"};
        shape.environment = {"PATH=/usr/bin:/bin"};
        assignment.files = {{"main.sh", script}};
        process = *UnsealedBackend().launch(shape, assignment, {});
        thread = std::jthread([this, wall] {
            blockSignals();
            if (process->start())
                end = pump(*process, run, wall);
            isOver = true;
        });
    }
    const PumpEnd &wait()
    {
        if (thread.joinable())
            thread.join();
        return end;
    }
    QByteArray out() { return run.captured(OutputStream::Out).kept(); }
    QByteArray err() { return run.captured(OutputStream::Err).kept(); }
    bool waitForOutput(const QByteArray &text)
    {
        return QTest::qWaitFor([&] { return out().contains(text); }, 10000);
    }

    LiveRun run;
    std::unique_ptr<SealedProcess> process;
    PumpEnd end;
    std::atomic<bool> isOver = false;
    std::jthread thread;

private:
    static RunRequest request(qint64 outputBytes)
    {
        RunRequest request;
        request.policy.limits.outputBytes = outputBytes;
        return request;
    }
};

class tst_Pump : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void collectsBothStreamsAndTheStatus();
    void showsOutputWhileTheRunGoesOn();
    void inputArrivesWhenItIsWritten();
    void muchInputAndMuchOutputDoNotBlockEachOther();
    void unreadInputIsAnEventAndNoFailure();
    void killsAtTheDeadline();
    void aFloodDoesNotDelayTheDeadline();
    void cancelInterruptsFirst();
    void cancelKillsAfterASecond();
    void aSecondCancelKillsAtOnce();
    void cancelBeforeTheDeadlineStaysCancelled();
    void endsWithTheMainProcess();
    void aLostSandboxIsSaid();
    void whoAsksTooOftenWaits();
    void saysOnceThatTheProgramHasEnded();
    void aFloodCostsAboutAsMuchAsReadingIt();
};

void tst_Pump::collectsBothStreamsAndTheStatus()
{
    PumpedShell shell("echo out; echo err >&2; exit 3");
    QCOMPARE(shell.wait().sandbox.exitCode, std::optional(3));
    QCOMPARE(shell.end.by, EndedBy::Itself);
    QCOMPARE(shell.out(), "out\n");
    QCOMPARE(shell.err(), "err\n");
    QVERIFY(shell.end.sandbox.usage.wall > 0us);
}

void tst_Pump::showsOutputWhileTheRunGoesOn()
{
    PumpedShell shell("echo early; read line");
    QVERIFY(shell.waitForOutput("early\n"));
    QVERIFY(!shell.isOver);
    shell.run.closeInput();
    shell.wait();
}

void tst_Pump::inputArrivesWhenItIsWritten()
{
    PumpedShell shell("echo ready; while read line; do echo \"got $line\"; done; echo end");
    QVERIFY(shell.waitForOutput("ready\n"));
    QCOMPARE(shell.run.write("one\n"), 4);
    QVERIFY(shell.waitForOutput("got one\n"));
    shell.run.write("two\n");
    shell.run.closeInput(); // what was written before still arrives
    QCOMPARE(shell.wait().sandbox.exitCode, std::optional(0));
    QCOMPARE(shell.out(), "ready\ngot one\ngot two\nend\n");
    QCOMPARE(shell.run.write("late"), 0);
}

void tst_Pump::muchInputAndMuchOutputDoNotBlockEachOther()
{
    PumpedShell shell("exec cat", 20s, 16 * mebibyte);
    QByteArray all;
    for (int i = 0; i < 500'000; ++i)
        all += QByteArray::number(i) + ' ';
    std::counting_semaphore<> room{0};
    shell.run.onChange([&] { room.release(); });
    for (qint64 sent = 0; sent < all.size();) {
        const qint64 taken = shell.run.write(QByteArrayView(all).sliced(sent));
        sent += taken;
        if (sent < all.size())
            QVERIFY(room.try_acquire_for(10s));
    }
    shell.run.closeInput();
    QCOMPARE(shell.wait().sandbox.exitCode, std::optional(0));
    QVERIFY(shell.out() == all);
    shell.run.onChange({});
}

void tst_Pump::unreadInputIsAnEventAndNoFailure()
{
    PumpedShell shell("exec 0<&-; echo closed; sleep 0.5; exit 0");
    QVERIFY(shell.waitForOutput("closed\n"));
    shell.run.write("nobody reads this");
    QCOMPARE(shell.wait().sandbox.exitCode, std::optional(0));
    QCOMPARE(shell.run.events(0).events.size(), 1);
    QVERIFY(shell.run.events(0).events[0].type == EventType::InputRefused);
    QCOMPARE(shell.run.events(0).events[0].detail.english(),
             u"The run closed its input while 17 bytes were waiting."_s);
}

void tst_Pump::killsAtTheDeadline()
{
    QElapsedTimer timer;
    timer.start();
    PumpedShell shell("trap '' INT TERM; while :; do :; done", 500ms);
    QCOMPARE(shell.wait().by, EndedBy::Deadline);
    QCOMPARE(shell.end.sandbox.signal, std::optional(SIGKILL));
    QVERIFY2(timer.elapsed() >= 500 && timer.elapsed() < 750, qPrintable(QString::number(timer.elapsed())));
}

void tst_Pump::aFloodDoesNotDelayTheDeadline()
{
    QElapsedTimer timer;
    timer.start();
    PumpedShell shell("exec cat /dev/zero", 500ms);
    QCOMPARE(shell.wait().by, EndedBy::Deadline);
    QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(shell.out().size(), mebibyte);
}

void tst_Pump::cancelInterruptsFirst()
{
    PumpedShell shell("trap 'echo interrupted; exit 7' INT; echo ready; while :; do sleep 0.05; done");
    QVERIFY(shell.waitForOutput("ready\n"));
    shell.run.cancel();
    QCOMPARE(shell.wait().by, EndedBy::Cancel);
    QCOMPARE(shell.end.sandbox.exitCode, std::optional(7));
    QCOMPARE(shell.out(), "ready\ninterrupted\n");
}

void tst_Pump::cancelKillsAfterASecond()
{
    PumpedShell shell("trap '' INT; echo ready; while :; do sleep 0.05; done");
    QVERIFY(shell.waitForOutput("ready\n"));
    QElapsedTimer timer;
    timer.start();
    shell.run.cancel();
    QCOMPARE(shell.wait().by, EndedBy::Cancel);
    QCOMPARE(shell.end.sandbox.signal, std::optional(SIGKILL));
    QVERIFY2(timer.elapsed() >= 1000 && timer.elapsed() < 1500, qPrintable(QString::number(timer.elapsed())));
}

void tst_Pump::aSecondCancelKillsAtOnce()
{
    PumpedShell shell("trap '' INT; echo ready; while :; do sleep 0.05; done");
    QVERIFY(shell.waitForOutput("ready\n"));
    QElapsedTimer timer;
    timer.start();
    shell.run.cancel();
    QTest::qWait(100);
    shell.run.cancel();
    QCOMPARE(shell.wait().sandbox.signal, std::optional(SIGKILL));
    QVERIFY2(timer.elapsed() < 500, qPrintable(QString::number(timer.elapsed())));
}

void tst_Pump::cancelBeforeTheDeadlineStaysCancelled()
{
    PumpedShell shell("trap '' INT; echo ready; while :; do sleep 0.05; done", 800ms);
    QVERIFY(shell.waitForOutput("ready\n"));
    QTest::qWait(200);
    shell.run.cancel();
    QCOMPARE(shell.wait().by, EndedBy::Cancel);
    QVERIFY(shell.end.sandbox.usage.wall < 1050ms); // the deadline kills all the same
}

void tst_Pump::endsWithTheMainProcess()
{
    QElapsedTimer timer;
    timer.start();
    PumpedShell shell("sleep 30 & echo started");
    QCOMPARE(shell.wait().sandbox.exitCode, std::optional(0));
    QCOMPARE(shell.out(), "started\n");
    QVERIFY(timer.elapsed() < 1000);
}

void tst_Pump::aLostSandboxIsSaid()
{
    // The end of a sandbox whose supervisor died: its report channel hangs up without a report.
    SilentProcess lost;
    int ends[2];
    QCOMPARE(::pipe(ends), 0);
    lost.m_report.reset(ends[0]);
    ::close(ends[1]);
    LiveRun run{RunRequest()};
    QCOMPARE(pump(lost, run, 10s).sandbox.lost.english(), u"The sandbox's supervisor is gone."_s);
}

void tst_Pump::whoAsksTooOftenWaits()
{
    // Always has a question, whose answer takes the processor a millisecond, and ends when it is killed.
    class Asking : public SilentProcess
    {
    public:
        int eventDescriptor() const override { return m_always.get(); }
        QList<RunEvent> takeEvents(int max) override
        {
            answers += max;
            for (const auto until = used() + 1ms; used() < until;) { }
            return QList<RunEvent>(max, {EventType::CallRefused, Text("again")});
        }
        void kill() override { m_report.reset(::eventfd(1, EFD_CLOEXEC)); }
        std::optional<SandboxEnd> takeEnd() override
        {
            return m_report ? std::optional<SandboxEnd>({.signal = SIGKILL}) : std::nullopt;
        }
        int answers = 0;

    private:
        static std::chrono::nanoseconds used()
        {
            timespec time{};
            ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
            return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
        }

        const UniqueFd m_always{::eventfd(1, EFD_CLOEXEC)};
    } asking;
    LiveRun run{RunRequest()};
    QVERIFY(pump(asking, run, 4s).by == EndedBy::Deadline);
    // Of a second at once, and a tenth of the time.
    QVERIFY2(asking.answers > 300 && asking.answers <= 1450, qPrintable(QString::number(asking.answers)));
    QCOMPARE(run.events(0).events.size(), asking.answers);
}

void tst_Pump::saysOnceThatTheProgramHasEnded()
{
    // Its program has ended at the first report, everything is gone at the third.
    class Ending : public SilentProcess
    {
    public:
        Ending() { m_report.reset(::eventfd(1, EFD_CLOEXEC)); }
        std::optional<SandboxEnd> takeEnd() override
        {
            return ++m_reports < 3 ? std::nullopt : std::optional<SandboxEnd>({.exitCode = 0});
        }
        bool hasProgramEnded() const override { return m_reports > 0; }

    private:
        int m_reports = 0;
    } ending;
    LiveRun run{RunRequest()};
    int told = 0;
    QCOMPARE(pump(ending, run, 10s, nullptr, [&] { ++told; }).sandbox.exitCode, std::optional(0));
    QCOMPARE(told, 1);
    SilentProcess lost; // tells nothing of it
    int ends[2];
    QCOMPARE(::pipe(ends), 0);
    lost.m_report.reset(ends[0]);
    ::close(ends[1]);
    pump(lost, run, 10s, nullptr, [&] { ++told; });
    QCOMPARE(told, 1);
}

void tst_Pump::aFloodCostsAboutAsMuchAsReadingIt()
{
    const auto seconds = [](const auto &work) {
        QElapsedTimer timer;
        timer.start();
        work();
        return double(timer.nsecsElapsed()) / 1e9;
    };
    const double piped = seconds([] {
        if (QProcess::execute(u"/bin/sh"_s, {u"-c"_s, u"head -c 1G /dev/zero | cat > /dev/null"_s}) != 0)
            qFatal("no cat");
    });
    const double pumped = seconds([] {
        PumpedShell shell("exec head -c 1G /dev/zero", 120s);
        if (shell.wait().sandbox.exitCode != 0)
            qFatal("no head");
    });
    qInfo("1 GiB: through `cat` in %.2f s, through the pump in %.2f s", piped, pumped);
    QVERIFY(pumped < 10 * piped + 2);
}

QTEST_GUILESS_MAIN(tst_Pump)
#include "tst_pump.moc"
