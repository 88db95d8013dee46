// SPDX-License-Identifier: Apache-2.0
// Ids carry their time and sort by it.
#include "engine/base/base.h"

#include <QSet>
#include <QTest>

#include <algorithm>
#include <thread>
#include <vector>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

struct SetClock : Clock
{
    qint64 now = 0;
    qint64 nowMicroseconds() const override { return now; }
};

} // namespace

class TestIds : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void anIdIsAUuidOfVersionSevenWithItsTime()
    {
        SetClock clock;
        clock.now = 4'000'000'000'123'000; // later than any other id of this test
        const QString id = newId(clock);
        QVERIFY2(isId(id), qPrintable(id));
        QCOMPARE((id.first(8) + id.sliced(9, 4)).toLongLong(nullptr, 16), 4'000'000'000'123);
    }

    void idsOfOneMillisecondSort()
    {
        SetClock clock;
        clock.now = 4'100'000'000'000'000;
        QStringList ids;
        for (int i = 0; i < 10'000; ++i) // more than the counter holds
            ids.append(newId(clock));
        QVERIFY(std::is_sorted(ids.begin(), ids.end()));
        QCOMPARE(QSet<QString>(ids.begin(), ids.end()).size(), ids.size());
    }

    void aClockThatIsSetBackKeepsTheOrder()
    {
        SetClock clock;
        clock.now = 4'200'000'000'000'000;
        const QString first = newId(clock);
        clock.now -= 3'600'000'000;
        QVERIFY(newId(clock) > first);
    }

    void threadsNeverGetTheSameId()
    {
        std::vector<QStringList> made(4);
        {
            std::vector<std::jthread> threads;
            threads.reserve(made.size());
            for (auto &list : made)
                threads.emplace_back([&list] {
                    for (int i = 0; i < 2000; ++i)
                        list.append(newId(Clock::system()));
                });
        }
        QSet<QString> all;
        for (const auto &list : made) {
            QVERIFY(std::is_sorted(list.begin(), list.end()));
            all.unite(QSet<QString>(list.begin(), list.end()));
        }
        QCOMPARE(all.size(), 8000);
    }

    void onlyIdsAreIds()
    {
        QVERIFY(isId(u"01890a5d-ac96-774b-bcce-b302099a8057"_s));
        QVERIFY(!isId(u"01890a5d-ac96-474b-bcce-b302099a8057"_s)); // version 4
        QVERIFY(!isId(u"01890a5d-ac96-774b-7cce-b302099a8057"_s)); // variant
        QVERIFY(!isId(u"01890A5D-ac96-774b-bcce-b302099a8057"_s));
        QVERIFY(!isId(u"01890a5dac96774bbcceb302099a8057"_s));
        QVERIFY(!isId(u"../../../../../../../../../etc/pass7"_s));
        QVERIFY(!isId({}));
    }
};

QTEST_GUILESS_MAIN(TestIds)
#include "tst_ids.moc"
