// SPDX-License-Identifier: Apache-2.0
// The history page in the real window, driven by keys and clicks, over the record of real runs.
#include "app/workbench/bench/benchpage.h"
#include "app/workbench/editor/code/codeeditor.h"
#include "app/workbench/history/list/runstable.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "historyseat.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QTabBar>
#include <QTreeView>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// GLOVEBOX_TEST_RUNS=1000000 measures with more.
const int many = std::max(1000, qEnvironmentVariable("GLOVEBOX_TEST_RUNS", u"200000"_s).toInt());
constexpr qint64 stallMilliseconds = 50;

Application *application()
{
    return static_cast<Application *>(QCoreApplication::instance());
}

} // namespace

class TestHistoryPage : public HistorySeat
{
    Q_OBJECT

private Q_SLOTS:
    void init() { sit(); }
    void cleanup() { m_desk.reset(); }

    void withoutRunsItSaysWhatWillBeHereAndLeadsToTheBench()
    {
        m_desk->openEngine();
        go();
        QTRY_VERIFY(shows(u"history.message"_s));
        auto *step = find<QPushButton>(u"history.message.step"_s);
        QTRY_VERIFY(step->hasFocus());
        QTest::keyClick(step, Qt::Key_Space);
        QTRY_COMPARE(m_desk->frame.currentPage(), u"bench"_s);
    }

    void aRunIsFoundAndRunAgain()
    {
        m_desk->openEngine();
        run(u"print(6 * 7)\nprint('second line')\n"_s);
        run(u"import sys\nprint('to errors', file=sys.stderr)\nsys.exit(3)\n"_s);
        go();
        QTRY_VERIFY(table() && table()->model()->rowCount() == 2);
        QVERIFY(table()->hasFocus());
        const auto cell = [this](int row, int column) {
            return table()->model()->index(row, column).data().toString();
        };
        QCOMPARE(cell(0, RunsModel::OutcomeColumn), u"Failed"_s);
        QCOMPARE(cell(1, RunsModel::OutcomeColumn), u"Completed"_s);
        QCOMPARE(cell(1, RunsModel::CodeColumn), u"print(6 * 7)"_s);
        QCOMPARE(cell(1, RunsModel::CallerColumn), u"Workbench"_s);

        QTest::keyClick(table(), Qt::Key_Down);
        QTRY_COMPARE(text(u"history.details.heading"_s), u"Failed. The run exited with status 3."_s);
        auto *tabs = find<QTabBar>(u"history.details.tabs"_s);
        tabs->setCurrentIndex(2);
        QTRY_VERIFY(find<OutputView>(u"history.output"_s)->text().contains(u"to errors"_s));

        QTest::keyClick(table(), Qt::Key_Down);
        QTRY_COMPARE(text(u"history.details.heading"_s), u"Completed"_s);
        QTRY_VERIFY(find<OutputView>(u"history.output"_s)->text().startsWith(u"42\nsecond line"_s));
        tabs->setCurrentIndex(1);
        QCOMPARE(find<CodeEditor>(u"history.code"_s)->toPlainText(), u"print(6 * 7)\nprint('second line')\n"_s);
        tabs->setCurrentIndex(3);
        QTRY_VERIFY(shows(u"history.isolation.controls"_s));

        QTRY_VERIFY(find<QPushButton>(u"history.details.rerun"_s)->isEnabled());
        QTest::keyClick(table(), Qt::Key_Return, Qt::ControlModifier); // run again
        QTRY_COMPARE(m_desk->frame.currentPage(), u"bench"_s);
        waitForRuns();
        go();
        QTRY_COMPARE(table()->model()->rowCount(), 3);
        QCOMPARE(cell(0, RunsModel::CodeColumn), u"print(6 * 7)"_s);
        QCOMPARE(cell(0, RunsModel::OutcomeColumn), u"Completed"_s);
    }

