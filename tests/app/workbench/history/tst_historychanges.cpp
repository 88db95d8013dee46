// SPDX-License-Identifier: Apache-2.0
// The history page: changes in copies of folders that an earlier window, or another program, left to be decided about.
#include "historyseat.h"

#include "tests/support/openers.h"
#include "tests/support/signals.h"

#include <QCheckBox>
#include <QDeadlineTimer>
#include <QPushButton>
#include <QTabBar>
#include <QThread>
#include <QTreeView>

#include <functional>
#include <future>

using namespace glovebox;

class TestHistoryChanges : public HistorySeat
{
    Q_OBJECT

private:
    QString m_run;

    Engine &engine() { return *m_desk->context.engine(); }
    // As a window that is gone, or another program, did; and its details are shown.
    void runOnACopy(const QByteArray &code, FolderGrant::Mode mode = FolderGrant::Mode::Stage)
    {
        RunRequest request;
        request.code = "cd src\n" + code + '\n';
        request.language = u"sh"_s;
        request.policy = m_desk->context.settings()->policy();
        request.policy.folders = {{m_desk->folder.path(), u"/work/src"_s, mode}};
        request.caller = engine().caller();
        const auto run = engine().start(std::move(request));
        QTRY_VERIFY_WITH_TIMEOUT(run->state() == RunState::Done, 20'000);
        m_run = run->wait()->id;
        go();
        QTRY_VERIFY(table() && table()->model()->rowCount() > 0);
        QTRY_VERIFY(m_run.startsWith(newest()));
        click(0);
        QTRY_VERIFY(shows(u"history.details.tabs"_s)
                    && m_run.startsWith(text(u"history.details.origin"_s).section(u' ', 1, 1)));
    }
    QString newest() const
    {
        const RunRow *row = qobject_cast<RunsModel *>(table()->model())->runAt(0);
        return row ? row->run : u"none"_s;
    }
    QTabBar *tabs() const { return find<QTabBar>(u"history.details.tabs"_s); }
    QString changesTitle() const { return tabs()->tabText(tabs()->count() - 1); }
    QStringList told(const QString &words) const
    {
        QStringList texts;
        for (const QLabel *label : find<QWidget>(u"history.summary"_s)->findChildren<QLabel *>()) {
            if (label->isVisible() && label->text().contains(words))
                texts.append(label->text());
        }
        return texts;
    }
    QStringList waitingFact() const { return told(u"for you to apply or discard"_s); }
    QString summary() const { return text(u"history.changes.summary"_s); }
    bool trigger(const char *id) { return m_desk->context.actions().trigger(QString::fromLatin1(id)); }
    void press(const char *name)
    {
        auto *button = find<QPushButton>(QString::fromLatin1(name));
        QVERIFY(button && button->isVisible() && button->isEnabled());
        QTest::mouseClick(button, Qt::LeftButton);
    }
    int files() const { return int(QDir(m_desk->folder.path()).entryList(QDir::Files | QDir::Hidden).size()); }
    // Looks often: all of it takes a second.
    void waitForFiles(const std::function<bool(int count)> &isEnough) const
    {
        const QDeadlineTimer patience(20'000);
        while (!isEnough(files()) && !patience.hasExpired())
            QThread::msleep(1);
    }
    void review()
    {
        QTRY_COMPARE(waitingFact().size(), 1);
        press("history.summary.review");
        QTRY_VERIFY(shows(u"history.changes.summary"_s));
    }

private Q_SLOTS:
    void init()
    {
        sit();
        m_desk->openEngine();
    }
    void cleanup() { m_desk.reset(); }

    void theyAreDecidedHere()
    {
        runOnACopy("echo new > a.txt && echo new > b.txt");
        QTRY_COMPARE(waitingFact(), QStringList{u"2 wait for you to apply or discard"_s});
        QVERIFY(m_desk->save(u"history-changes-told"_s));
        review();
        QCOMPARE(changesTitle(), u"Changes · 2"_s);
        QVERIFY2(summary().startsWith(u"2 changes in the copy of "_s), qPrintable(summary()));
        QCOMPARE(find<QTreeView>(u"history.changes.list"_s)->model()->rowCount(), 2);
        Desk::settle();
        QVERIFY(m_desk->save(u"history-changes"_s));

        press("history.changes.apply");
        QCOMPARE(files(), 0); // it asks first
        press("history.changes.really");
        QTRY_VERIFY2(summary().startsWith(u"2 changes applied to the original."_s), qPrintable(summary()));
        QCOMPARE(files(), 2);
        QCOMPARE(changesTitle(), u"Changes"_s);
        QTest::qWait(1500); // the log is looked at each second: what was said stays
        QVERIFY2(summary().startsWith(u"2 changes applied to the original."_s), qPrintable(summary()));
        tabs()->setCurrentIndex(0);
        QTRY_COMPARE(told(u"2 applied to "_s).size(), 1);
        QVERIFY(waitingFact().isEmpty());

        QVERIFY(trigger("history.changes.undo"));
        QTRY_COMPARE(files(), 0);
        QTRY_COMPARE(changesTitle(), u"Changes · 2"_s);
        QVERIFY(trigger("history.changes.discard"));
        press("history.changes.really");
        QTRY_COMPARE(summary(), u"Discarded."_s);
        QVERIFY(!engine().staging().pending(m_run));
        QVERIFY(!trigger("history.changes.discard") && !trigger("history.changes.apply"));
        tabs()->setCurrentIndex(0);
        QTRY_COMPARE(told(u"2 discarded from the copy of "_s).size(), 1);
        QVERIFY(waitingFact().isEmpty());
    }

    // Only what is applied last can be undone. Who comes back to an earlier run finds out why, where the button was.
    void whatCanNoLongerBeUndoneSaysWhy()
    {
        const auto applyAll = [this] {
            tabs()->setCurrentIndex(0);
            review();
            press("history.changes.apply");
            press("history.changes.really");
            QTRY_VERIFY2(summary().contains(u"1 change can be undone until others are applied."_s),
                         qPrintable(summary()));
        };
        runOnACopy("echo new > a.txt");
        const QString first = m_run;
        applyAll();
        QVERIFY(shows(u"history.changes.undo"_s) && find<QPushButton>(u"history.changes.undo"_s)->isEnabled());
        runOnACopy("echo new > b.txt");
        applyAll();
        m_desk->context.navigateTo(u"history"_s, {{u"run"_s, first}});
        QTRY_COMPARE(summary(),
                     u"No changes of this run wait.\nApplied changes of this run can no longer be undone: only "
                     "those that were applied last can be."_s);
        QVERIFY(shows(u"history.changes.undo"_s));
        const auto *undo = find<QPushButton>(u"history.changes.undo"_s);
        QVERIFY(!undo->isEnabled());
        QVERIFY(undo->toolTip().contains(u"only those that were applied last"_s));
        QVERIFY(!trigger("history.changes.undo"));
        QVERIFY(m_desk->save(u"history-changes-no-undo"_s));
    }

    // On the command line, beside this window.
    void whatIsDecidedElsewhereIsTold()
    {
        runOnACopy("echo new > a.txt && echo new > b.txt");
        review();
        QVERIFY(engine().discardChanges(m_run, engine().caller()));
        QTRY_COMPARE(summary(), u"No changes of this run wait."_s);
        QCOMPARE(changesTitle(), u"Changes"_s);
        tabs()->setCurrentIndex(0);
        QTRY_COMPARE(told(u"2 discarded from the copy of "_s).size(), 1);
        QVERIFY(waitingFact().isEmpty());
    }

    void whatSomebodyElseAppliesIsNotOffered()
    {
        constexpr int most = 900;
        runOnACopy("head -c 90000000 /dev/zero | tr '\\0' a | split -a 3 -b 100000");
        review();
        QVERIFY(shows(u"history.changes.apply"_s));
        auto applied =
            std::async(std::launch::async, [&] { return engine().applyChanges(m_run, engine().caller(), {}); });
        waitForFiles([](int count) { return count > 0; });
        const pid_t applies = openers().value(0, -1);
        QCOMPARE(sendSignal(applies, SIGSTOP), 0);
        auto goOn = qScopeGuard([&] { sendSignal(applies, SIGCONT); }); // or this test would wait for it
        QVERIFY(files() < most);
        QTRY_VERIFY2(summary().startsWith(u"These changes are being applied to the original."_s),
                     qPrintable(summary()));
        for (const char *name : {"all", "apply", "discard", "undo", "really", "stop"})
            QVERIFY2(!shows(u"history.changes."_s + QLatin1StringView(name)), name);
        QVERIFY(!find<QTreeView>(u"history.changes.list"_s)->isEnabled());
        QVERIFY(!trigger("history.changes.apply") && !trigger("history.changes.discard")
                && !trigger("history.changes.undo"));
        Desk::settle();
        QVERIFY(m_desk->save(u"history-changes-elsewhere"_s));
        tabs()->setCurrentIndex(0);
        QTRY_COMPARE(told(u"900 being applied to "_s).size(), 1);
        QVERIFY(waitingFact().isEmpty());
        tabs()->setCurrentIndex(tabs()->count() - 1);
        goOn.dismiss();
        QCOMPARE(sendSignal(applies, SIGCONT), 0);
        QVERIFY(applied.get());
        QTRY_VERIFY2(summary().contains(u"900 changes can be undone"_s), qPrintable(summary()));
        QVERIFY(shows(u"history.changes.undo"_s));
    }

    // Killed in the middle, by the power or by somebody.
    void whatWasHalfUndoneIsFinishedHere()
    {
        constexpr int most = 900;
        runOnACopy("head -c 90000000 /dev/zero | tr '\\0' a | split -a 3 -b 100000");
        QVERIFY(engine().applyChanges(m_run, engine().caller(), {}));
        QCOMPARE(files(), most);
        auto undone = std::async(std::launch::async, [&] { return engine().undoChanges(m_run, engine().caller()); });
        waitForFiles([](int count) { return count < most; });
        QCOMPARE(sendSignal(openers().value(0, -1), SIGKILL), 0);
        undone.wait();
        QVERIFY(files() > 0);
        QTRY_COMPARE(told(u"Glovebox ended while it undid them"_s).size(), 1);
        press("history.summary.review");
        QTRY_VERIFY2(summary().startsWith(u"▲ Glovebox ended while it undid changes"_s), qPrintable(summary()));
        QVERIFY2(!summary().contains(u"glovebox changes"_s), qPrintable(summary()));
        press("history.changes.undo");
        QTRY_COMPARE(files(), 0);
        QTRY_COMPARE(changesTitle(), u"Changes · 900"_s);
        tabs()->setCurrentIndex(0);
        QTRY_COMPARE(waitingFact().size(), 1);
        QVERIFY(told(u"Glovebox ended while it undid them"_s).isEmpty());
    }

    void runsWhoseChangesWaitAreFoundOneByOne()
    {
        runOnACopy("echo new > a.txt");
        const QString first = m_run;
        runOnACopy("ls");
        runOnACopy("echo new > b.txt");
        const auto status = [this] {
            for (const StatusItem &item : m_desk->frame.page(u"history"_s)->status()) {
                if (item.id == u"waiting"_s)
                    return item.text;
            }
            return QString();
        };
        QTRY_COMPARE(status(), u"Changes of 2 runs wait"_s);
        const auto shownRun = [this] { return text(u"history.details.origin"_s).section(u' ', 1, 1); };
        QVERIFY(trigger("history.changes.next"));
        QTRY_VERIFY(shows(u"history.changes.list"_s) && first.startsWith(shownRun()));
        QCOMPARE(table()->currentIndex().row(), 2);
        QVERIFY(trigger("history.changes.next"));
        QTRY_VERIFY(shows(u"history.changes.list"_s) && m_run.startsWith(shownRun()));
        QCOMPARE(table()->currentIndex().row(), 0);
        QVERIFY(m_desk->save(u"history-changes-waiting"_s));
        for (const QString &run : {first, m_run})
            QVERIFY(engine().discardChanges(run, engine().caller()));
        QTRY_COMPARE(status(), QString());
        QVERIFY(!trigger("history.changes.next"));
    }

    void aRunWithoutCopiesHasNoneOfIt()
    {
        runOnACopy("cat a.txt", FolderGrant::Mode::ReadOnly);
        QVERIFY(!tabs()->isTabVisible(tabs()->count() - 1));
        QVERIFY(waitingFact().isEmpty());
    }

    void aRunThatChangedNothingHasNothingToDecide()
    {
        runOnACopy("ls");
        tabs()->setCurrentIndex(tabs()->count() - 1);
        QTRY_COMPARE(summary(), u"No changes of this run wait."_s);
        for (const char *name : {"all", "apply", "discard", "undo", "review"})
            QVERIFY2(!shows(u"history.changes."_s + QLatin1StringView(name)), name);
    }

    void inTheSmallestWindowEachTabIsWhole()
    {
        m_desk->frame.resize(640, 480);
        runOnACopy("echo new > a.txt; echo kept > /work/kept.txt");
        QTRY_COMPARE(changesTitle(), u"Changes · 1"_s);
        Desk::settle();
        QVERIFY(m_desk->save(u"history-details-smallest"_s));
        QVERIFY2(m_desk->frame.width() == 640, qPrintable(QString::number(m_desk->frame.width())));
        QCOMPARE(tabs()->visibleRegion().boundingRect(), tabs()->rect()); // with what scrolls it
        for (int tab = 0; tab < tabs()->count(); ++tab) {
            tabs()->setCurrentIndex(tab);
            QVERIFY2(tabs()->rect().contains(tabs()->tabRect(tab)), qPrintable(tabs()->tabText(tab)));
        }
    }

    // The details are beside or below the list, or in its place.
    void inEachPlaceTheyCanBeReviewed_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("scale");
        QTest::newRow("beside") << QSize(1360, 860) << 1.0;
        QTest::newRow("below") << QSize(900, 860) << 1.0;
        QTest::newRow("small") << QSize(900, 600) << 1.0;
        QTest::newRow("large text") << QSize(900, 600) << 2.0;
    }
    void inEachPlaceTheyCanBeReviewed()
    {
        QFETCH(QSize, size);
        QFETCH(double, scale);
        m_desk->theme.setTextScale(scale);
        m_desk->frame.resize(size);
        runOnACopy("echo new > a.txt && echo all: > Makefile");
        review();
        const auto *list = find<QTreeView>(u"history.changes.list"_s);
        if (!list->isVisible())
            press("history.changes.review");
        QTRY_VERIFY(list->isVisible());
        Desk::settle();
        QVERIFY(m_desk->save(u"history-changes-"_s + QString::fromLatin1(QTest::currentDataTag()).replace(u' ', u'-')));
        QVERIFY(list->viewport()->height() >= 2 * list->visualRect(list->model()->index(0, 0)).height());
        for (const char *name : {"history.changes.apply", "history.changes.discard"}) {
            const auto *button = find<QPushButton>(QString::fromLatin1(name));
            QVERIFY(button->isVisible());
            const QRect seen = button->visibleRegion().boundingRect();
            QVERIFY2(seen.width() == button->width() && button->width() >= button->sizeHint().width(), name);
        }
        // With all buttons that there are.
        QVERIFY(trigger("history.changes.apply"));
        press("history.changes.really");
        QTRY_VERIFY(shows(u"history.changes.undo"_s) && shows(u"history.changes.discard"_s));
        if (auto *instead = find<QPushButton>(u"history.changes.instead"_s); instead->isVisible())
            QTest::mouseClick(instead, Qt::LeftButton);
        Desk::settle();
        QVERIFY(m_desk->save(u"history-changes-all-buttons"_s));
        const auto *last = find<QPushButton>(u"history.changes.discard"_s);
        QCOMPARE(last->visibleRegion().boundingRect().width(), last->width());
        m_desk->theme.setTextScale(1);
    }
};

GLOVEBOX_TEST_MAIN(TestHistoryChanges)
#include "tst_historychanges.moc"
