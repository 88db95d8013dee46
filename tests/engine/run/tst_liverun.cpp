// SPDX-License-Identifier: Apache-2.0
#include "engine/run/live/liverun.h"

#include <QTest>

#include <atomic>
#include <semaphore>
#include <thread>

using namespace glovebox;
using namespace std::chrono_literals;

// Counts wakes, and lets a thread wait for one.
struct Bell
{
    std::function<void()> wake()
    {
        return [this] {
            ++rings;
            semaphore.release();
        };
    }
    bool wait() { return semaphore.try_acquire_for(10s); }

    std::counting_semaphore<> semaphore{0};
    std::atomic<int> rings = 0;
};

class tst_LiveRun : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void wakesAtOnceWhenSomethingIsThere();
    void staysSilentUntilTheFirstChange();
    void wakesOnceUntilSomethingIsRead();
    void anyReaderArmsTheNextWake();
    void aReplacedWakeIsNotCalledAnyMore();
    void noWakeIsLostUnderLoad_data();
    void noWakeIsLostUnderLoad();
    void noWakeIsLostWhenAChangeMeetsAReader();
    void waitReturnsTheResultOnAllThreads();
    void outputEndsWithTheRun();
    void truncationIsAnEventOnce();
    void inputIsBoundedAndRoomWakes();
    void closedInputTakesNothing();
    void cancelRequestsTheStopOnce();
};

void tst_LiveRun::wakesAtOnceWhenSomethingIsThere()
{
    LiveRun run{RunRequest()};
    run.setAccepted(QStringLiteral("id"));
    Bell bell;
    run.onChange(bell.wake());
    QCOMPARE(bell.rings, 1);
}

void tst_LiveRun::staysSilentUntilTheFirstChange()
{
    LiveRun run{RunRequest()};
    Bell bell;
    run.onChange(bell.wake());
    QCOMPARE(bell.rings, 0);
    run.setAccepted(QStringLiteral("id"));
    QCOMPARE(bell.rings, 1);
}

void tst_LiveRun::wakesOnceUntilSomethingIsRead()
{
    LiveRun run{RunRequest()};
    Bell bell;
    run.onChange(bell.wake());
    for (int i = 0; i < 10; ++i)
        run.addOutput(OutputStream::Out, "x");
    QCOMPARE(bell.rings, 1);
    QCOMPARE(run.output(0, 100).next, 10);
    QCOMPARE(bell.rings, 1);
    run.addEvent({EventType::InputRefused, {}});
    run.addEvent({EventType::OutputIncomplete, {}});
    QCOMPARE(bell.rings, 2);
}

void tst_LiveRun::anyReaderArmsTheNextWake()
{
    const std::function<void(LiveRun &)> readers[] = {
        [](LiveRun &run) { run.state(); },
        [](LiveRun &run) { run.output(0, 1); },
        [](LiveRun &run) { run.events(0); },
        [](LiveRun &run) { run.result(); },
    };
    for (const auto &read : readers) {
        LiveRun run{RunRequest()};
        Bell bell;
        run.onChange(bell.wake());
        run.enter(RunState::Running);
        run.enter(RunState::Collecting);
        QCOMPARE(bell.rings, 1);
        read(run);
        run.finish({});
        QCOMPARE(bell.rings, 2);
    }
}

void tst_LiveRun::aReplacedWakeIsNotCalledAnyMore()
{
    LiveRun run{RunRequest()};
    Bell bell;
    run.onChange(bell.wake());
    run.onChange({});
    run.enter(RunState::Running);
    QCOMPARE(bell.rings, 0);
}

void tst_LiveRun::noWakeIsLostUnderLoad_data()
{
    QTest::addColumn<bool>("stateFirst");
    QTest::newRow("output only") << false;
    QTest::newRow("state, then output") << true;
}

// A reader that reads only when it was woken must get everything, and the end.
void tst_LiveRun::noWakeIsLostUnderLoad()
{
    QFETCH(bool, stateFirst);
    for (int round = 0; round < 300; ++round) {
        LiveRun run{RunRequest()};
        Bell bell;
        run.onChange(bell.wake());
        std::jthread writer([&run] {
            run.enter(RunState::Running);
            for (int i = 0; i < 200; ++i)
                run.addOutput(i % 3 ? OutputStream::Out : OutputStream::Err, "0123456789");
            run.finish({});
        });
        qint64 cursor = 0;
        bool atEnd = false;
        while (!atEnd) {
            QVERIFY2(bell.wait(), "a wake was lost");
            if (stateFirst)
                run.state();
            OutputSlice slice;
            do {
                slice = run.output(cursor, 64);
                cursor = slice.next;
            } while (!slice.chunks.isEmpty());
            atEnd = slice.atEnd;
        }
        QCOMPARE(cursor, 2000);
    }
}

