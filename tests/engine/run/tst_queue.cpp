// SPDX-License-Identifier: Apache-2.0
#include "engine/run/queue/queue.h"

#include <QTest>

#include <atomic>
#include <semaphore>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

static std::shared_ptr<LiveRun> runOf(const Caller &caller, const char *name)
{
    RunRequest request;
    request.caller = caller;
    request.code = name;
    return std::make_shared<LiveRun>(request);
}

static std::shared_ptr<LiveRun> runOf(qint64 callerPid, const char *name)
{
    return runOf(Caller{.pid = callerPid}, name);
}

// A queue whose runs end when the test says so, and note in which order they started.
struct Bench
{
    Bench(int slots, int limit)
        : queue(
              slots, limit,
              [this](LiveRun &run, const std::function<void()> &freeSlot) {
                  {
                      std::lock_guard lock(mutex);
                      started.append(run.request().code);
                      ++inside;
                      most = std::max<int>(most, inside);
                  }
                  run.enter(RunState::Running);
                  go.acquire();
                  --inside;
                  if (recordsLater) {
                      freeSlot();
                      recorded.acquire();
                  }
              },
              [this](const auto &run, const Error &error) {
                  refused.append(run->request().code);
                  reason = error;
              })
    {
    }
    // A test that failed in the middle ends its runs, too.
    ~Bench()
    {
        go.release(1000);
        recorded.release(1000);
    }
    // Whichever run takes a turn may let further ones start.
    bool waitForStarted(int count)
    {
        return QTest::qWaitFor([&] {
            std::lock_guard lock(mutex);
            return started.size() >= count;
        });
    }

    std::mutex mutex;
    QByteArrayList started;
    std::atomic<int> inside = 0;
    int most = 0;
    std::counting_semaphore<> go{0};
    bool recordsLater = false;
    std::counting_semaphore<> recorded{0};
    QByteArrayList refused;
    Error reason;
    Queue queue; // last: its threads use the rest
};

class tst_Queue : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void callersTakeTurns();
    void aClientWithManyNamesHasOneTurn();
    void positionsSayWhoStartsBefore();
    void refusesBeyondItsLimitWithASentence();
    void aRemovedRunDoesNotStart();
    void neverRunsMoreThanItHasSlots();
    void aRunThatIsBeingRecordedHasNoSlot();
    void endedThreadsAreReaped();
    void runsOfOneSessionStartOneAfterTheOther();
    void aParallelRunDoesNotOccupyItsSession();
    void nobodyWaitsForTheThreadOfADoneRun();
};

void tst_Queue::callersTakeTurns()
{
    Bench bench(1, 100);
    bench.queue.admit(runOf(1, "first"));
    QVERIFY(bench.waitForStarted(1));
    for (const char *name : {"a1", "a2", "a3", "a4"})
        bench.queue.admit(runOf(10, name));
    for (const char *name : {"b1", "b2"})
        bench.queue.admit(runOf(20, name));
    bench.queue.admit(runOf(30, "c1"));
    bench.go.release(8);
    QVERIFY(bench.waitForStarted(8));
    QCOMPARE(bench.started, (QByteArrayList{"first", "a1", "b1", "c1", "a2", "b2", "a3", "a4"}));
}

// A client says anew with each call what it is called.
void tst_Queue::aClientWithManyNamesHasOneTurn()
{
    const auto client = [](const QString &pairing, const QString &connection, const QString &claimed) {
        return Caller{.kind = Caller::Kind::Mcp, .claimed = claimed, .pairing = pairing, .connection = connection};
    };
    Bench bench(1, 100);
    bench.queue.admit(runOf(1, "first"));
    QVERIFY(bench.waitForStarted(1));
    bench.queue.admit(runOf(client({}, u"c1"_s, u"x"_s), "a1"));
    bench.queue.admit(runOf(client({}, u"c1"_s, u"y"_s), "a2"));
    bench.queue.admit(runOf(client(u"p1"_s, u"c2"_s, u"x"_s), "b1"));
    bench.queue.admit(runOf(client(u"p1"_s, u"c3"_s, u"z"_s), "b2")); // one pairing, in another program
    bench.queue.admit(runOf(client({}, u"c4"_s, u"x"_s), "c1")); // another client of the same name
    bench.go.release(6);
    QVERIFY(bench.waitForStarted(6));
    QCOMPARE(bench.started, (QByteArrayList{"first", "a1", "b1", "c1", "a2", "b2"}));
}

