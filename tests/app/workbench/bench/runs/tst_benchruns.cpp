// SPDX-License-Identifier: Apache-2.0
// Several runs: again, beside each other, all ended at once, and what waits says for whom.
#include "tests/app/workbench/bench/benchseat.h"

#include "engine/sqlite/sqlite.h"

#include <QApplication>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QTreeView>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchRuns : public QObject, BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void cleanup()
    {
        m_desk.reset();
        qunsetenv("GLOVEBOX_ENGINE_MAX_CONCURRENT");
    }

    void runningAgainStopsWhatGoesOn();
    void aStubbornRunEndsAtTheSecondPress();
    void stopTakesTheNextRunBack();
    void besideEachOtherAndAllStopped();
    void whatWaitsSaysForWhom();
    void aSlowDiskIsTold();
    void columnsOfTheNetworkFitTheRunInFront();
    void chipsAreReadableAtEachSize();
    void f6ComesToTheOutput();

private:
    static inline const QString forEver = u"import time\nprint('GOING', flush=True)\ntime.sleep(600)\n"_s;
    static inline const QString stubborn =
        u"import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('GOING', flush=True)\ntime.sleep(600)\n"_s;
    void runUntilItPrints(const QString &code)
    {
        run(code);
        QTRY_VERIFY2_WITH_TIMEOUT(shown().contains(u"GOING"_s), qPrintable(shown()), 20'000);
    }
    // A run that waits for one that has ended starts by a call that was queued when that one ended.
    void startWhatWaits() { QCoreApplication::sendPostedEvents(tab()); }
    QString state() { return tab()->findChild<QLabel *>(u"bench.run.state"_s)->text(); }
};