    void newRunsOfOtherProgramsComeInAndNothingMoves()
    {
        addRuns(m_desk->paths.auditFile(), 1000);
        m_desk->openEngine();
        go();
        QTRY_COMPARE(table()->model()->rowCount(), 1000);
        OtherProgram other(m_desk->paths.auditFile());
        // At the top they come into view.
        other.accept(u"from elsewhere"_s);
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 1001, 10'000);
        QCOMPARE(table()->indexAt({10, 10}).row(), 0);
        QCOMPARE(table()->verticalScrollBar()->value(), 0);
        // Further down, what is there stays.
        table()->verticalScrollBar()->setValue(5000);
        Desk::settle();
        click(table()->indexAt({10, 100}).row());
        const auto seen = [this] {
            return table()->model()->index(table()->indexAt({10, 10}).row(), RunsModel::CodeColumn).data().toString();
        };
        const QString before = seen();
        const QString chosen = table()->currentIndex().siblingAtColumn(RunsModel::CodeColumn).data().toString();
        other.finish(other.accept(u"one more"_s), Outcome::Completed);
        other.finish(other.accept(u"and one more"_s), Outcome::Completed);
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), 1003, 10'000);
        Desk::settle();
        QCOMPARE(seen(), before);
        QCOMPARE(table()->currentIndex().siblingAtColumn(RunsModel::CodeColumn).data().toString(), chosen);
        QTRY_VERIFY(shows(u"history.newer"_s));
        const auto *newer = find<QPushButton>(u"history.newer"_s);
        QVERIFY(newer->geometry().bottom() < table()->viewport()->geometry().top()); // no run is covered
        QTest::mouseClick(find<QPushButton>(u"history.newer"_s), Qt::LeftButton);
        QCOMPARE(table()->verticalScrollBar()->value(), 0);
        QVERIFY(!shows(u"history.newer"_s));
    }

    void theListIsFiltered()
    {
        addRuns(m_desk->paths.auditFile(), 3000);
        m_desk->openEngine();
        go();
        QTRY_COMPARE(table()->model()->rowCount(), 3000);
        QTest::keyClick(table(), Qt::Key_F, Qt::ControlModifier);
        auto *field = find<QLineEdit>(u"history.filter.text"_s);
        QTRY_VERIFY(field->hasFocus());
        application()->watchStalls(true);
        QTest::keyClicks(field, u"rare"_s);
        QTRY_COMPARE(table()->model()->rowCount(), 3);
        find<QComboBox>(u"history.filter.outcome"_s)->setCurrentIndex(3);
        QTRY_VERIFY(shows(u"history.message"_s)); // no run matches
        QTest::mouseClick(find<QPushButton>(u"history.message.step"_s), Qt::LeftButton);
        QTRY_COMPARE(table()->model()->rowCount(), 3000);
        QVERIFY(shows(u"history.runs"_s));
        const qint64 filtering = application()->takeLongestStall();
        application()->watchStalls(false);
        qInfo("searching and filtering: %lld ms", filtering);
        QVERIFY(filtering <= stallMilliseconds);
    }

    void runsOfADayAreFoundByWordsAndDates()
    {
        addRuns(m_desk->paths.auditFile(), many);
        m_desk->openEngine();
        go();
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), many, 20'000);
        application()->watchStalls(true);
        auto *day = find<QLineEdit>(u"history.filter.day"_s);
        day->setFocus(Qt::TabFocusReason);
        QTest::keyClicks(day, u"yesterday"_s);
        QTRY_VERIFY(std::abs(table()->model()->rowCount() - 24 * 60)
                    <= 1); // one a minute, and an hour is never lost in UTC
        const QDate yesterday = QDate::currentDate().addDays(-1);
        const auto timeOf = [this](int row) {
            return table()->model()->index(row, RunsModel::TimeColumn).data(Qt::ToolTipRole).toString();
        };
        QVERIFY(timeOf(0).contains(QLocale().toString(yesterday, u"d"_s)));
        // What isn't a day is told when all of it is typed, and the list stays.
        const int found = table()->model()->rowCount();
        day->selectAll();
        QTest::keyClicks(day, u"someday"_s);
        QTest::qWait(400);
        QVERIFY(!shows(u"history.filter.day.mistake"_s));
        QTest::keyClick(day, Qt::Key_Return);
        QTRY_VERIFY(shows(u"history.filter.day.mistake"_s));
        QVERIFY(text(u"history.filter.day.mistake"_s).startsWith(u"\"someday\" names no days."_s));
        QCOMPARE(table()->model()->rowCount(), found);
        QVERIFY(m_desk->save(u"history-day-mistaken"_s));
        // By the menu, and by the keyboard alone.
        day->selectAll();
        QTest::keyClick(day, Qt::Key_Delete);
        QVERIFY(!shows(u"history.filter.day.mistake"_s));
        QTest::keyClick(day, Qt::Key_Down);
        auto *menu = day->findChild<QMenu *>(u"history.filter.day.menu"_s);
        QTRY_VERIFY(menu && menu->isVisible());
        QTest::keyClick(menu, Qt::Key_Down);
        QTest::keyClick(menu, Qt::Key_Return);
        QCOMPARE(day->text(), u"Today"_s);
        const int today = QTime::currentTime().msecsSinceStartOfDay() / 60'000;
        QTRY_VERIFY(std::abs(table()->model()->rowCount() - today) <= 2);
        QVERIFY(shows(u"history.filter.clear"_s));
        QTest::mouseClick(find<QPushButton>(u"history.filter.clear"_s), Qt::LeftButton);
        QVERIFY(day->text().isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), many, 20'000);
        const qint64 longest = application()->takeLongestStall();
        application()->watchStalls(false);
        qInfo("runs of a day: %lld ms", longest);
        QVERIFY(longest <= stallMilliseconds);
    }

    void runsThatGetPackagesAreHiddenCountedAndShownOnDemand()
    {
        addRuns(m_desk->paths.auditFile(), 20);
        OtherProgram other(m_desk->paths.auditFile());
        other.finish(other.acceptPackages(u"fetch"_s), Outcome::Completed);
        other.finish(other.acceptPackages(u"install"_s), Outcome::Completed);
        m_desk->openEngine();
        go();
        QTRY_COMPARE(table()->model()->rowCount(), 20);
        auto *box = find<QCheckBox>(u"history.filter.packages"_s);
        QTRY_VERIFY(box->isVisible());
        QCOMPARE(box->text(), u"With 2 package runs"_s);
        QVERIFY(!shows(u"history.filter.clear"_s)); // nobody filtered anything
        QVERIFY(m_desk->save(u"history-packages-hidden"_s));
        other.finish(other.acceptPackages(u"one more"_s), Outcome::Completed);
        QTRY_COMPARE_WITH_TIMEOUT(box->text(), u"With 3 package runs"_s, 10'000);
        QCOMPARE(table()->model()->rowCount(), 20);
        // Who looks for one isn't told that there is none.
        auto *field = find<QLineEdit>(u"history.filter.text"_s);
        field->setText(u"fetch"_s);
        QTRY_VERIFY(shows(u"history.message"_s));
        QCOMPARE(find<QWidget>(u"history.message"_s)->accessibleName(), u"No other run matches"_s);
        QTest::mouseClick(find<QPushButton>(u"history.message.step"_s), Qt::LeftButton);
        QTRY_COMPARE(table()->model()->rowCount(), 1);
        QVERIFY(box->isChecked());
        field->clear();
        QTRY_COMPARE(table()->model()->rowCount(), 23);
        box->setFocus(Qt::TabFocusReason);
        QTest::keyClick(box, Qt::Key_Space);
        QTRY_COMPARE(table()->model()->rowCount(), 20);
    }

    void theRunsThatAskedForASecretAreListedAndNewOnesComeIn()
    {
        m_desk->openEngine();
        const auto ask = [&](const char *code, bool secret) {
            RunRequest request;
            request.code = code;
            request.language = u"sh"_s;
            request.caller = {.kind = Caller::Kind::Workbench, .pid = 1, .program = {}, .claimed = {}};
            if (secret)
                request.secrets = {{.name = u"API_KEY"_s}};
            const auto run = m_desk->context.engine()->start(request);
            QTRY_VERIFY_WITH_TIMEOUT(run->result() != nullptr, 20'000);
        };
        ask("echo without", false);
        ask("echo with", true); // there is no such secret: denied, and on record
        m_desk->context.navigateTo(u"history"_s, {{u"secret"_s, u"API_KEY"_s}});
        QTRY_VERIFY(table());
        QTRY_COMPARE(table()->model()->rowCount(), 1);
        auto *word = find<QPushButton>(u"history.filter.secret"_s);
        QVERIFY(word->isVisible());
        QCOMPARE(word->text(), u"API_KEY"_s);
        ask("echo another without", false);
        ask("echo another with", true);
        QTRY_COMPARE(table()->model()->rowCount(), 2);
        QTest::qWait(300);
        QCOMPARE(table()->model()->rowCount(), 2);
        QTest::mouseClick(word, Qt::LeftButton);
        QTRY_COMPARE(table()->model()->rowCount(), 4);
        QVERIFY(!word->isVisible());
    }

    void manyRunsDoNotStallTheWindow()
    {
        addRuns(m_desk->paths.auditFile(), many);
        m_desk->openEngine();
        application()->watchStalls(true);
        QTimer::singleShot(0, &m_desk->frame, [this] { m_desk->frame.showPage(u"history"_s); });
        QTRY_VERIFY(table() && table()->model()->rowCount() >= RunsModel::blockRows);
        qInfo("first rows: %lld ms", application()->takeLongestStall());
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), many, 20'000);
        const qint64 walking = application()->takeLongestStall();
        qInfo("walking through: %lld ms", walking);
        // Through all of it, and to the very end.
        for (int step = 0; step <= 40; ++step) {
            QTimer::singleShot(0, table(), [this, step] {
                table()->verticalScrollBar()->setValue(
                    int(qint64(table()->verticalScrollBar()->maximum()) * step / 40));
            });
            QTest::qWait(20);
        }
        const auto last = table()->model()->index(many - 1, RunsModel::CodeColumn);
        QTRY_COMPARE(last.data().toString(), u"line 1"_s);
        QVERIFY(table()->viewport()->rect().intersects(table()->visualRect(last)));
        const qint64 scrolling = application()->takeLongestStall();
        qInfo("scrolling: %lld ms", scrolling);
        OtherProgram other(m_desk->paths.auditFile());
        other.accept(u"new"_s);
        QTRY_COMPARE_WITH_TIMEOUT(table()->model()->rowCount(), many + 1, 10'000);
        const qint64 following = application()->takeLongestStall();
        qInfo("a new run: %lld ms", following);
        application()->watchStalls(false);
        QVERIFY(walking <= stallMilliseconds);
        QVERIFY(scrolling <= stallMilliseconds);
        QVERIFY(following <= stallMilliseconds);
    }

    void aDamagedRecordIsSaidAlsoWithoutAnEngine()
    {
        QDir().mkpath(m_desk->paths.data);
        QFile file(m_desk->paths.auditFile());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(8192, 'x'));
        file.close();
        go();
        QTRY_VERIFY(shows(u"history.message"_s));
        QVERIFY(find<QPushButton>(u"history.message.step"_s)->isVisible());
        QVERIFY(m_desk->save(u"history-damaged"_s));
        // It comes back by itself when the log does.
        QVERIFY(file.remove());
        addRuns(file.fileName(), 5);
        QTRY_VERIFY_WITH_TIMEOUT(table()->model()->rowCount() == 5 && table()->isVisible(), 10'000);
    }
};

GLOVEBOX_TEST_MAIN(TestHistoryPage)
#include "tst_historypage.moc"
