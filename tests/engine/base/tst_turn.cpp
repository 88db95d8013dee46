// SPDX-License-Identifier: Apache-2.0
#include "engine/base/turn.h"

#include <QTest>

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

using namespace glovebox;
using namespace std::chrono_literals;

class TestTurn : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void itGoesFromOneToTheNext()
    {
        Turn turn;
        Turn::Held first = turn.take({});
        QVERIFY(first);
        auto second = std::async(std::launch::async, [&] { return bool(turn.take({})); });
        QCOMPARE(second.wait_for(50ms), std::future_status::timeout);
        first.reset();
        QVERIFY(second.get());
        QVERIFY(turn.take({})); // the second has left, too
    }

    void waitingIsStopped()
    {
        Turn turn;
        const Turn::Held held = turn.take({});
        std::stop_source stop;
        auto waiting = std::async(std::launch::async, [&] { return bool(turn.take(stop.get_token())); });
        QCOMPARE(waiting.wait_for(50ms), std::future_status::timeout);
        stop.request_stop();
        QVERIFY(!waiting.get());
        QVERIFY(!turn.take(stop.get_token()));
    }

    void waitingEndsInTime()
    {
        Turn turn;
        Turn::Held held = turn.take({});
        const auto begin = std::chrono::steady_clock::now();
        QVERIFY(!turn.takeUntil(begin + 100ms, {}));
        QVERIFY(std::chrono::steady_clock::now() - begin >= 100ms);
        held.reset();
        QVERIFY(turn.takeUntil(begin, {})); // free, so nobody waits
    }

    void oneAtATimeHasIt()
    {
        Turn turn;
        int inside = 0, most = 0, times = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 8; ++i) {
                threads.emplace_back([&] {
                    for (int j = 0; j < 1000; ++j) {
                        const Turn::Held held = turn.take({});
                        most = std::max(most, ++inside);
                        ++times;
                        --inside;
                    }
                });
            }
        }
        QCOMPARE(most, 1);
        QCOMPARE(times, 8000);
    }
};

QTEST_GUILESS_MAIN(TestTurn)
#include "tst_turn.moc"
