// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/shell/words/limitwords.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestLimits : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void whatAPersonWritesIsUnderstood_data();
    void whatAPersonWritesIsUnderstood();
    void whatMakesNoSenseGetsASentence_data();
    void whatMakesNoSenseGetsASentence();
    void everyShownValueCanBeTypedAgain();
    void everyLimitIsItsOwn();
    void noLimitIsMoreThanAnyLimit();
    void whatIsMoreThanUsualOrCantBeTakenIsRemarkedOn();
};

void TestLimits::whatAPersonWritesIsUnderstood_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("value");
    const int wall = int(LimitKind::Wall), memory = int(LimitKind::Memory), processes = int(LimitKind::Processes);
    QTest::newRow("seconds") << wall << u"30"_s << qint64(30'000);
    QTest::newRow("with a unit") << wall << u" 30 s "_s << qint64(30'000);
    QTest::newRow("half a second") << wall << u"0.5s"_s << qint64(500);
    QTest::newRow("comma") << wall << u"1,5 s"_s << qint64(1'500);
    QTest::newRow("two parts") << wall << u"2 min 5 s"_s << qint64(125'000);
    QTest::newRow("hour") << wall << u"1h"_s << qint64(3'600'000);
    QTest::newRow("megabytes") << memory << u"256"_s << 256 * mebibyte;
    QTest::newRow("gigabytes") << memory << u"1 GB"_s << 1024 * mebibyte;
    QTest::newRow("kilobytes") << int(LimitKind::Output) << u"64 kB"_s << 64 * kibibyte;
    QTest::newRow("nothing is kept") << int(LimitKind::Output) << u"0"_s << qint64(0);
    QTest::newRow("percent") << int(LimitKind::CpuShare) << u"150 %"_s << qint64(150);
    QTest::newRow("percent alone") << int(LimitKind::CpuShare) << u"50"_s << qint64(50);
    QTest::newRow("all processors") << int(LimitKind::CpuShare) << u"All"_s << qint64(0);
    QTest::newRow("no limit") << int(LimitKind::CpuTime) << u"no limit"_s << qint64(0);
    QTest::newRow("traffic") << int(LimitKind::Traffic) << u"10"_s << 10 * mebibyte;
    QTest::newRow("no limit of traffic") << int(LimitKind::Traffic) << u"0"_s << qint64(0);
    QTest::newRow("bandwidth") << int(LimitKind::Bandwidth) << u"100 kB/s"_s << 100 * kibibyte;
    QTest::newRow("bandwidth alone") << int(LimitKind::Bandwidth) << u"100"_s << 100 * kibibyte;
    QTest::newRow("fast") << int(LimitKind::Bandwidth) << u"1 MB/s"_s << mebibyte;
    QTest::newRow("processes") << processes << u"12"_s << qint64(12);
    QTest::newRow("processes in words") << processes << u"12 processes"_s << qint64(12);
}

void TestLimits::whatAPersonWritesIsUnderstood()
{
    QFETCH(int, kind);
    QFETCH(QString, text);
    QFETCH(qint64, value);
    const auto parsed = parseLimit(LimitKind(kind), text);
    QVERIFY2(parsed, qPrintable(parsed ? QString() : parsed.error()));
    QCOMPARE(*parsed, value);
}

void TestLimits::whatMakesNoSenseGetsASentence_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("text");
    for (const LimitKind kind : allLimits) {
        for (const QString &text : {u""_s, u"-1"_s, u"many"_s, u"1 x"_s, u"1e9"_s, u"99999999999999999999"_s})
            QTest::newRow(qPrintable(toString(kind) + u' ' + text)) << int(kind) << text;
    }
    QTest::newRow("no time at all") << int(LimitKind::Wall) << u"0"_s;
    QTest::newRow("no memory") << int(LimitKind::Memory) << u"1 MB"_s;
}

void TestLimits::whatMakesNoSenseGetsASentence()
{
    QFETCH(int, kind);
    QFETCH(QString, text);
    const auto parsed = parseLimit(LimitKind(kind), text);
    QVERIFY(!parsed);
    QVERIFY(parsed.error().size() > 10);
}

void TestLimits::everyShownValueCanBeTypedAgain()
{
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); // it groups thousands by commas
    for (const LimitKind kind : allLimits) {
        QList<qint64> values = limitSuggestions(kind);
        values.append(limitValue(Limits(), kind));
        if (kind == LimitKind::Wall || kind == LimitKind::CpuTime)
            values.append({1500, 30'250, 125'000, 3'599'999});
        else if (kind == LimitKind::Processes || kind == LimitKind::CpuShare)
            values.append(12'345);
        else if (kind == LimitKind::Bandwidth)
            values.append({3 * kibibyte, 1023 * mebibyte});
        else if (kind != LimitKind::Output)
            values.append({1300 * mebibyte, 1'048'575 * mebibyte});
        for (const qint64 value : values) {
            const auto parsed = parseLimit(kind, limitText(kind, value));
            QVERIFY2(parsed && *parsed == value, qPrintable(limitText(kind, value)));
        }
    }
}

void TestLimits::everyLimitIsItsOwn()
{
    Limits limits;
    qint64 number = 100;
    for (const LimitKind kind : allLimits)
        setLimit(limits, kind, number++);
    number = 100;
    for (const LimitKind kind : allLimits)
        QCOMPARE(limitValue(limits, kind), number++);
}

void TestLimits::noLimitIsMoreThanAnyLimit()
{
    QVERIFY(isMoreThan(LimitKind::CpuShare, 0, 50));
    QVERIFY(isMoreThan(LimitKind::CpuShare, 100, 50));
    QVERIFY(!isMoreThan(LimitKind::CpuShare, 50, 0));
    QVERIFY(!isMoreThan(LimitKind::CpuShare, 0, 0));
    QVERIFY(isMoreThan(LimitKind::Output, 1, 0)); // there 0 is nothing at all
    QVERIFY(!isMoreThan(LimitKind::Output, 0, 1));
    QCOMPARE(limitPhrase(LimitKind::CpuShare, 0), u"all processors"_s);
    QCOMPARE(limitRange(LimitKind::CpuShare), u"From 1% of a processor to 1,024 processors, or \"all\"."_s);
    QCOMPARE(parseLimit(LimitKind::CpuShare, u"2 processors"_s).value_or(-1), 200);
    QCOMPARE(limitPhrase(LimitKind::CpuShare, 50), u"50% of a processor"_s);
}

void TestLimits::whatIsMoreThanUsualOrCantBeTakenIsRemarkedOn()
{
    const auto remark = [](const QString &text) {
        return limitRemark(LimitKind::Traffic, parseLimit(LimitKind::Traffic, text), 10 * mebibyte);
    };
    QCOMPARE(remark(u"5 MB"_s).text, limitRange(LimitKind::Traffic));
    QVERIFY(!remark(u"10 MB"_s).isWarning);
    for (const QString &more : {u"11 MB"_s, u"no limit"_s}) {
        QVERIFY(remark(more).isWarning);
        QVERIFY(remark(more).text.startsWith(u"▲ More than the default of 10 MB"_s));
    }
    QVERIFY(remark(u"much"_s).isWarning);
    QCOMPARE(remark(u"much"_s).text, parseLimit(LimitKind::Traffic, u"much"_s).error());
}

QTEST_GUILESS_MAIN(TestLimits)
#include "tst_policylimits.moc"