void TestBenchRuns::runningAgainStopsWhatGoesOn()
{
    sitDown();
    runUntilItPrints(forEver);
    ShownRun *first = tab()->runs().current();
    tab()->editor().setText(u"print('new')\n"_s, true);
    auto *button = m_desk->frame.findChild<QPushButton *>(u"bench.run"_s);
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(tab()->runs().runs().size(), 1U); // not before that one has ended
    QCOMPARE(state(), u"Stopping, then it runs again"_s);
    QTRY_COMPARE_WITH_TIMEOUT(tab()->runs().runs().size(), 2U, 20'000);
    QVERIFY(first->isDone());
    QVERIFY(first->result()->outcome == Outcome::Cancelled);
    waitForEnd();
    QVERIFY(shown().contains(u"new"_s));
    QCOMPARE(tab()->runs().current()->title().number, 2);
}

void TestBenchRuns::aStubbornRunEndsAtTheSecondPress()
{
    sitDown();
    runUntilItPrints(stubborn);
    tab()->editor().setText(u"print('first')\n"_s, true);
    QVERIFY(trigger("bench.run"));
    tab()->editor().setText(u"print('second')\n"_s, true);
    QVERIFY(trigger("bench.run")); // the code of the last press is what runs
    QTRY_COMPARE_WITH_TIMEOUT(tab()->runs().runs().size(), 2U, 20'000);
    waitForEnd();
    QVERIFY2(shown().contains(u"second"_s), qPrintable(shown()));
    QCOMPARE(tab()->runs().current()->title().number, 2);
    startWhatWaits();
    QCOMPARE(tab()->runs().runs().size(), 2U);
}

void TestBenchRuns::stopTakesTheNextRunBack()
{
    sitDown();
    runUntilItPrints(stubborn);
    QVERIFY(trigger("bench.run"));
    QVERIFY(trigger("bench.stop"));
    waitForEnd();
    startWhatWaits();
    QCOMPARE(tab()->runs().runs().size(), 1U);
}

void TestBenchRuns::besideEachOtherAndAllStopped()
{
    qputenv("GLOVEBOX_ENGINE_MAX_CONCURRENT", "4"); // however few cores there are
    sitDown();
    runUntilItPrints(forEver);
    QTest::keyClick(&m_desk->frame, Qt::Key_Return, Qt::ControlModifier | Qt::AltModifier);
    QTRY_COMPARE(tab()->runs().liveRuns(), 2);
    BenchTab *first = tab();
    QVERIFY(trigger("bench.new"));
    runUntilItPrints(forEver);
    auto *item = m_desk->frame.findChild<QToolButton *>(u"status.runs"_s);
    QTRY_VERIFY(item && item->text() == u"3 running"_s);
    QTest::mouseClick(item, Qt::LeftButton);
    QPointer<QMenu> menu = m_desk->frame.findChild<QMenu *>(u"bench.running.menu"_s);
    QTRY_VERIFY(menu && menu->isVisible());
    QCOMPARE(menu->actions().first()->text(), u"Untitled 1 · Run 1 · running"_s);
    menu->actions().first()->trigger(); // leads there
    QCOMPARE(tab(), first);
    QCOMPARE(first->runs().current()->title().number, 1);
    menu->close();
    QVERIFY(trigger("bench.stopall"));
    QTRY_COMPARE_WITH_TIMEOUT(first->runs().liveRuns(), 0, 20'000);
    QTRY_COMPARE_WITH_TIMEOUT(m_page->tabs().last()->runs().liveRuns(), 0, 20'000);
    QVERIFY(!trigger("bench.stopall"));
}

void TestBenchRuns::whatWaitsSaysForWhom()
{
    qputenv("GLOVEBOX_ENGINE_MAX_CONCURRENT", "1");
    sitDown();
    runUntilItPrints(forEver);
    for (const char *sentence : {"Waiting while Untitled 1 runs", "Waiting while Untitled 1 runs; 1 run before it"}) {
        QVERIFY(trigger("bench.new"));
        run(u"print('at last')\n"_s);
        QTRY_COMPARE_WITH_TIMEOUT(state(), QString::fromLatin1(sentence), 10'000);
    }
    m_page->tabs().first()->stop();
    waitForEnd();
    QVERIFY(shown().contains(u"at last"_s));
}

// Another program keeps the log as busy as a slow disk does; the log's own thread would wait for the disk meanwhile.
void TestBenchRuns::aSlowDiskIsTold()
{
    sitDown();
    auto log = Connection::open(m_desk->paths.auditFile(), Connection::Mode::ReadWrite);
    QVERIFY(log && log->execute("BEGIN IMMEDIATE"));
    {
        const DiskWait wait;
        run(u"print('at last')\n"_s);
        QTRY_COMPARE_WITH_TIMEOUT(state(), u"Waiting for the disk of the log"_s, 4'000);
    }
    QVERIFY(log->execute("ROLLBACK"));
    waitForEnd();
    QVERIFY(shown().contains(u"at last"_s));
}

// As many rows, but another run's.
void TestBenchRuns::columnsOfTheNetworkFitTheRunInFront()
{
    sitDown();
    QVERIFY(trigger("bench.network"));
    auto *list = inTab<QTreeView>(u"bench.network.list"_s);
    const auto place = [list] { return list->model()->index(0, 1); };
    const QString wide = u"a-name-of-many-letters.collect.example.net"_s, narrow = u"a.example"_s;
    for (const QString &host : {wide, narrow}) {
        run(u"import socket\ntry:\n    socket.create_connection(('%1', 443))\nexcept OSError:\n    print('no')\n"_s.arg(
            host));
        waitForEnd();
        QTRY_COMPARE(place().data().toString(), host);
    }
    inTab<QToolButton>(u"bench.run.chip1"_s)->click();
    QTRY_COMPARE(place().data().toString(), wide);
    QVERIFY(list->sizeHintForIndex(place()).width() <= list->columnWidth(1));
}

// At large text, and where there are many.
void TestBenchRuns::chipsAreReadableAtEachSize()
{
    sitDown();
    constexpr int most = 6;
    for (int i = 1; i <= most; ++i) {
        run(u"print(%1)\n"_s.arg(i));
        waitForEnd();
    }
    const auto chip = [this](int number) { return inTab<QToolButton>(u"bench.run.chip%1"_s.arg(number)); };
    const auto areWhole = [&] {
        for (int i = 1; i <= most; ++i) {
            if (chip(i)->width() < chip(i)->sizeHint().width())
                return false;
        }
        return true;
    };
    QTRY_VERIFY(chip(most) && chip(most)->isVisible());
    QTRY_COMPARE(chip(1)->text(), u"Run 1 · exit 0"_s);
    QVERIFY(areWhole());
    m_desk->theme.setTextScale(2);
    m_desk->frame.resize(900, 600);
    QTRY_COMPARE(chip(1)->text(), u"1"_s);
    QTRY_VERIFY(areWhole());
    QCOMPARE(chip(most)->text(), u"Run 6 · exit 0"_s);
    QCOMPARE(chip(1)->toolTip(), u"Run 1 · exit 0"_s);
    QCOMPARE(chip(1)->accessibleName(), u"Run 1 · exit 0"_s);
    QVERIFY(m_desk->save(u"bench-chips-large-text"_s));
    QTest::mouseClick(chip(1), Qt::LeftButton);
    QTRY_COMPARE(chip(1)->text(), u"Run 1 · exit 0"_s);
    QTRY_VERIFY(areWhole());
    m_desk->theme.setTextScale(1);
    m_desk->frame.resize(1360, 860);
    QTRY_COMPARE(chip(2)->text(), u"Run 2 · exit 0"_s);
}

void TestBenchRuns::f6ComesToTheOutput()
{
    sitDown();
    run(u"print('here')\n"_s);
    waitForEnd();
    QTRY_VERIFY(find<QWidget>(u"bench.story.close"_s));
    tab()->editor().editor().setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
    QCOMPARE(QApplication::focusWidget(), tab()->runs().output());
    QVERIFY(trigger("bench.isolation"));
    tab()->editor().editor().setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
    QCOMPARE(QApplication::focusWidget()->objectName(), u"bench.run.controls"_s);
}

GLOVEBOX_TEST_MAIN(TestBenchRuns)
#include "tst_benchruns.moc"