// Every change comes just when the reader looks: it must be in what the reader gets, or wake it.
void tst_LiveRun::noWakeIsLostWhenAChangeMeetsAReader()
{
    constexpr int changes = 30000;
    const auto end = std::chrono::steady_clock::now() + 5s; // a loaded machine takes a time slice for each
    LiveRun run{RunRequest()};
    Bell bell;
    run.onChange(bell.wake());
    std::atomic<int> looks = 0;
    std::atomic<qint64> written = -1; // once it is known
    std::atomic<bool> isOver = false;
    std::jthread writer([&] {
        qint64 bytes = 0;
        for (int i = 0, seen = 0; i < changes && !isOver && std::chrono::steady_clock::now() < end; ++i) {
            for (int spins = 0; looks == seen && !isOver; ++spins) {
                if (spins > 1000)
                    std::this_thread::yield();
            }
            seen = looks;
            for (volatile int delay = 0; delay < i % 300;)
                delay = delay + 1;
            if (i % 2 == 0) {
                run.addEvent({}); // wakes a reader that finds no output then
            } else {
                run.addOutput(OutputStream::Out, "x");
                ++bytes;
            }
        }
        written = bytes + 1;
        run.addOutput(OutputStream::Out, "x");
    });
    const auto stop = qScopeGuard([&] { isOver = true; });
    for (qint64 cursor = 0; written < 0 || cursor < written;) {
        ++looks;
        const OutputSlice slice = run.output(cursor, 64);
        cursor = slice.next;
        if (slice.chunks.isEmpty())
            QVERIFY2(bell.wait(), "a wake was lost");
    }
}

void tst_LiveRun::waitReturnsTheResultOnAllThreads()
{
    LiveRun run{RunRequest()};
    std::atomic<int> got = 0;
    {
        std::vector<std::jthread> waiters;
        for (int i = 0; i < 4; ++i)
            waiters.emplace_back([&] { got += run.wait()->exitCode == 3; });
        std::this_thread::sleep_for(20ms);
        QVERIFY(!run.result());
        RunResult result;
        result.exitCode = 3;
        run.finish(std::move(result));
    }
    QCOMPARE(got, 4);
    QCOMPARE(run.state(), RunState::Done);
}

void tst_LiveRun::outputEndsWithTheRun()
{
    LiveRun run{RunRequest()};
    run.addOutput(OutputStream::Out, "abc");
    QVERIFY(!run.output(3, 10).atEnd);
    run.finish({});
    QVERIFY(!run.output(0, 2).atEnd);
    QVERIFY(run.output(0, 10).atEnd);
    QVERIFY(run.output(3, 10).atEnd);
}

void tst_LiveRun::truncationIsAnEventOnce()
{
    RunRequest request;
    request.policy.limits.outputBytes = 10;
    LiveRun run(request);
    run.addOutput(OutputStream::Out, "0123456789");
    QCOMPARE(run.events(0).events.size(), 0);
    run.addOutput(OutputStream::Out, "0");
    run.addOutput(OutputStream::Out, "1");
    run.addOutput(OutputStream::Err, "01234567890");
    const EventSlice slice = run.events(0);
    QCOMPARE(slice.events.size(), 2);
    QVERIFY(slice.events[0].type == EventType::OutputTruncated);
    QCOMPARE(slice.events[0].detail.english(),
             QStringLiteral("stdout is longer than 10 bytes; only its beginning and its end are kept."));
    QCOMPARE(run.events(1).events.size(), 1);
    QCOMPARE(slice.next, 2);
}

void tst_LiveRun::inputIsBoundedAndRoomWakes()
{
    LiveRun run{RunRequest()};
    Bell bell;
    run.onChange(bell.wake());
    const QByteArray half(LiveRun::inputCapacity / 2 + 1, 'x');
    QCOMPARE(run.write(half), half.size());
    run.inputTaken(1);
    QCOMPARE(bell.rings, 0); // nobody waits for room
    QCOMPARE(run.write(half), LiveRun::inputCapacity / 2);
    QCOMPARE(run.write(half), 0);
    run.inputTaken(5);
    QCOMPARE(bell.rings, 1);
    QCOMPARE(run.write("12345678"), 5);
    QCOMPARE(run.nextInput(LiveRun::inputCapacity).size(), LiveRun::inputCapacity);
    QVERIFY(run.nextInput(LiveRun::inputCapacity).endsWith("12345"));
}

void tst_LiveRun::closedInputTakesNothing()
{
    LiveRun run{RunRequest()};
    run.write("abc");
    run.closeInput();
    QCOMPARE(run.write("def"), 0);
    QVERIFY(!run.inputIsOver());
    run.inputTaken(3);
    QVERIFY(run.inputIsOver());
    LiveRun done{RunRequest()};
    done.finish({});
    QCOMPARE(done.write("abc"), 0);
}

void tst_LiveRun::cancelRequestsTheStopOnce()
{
    LiveRun run{RunRequest()};
    int stops = 0;
    const std::stop_callback callback(run.stopToken(), [&] { ++stops; });
    run.cancelBecause(Text("Because."));
    run.cancel();
    QCOMPARE(stops, 1);
    QCOMPARE(run.cancelCount(), 2);
    QCOMPARE(run.cancelReason().english(), QStringLiteral("Because."));
}

QTEST_APPLESS_MAIN(tst_LiveRun)
#include "tst_liverun.moc"
