// SPDX-License-Identifier: Apache-2.0
#include "app/cli/record/moment.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestMoment : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatAPersonTypesIsATime_data()
    {
        QTest::addColumn<QByteArray>("typed");
        QTest::addColumn<QString>("start");
        QTest::addColumn<QString>("end");
        const auto row = [](const QByteArray &typed, const QString &start, const QString &end) {
            QTest::newRow(typed.constData()) << typed << start << end;
        };
        row("2026-11-24", u"2026-11-24T00:00:00"_s, u"2026-11-25T00:00:00"_s);
        row("2026-12-31", u"2026-12-31T00:00:00"_s, u"2027-01-01T00:00:00"_s);
        row("today", u"2026-11-26T00:00:00"_s, u"2026-11-27T00:00:00"_s);
        row("yesterday", u"2026-11-25T00:00:00"_s, u"2026-11-26T00:00:00"_s);
        row("2026-11-24 13:05", u"2026-11-24T13:05:00"_s, u"2026-11-24T13:05:00"_s);
        row("2026-11-24T13:05:09", u"2026-11-24T13:05:09"_s, u"2026-11-24T13:05:09"_s);
        row("90m", u"2026-11-26T10:30:00"_s, u"2026-11-26T10:30:00"_s);
        row("2h", u"2026-11-26T10:00:00"_s, u"2026-11-26T10:00:00"_s);
        row("7d", u"2026-11-19T12:00:00"_s, u"2026-11-19T12:00:00"_s);
    }
    void whatAPersonTypesIsATime()
    {
        QFETCH(const QByteArray, typed);
        QFETCH(const QString, start);
        QFETCH(const QString, end);
        const QDateTime now(QDate(2026, 11, 26), QTime(12, 0));
        const auto from = momentOf("--since", typed, DayEdge::Start, now);
        const auto to = momentOf("--until", typed, DayEdge::End, now);
        QVERIFY2(from && to, qPrintable(from ? QString() : from.error()));
        QCOMPARE(from->toString(Qt::ISODate), start);
        QCOMPARE(to->toString(Qt::ISODate), end);
    }

    void anythingElseIsRefused()
    {
        const QDateTime now(QDate(2026, 11, 26), QTime(12, 0));
        for (const char *typed : {"", "x", "24", "0d", "-1d", "1.5h", "d", "99999999999999999999d", "2026-13-01",
                                  "2026-02-30", "24.11.2026", "11/24/2026", "2026-11-24 25:00", "tomorrow", "\xff"}) {
            const auto moment = momentOf("--since", typed, DayEdge::Start, now);
            QVERIFY2(!moment, typed);
            QVERIFY2(moment.error().contains(u"is not a time for --since. Give a day such as 2026-11-26,"),
                     qPrintable(moment.error()));
        }
    }
};

QTEST_GUILESS_MAIN(TestMoment)
#include "tst_moment.moc"
