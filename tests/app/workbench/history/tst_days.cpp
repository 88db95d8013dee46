// SPDX-License-Identifier: Apache-2.0
// Days that a person types, in words and as their locale writes dates.
#include "app/workbench/history/list/days.h"

#include <QtTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestDays : public QObject
{
    Q_OBJECT

    const QDate m_today{2026, 11, 28}; // a Saturday

private Q_SLOTS:
    void areReadAsTheyAreTyped_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QLocale>("locale");
        QTest::addColumn<QDate>("first");
        QTest::addColumn<QDate>("last");
        const QLocale english(QLocale::English, QLocale::UnitedStates), german(QLocale::German, QLocale::Germany);
        const auto row = [](const char *text, const QLocale &locale, const QDate &first, const QDate &last) {
            QTest::addRow("%s, %s", text, qPrintable(locale.name()))
                << QString::fromUtf8(text) << locale << first << last;
        };
        const QDate day(2026, 11, 20);
        row("today", english, m_today, m_today);
        row(" Yesterday ", english, m_today.addDays(-1), m_today.addDays(-1));
        row("last 7 days", german, m_today.addDays(-6), m_today);
        row("Saturday", english, m_today, m_today);
        row("Mon", english, {2026, 11, 23}, {2026, 11, 23});
        row("Montag", german, {2026, 11, 23}, {2026, 11, 23});
        row("2026-11-20", german, day, day);
        row("2026-02", english, {2026, 2, 1}, {2026, 2, 28});
        row("20 nov", english, day, day);
        row("November 20", english, day, day);
        row("20. November", german, day, day);
        row("24 Dec", english, {2025, 12, 24}, {2025, 12, 24}); // nobody ran anything in the future
        row("29 Feb", english, {2024, 2, 29}, {2024, 2, 29});
        row("20 Nov 2025", english, {2025, 11, 20}, {2025, 11, 20});
        row("11/20/26", english, day, day);
        row("20.11.26", german, day, day);
        row("2026-11-20 .. 2026-11-25", english, day, {2026, 11, 25});
        row("2026-11-20..2026-11-25", english, day, {2026, 11, 25});
        row("20 Nov – yesterday", english, day, {2026, 11, 27});
        row("20 Nov - 25 Nov", english, day, {2026, 11, 25});
        row("25 Nov to 20 Nov", english, day, {2026, 11, 25}); // the other way round
        row("20 Nov..", english, day, {});
        row("..2026-11-20", english, {}, day);
    }

    void areReadAsTheyAreTyped()
    {
        QFETCH(QString, text);
        QFETCH(QLocale, locale);
        QFETCH(QDate, first);
        QFETCH(QDate, last);
        const auto days = daysFrom(text, m_today, locale);
        QVERIFY(days);
        QCOMPARE(days->first, first);
        QCOMPARE(days->last, last);
    }

    void whatNamesNoneIsNoDay()
    {
        for (const auto &text :
             {u""_s, u".."_s, u"yest"_s, u"2026-11-31"_s, u"20 Nov.. soon"_s, u"31"_s, u"tomorrow"_s})
            QVERIFY2(!daysFrom(text, m_today, QLocale(QLocale::English)), qPrintable(text));
    }

    void wordsToChooseFromAreRead()
    {
        for (const QString &word : wordsForDays())
            QVERIFY2(daysFrom(word, m_today), qPrintable(word));
    }
};

QTEST_GUILESS_MAIN(TestDays)
#include "tst_days.moc"