void tst_Queue::positionsSayWhoStartsBefore()
{
    Bench bench(1, 100);
    bench.queue.admit(runOf(1, "first"));
    QVERIFY(bench.waitForStarted(1));
    const auto a1 = runOf(10, "a1"), a2 = runOf(10, "a2"), a3 = runOf(10, "a3"), b1 = runOf(20, "b1");
    for (const auto &run : {a1, a2, a3, b1})
        bench.queue.admit(run);
    QCOMPARE(a1->state(), RunState::Queued);
    QCOMPARE(a1->queuePosition(), 0);
    QCOMPARE(b1->queuePosition(), 1);
    QCOMPARE(a2->queuePosition(), 2);
    QCOMPARE(a3->queuePosition(), 3);
    std::atomic<int> woken = 0;
    a3->state();
    a3->onChange([&] { ++woken; });
    a3->state();
    woken = 0;
    bench.go.release(1);
    QVERIFY(bench.waitForStarted(2)); // a1
    QTRY_COMPARE(woken.load(), 1);
    QCOMPARE(b1->queuePosition(), 0);
    QCOMPARE(a2->queuePosition(), 1);
    QCOMPARE(a3->queuePosition(), 2);
    bench.go.release(4);
    QVERIFY(bench.waitForStarted(5));
}

void tst_Queue::refusesBeyondItsLimitWithASentence()
{
    Bench bench(1, 2);
    for (const char *name : {"runs", "waits", "waits too", "too many"})
        bench.queue.admit(runOf(1, name));
    QCOMPARE(bench.refused, QByteArrayList{"too many"});
    QCOMPARE(bench.reason.code, ErrorCode::Busy);
    QCOMPARE(bench.reason.message.english(),
             QStringLiteral("The queue is full: 2 runs are waiting. Try again when some have ended."));
    bench.go.release(3);
    QVERIFY(bench.waitForStarted(3));
}

void tst_Queue::aRemovedRunDoesNotStart()
{
    Bench bench(1, 10);
    const auto first = runOf(1, "first"), second = runOf(1, "second"), third = runOf(1, "third");
    for (const auto &run : {first, second, third})
        bench.queue.admit(run);
    QVERIFY(bench.waitForStarted(1));
    QVERIFY(!bench.queue.remove(*first)); // has its slot
    QVERIFY(bench.queue.remove(*second));
    QVERIFY(!bench.queue.remove(*second));
    QCOMPARE(third->queuePosition(), 0);
    bench.go.release(2);
    QVERIFY(bench.waitForStarted(2));
    QCOMPARE(bench.started, (QByteArrayList{"first", "third"}));
}

void tst_Queue::neverRunsMoreThanItHasSlots()
{
    Bench bench(3, 1000);
    for (int i = 0; i < 200; ++i)
        bench.queue.admit(runOf(i % 7, "run"));
    QVERIFY(bench.waitForStarted(3));
    bench.go.release(200);
    QVERIFY(bench.waitForStarted(200));
    QCOMPARE(bench.most, 3);
    QVERIFY(bench.refused.isEmpty());
}

// Threads that are not joined keep their stacks: 20000 of them would be 160 GB of address space.
void tst_Queue::aRunThatIsBeingRecordedHasNoSlot()
{
    Bench bench(1, 100);
    bench.recordsLater = true;
    for (const char *name : {"first", "second", "third"})
        bench.queue.admit(runOf(1, name));
    bench.go.release(1);
    QVERIFY(bench.waitForStarted(2)); // while the first is being recorded
    bench.go.release(2);
    QTRY_COMPARE(bench.inside.load(), 0);
    QTest::qWait(50);
    QCOMPARE(bench.started.size(), 2); // as many threads again may record, and no more
    bench.recorded.release(1);
    QVERIFY(bench.waitForStarted(3));
    bench.recorded.release(2);
    QCOMPARE(bench.most, 1);
}

void tst_Queue::endedThreadsAreReaped()
{
    std::atomic<int> done = 0;
    Queue queue(2, 100000, [&](LiveRun &, const auto &) { ++done; }, [](const auto &, const Error &) {});
    for (int i = 0; i < 2000; ++i)
        queue.admit(runOf(i % 3, "run"));
    QTRY_COMPARE_WITH_TIMEOUT(done.load(), 2000, 20000);
    QVERIFY(queue.threadCount() <= 4);
}

void tst_Queue::aParallelRunDoesNotOccupyItsSession()
{
    Bench bench(4, 3);
    const auto inSession = [](const char *name, bool isParallel) {
        RunRequest request;
        request.code = name;
        request.session = QStringLiteral("shop");
        request.isParallel = isParallel;
        return std::make_shared<LiveRun>(request);
    };
    bench.queue.admit(inSession("p1", true));
    bench.queue.admit(inSession("s1", false));
    QVERIFY(bench.queue.startNow(inSession("p2", true)));
    QVERIFY(bench.waitForStarted(3));
    const auto waiting = inSession("s2", false);
    bench.queue.admit(waiting); // the fourth slot is free, and the session isn't
    QCOMPARE(waiting->state(), RunState::Queued);
    bench.go.release(4);
    QVERIFY(bench.waitForStarted(4));
}

// As the next cell, which is sent when the one before is done.
void tst_Queue::nobodyWaitsForTheThreadOfADoneRun()
{
    std::counting_semaphore<> go{0};
    Queue queue(
        2, 3,
        [&go](LiveRun &run, const std::function<void()> &) {
            run.finish({});
            go.acquire();
        },
        [](const auto &, const Error &) {});
    RunRequest request;
    request.session = QStringLiteral("shop");
    const auto first = std::make_shared<LiveRun>(request);
    const auto next = std::make_shared<LiveRun>(request);
    queue.admit(first);
    first->wait();
    queue.admit(next);
    const qsizetype told = next->events(0).events.size();
    go.release(2);
    next->wait();
    QCOMPARE(told, 0);
}

// And hold no slot while they wait, and nobody up.
void tst_Queue::runsOfOneSessionStartOneAfterTheOther()
{
    Bench bench(2, 3);
    const auto inSession = [](const char *name) {
        RunRequest request;
        request.caller.pid = 1;
        request.code = name;
        request.session = QStringLiteral("shop");
        return std::make_shared<LiveRun>(request);
    };
    bench.recordsLater = true;
    bench.queue.admit(inSession("s1"));
    QVERIFY(bench.waitForStarted(1));
    const auto waiting = inSession("s2");
    for (const auto &run : {waiting, inSession("s3")})
        bench.queue.admit(run);
    QCOMPARE(waiting->events(0).events.size(), 1);
    bench.queue.admit(runOf(1, "a")); // the second slot
    QVERIFY(bench.waitForStarted(2));
    bench.queue.admit(runOf(1, "b"));
    bench.go.release(2);
    QVERIFY(bench.waitForStarted(3)); // b: s1 is being recorded, and still in its session
    bench.recorded.release(4);
    bench.go.release(1);
    QVERIFY(bench.waitForStarted(4));
    bench.go.release(1);
    QVERIFY(bench.waitForStarted(5));
    QCOMPARE(bench.started, (QByteArrayList{"s1", "a", "b", "s2", "s3"}));
    bench.go.release(1);
    bench.recorded.release(1);
    QVERIFY(bench.refused.isEmpty());
}

QTEST_APPLESS_MAIN(tst_Queue)
#include "tst_queue.moc"
