// SPDX-License-Identifier: Apache-2.0
// The list of runs over real logs: the first rows at once however many there are, each run once, nothing late, nothing missing.
#include "app/workbench/history/list/runsmodel.h"
#include "biglog.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QTemporaryDir>
#include <QtTest>

#include <ctime>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

constexpr int bigList = 200'000;

qint64 threadMicroseconds()
{
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000 + now.tv_nsec / 1000;
}

// A model over a log of its own. Qt's own examination looks at every cell with every signal, so only small lists are under it.
struct List
{
    explicit List(const QString &file, bool small = true, const std::optional<ContentStore> &store = {})
        : log(file)
        , model(theme, log, store)
    {
        if (small)
            tester.emplace(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    }

    bool read(const RunFilter &filter = {})
    {
        model.setFilter(filter);
        return QTest::qWaitFor([this] { return !model.isReading(); }, 10'000);
    }
    bool readAll(const RunFilter &filter = {})
    {
        model.setActive(true);
        return read(filter) && QTest::qWaitFor([this] { return model.isComplete(); }, 20'000);
    }
    // As somebody who scrolls through all of it sees them.
    QList<RunRow> rows()
    {
        QList<RunRow> all;
        for (int row = 0; row < model.rowCount(); ++row) {
            if (!model.runAt(row)) {
                model.setVisibleRows(row, row + 30);
                if (!QTest::qWaitFor([&] { return model.runAt(row) != nullptr; }, 5'000))
                    qFatal("Row %d doesn't come.", row);
            }
            all.append(*model.runAt(row));
        }
        return all;
    }

    Theme theme;
    LogThread log;
    RunsModel model;
    std::optional<QAbstractItemModelTester> tester;
};

bool eachOnceNewestFirst(const QList<RunRow> &rows)
{
    return std::ranges::adjacent_find(rows, std::less_equal(), &RunRow::seq) == rows.end();
}

} // namespace

class TestRunsModel : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_room;
    QString m_big = m_room.filePath(u"big.db"_s);

    QString newFile() const { return m_room.filePath(QString::fromLatin1(QTest::currentTestFunction()) + u".db"_s); }

private Q_SLOTS:
    void initTestCase() { addRuns(m_big, bigList); }

    void theFirstRowsOfManyComeAtOnce()
    {
        List list(m_big, false);
        QElapsedTimer wall;
        wall.start();
        const qint64 before = threadMicroseconds();
        QVERIFY(list.read());
        const qint64 spent = threadMicroseconds() - before;
        qInfo("first rows of %d: %lld us of GUI thread, %lld ms", bigList, spent, wall.elapsed());
        QCOMPARE(list.model.rowCount(), RunsModel::blockRows);
        QCOMPARE(list.model.runAt(0)->seq, bigList);
        QVERIFY(spent < 50'000);
    }

    void walkingThroughManyCostsTheWindowLittleAtATime()
    {
        Theme theme;
        LogThread log(m_big);
        RunsModel model(theme, log);
        qint64 longest = 0, before = 0;
        connect(&model, &QAbstractItemModel::rowsAboutToBeInserted, this, [&] { before = threadMicroseconds(); });
        connect(&model, &QAbstractItemModel::rowsInserted, this,
                [&] { longest = std::max(longest, threadMicroseconds() - before); });
        model.setActive(true);
        model.setFilter({});
        QElapsedTimer wall;
        wall.start();
        QTRY_VERIFY_WITH_TIMEOUT(model.isComplete(), 20'000);
        qInfo("all of %d: %lld ms, at most %lld us of GUI thread at a time", bigList, wall.elapsed(), longest);
        QCOMPARE(model.rowCount(), bigList);
        QVERIFY(longest < 50'000);
    }

    void everyRunIsThereOnceInOrder()
    {
        constexpr int count = 20'000; // more than are held at a time
        addRuns(newFile(), count);
        List list(newFile(), false);
        QVERIFY(list.readAll());
        const auto rows = list.rows();
        QCOMPARE(rows.size(), count);
        QVERIFY(eachOnceNewestFirst(rows));
    }

    void noRunIsTwiceOrMissingWhileOthersAreAdded_data()
    {
        QTest::addColumn<int>("count");
        QTest::addColumn<bool>("small");
        QTest::newRow("under examination") << 1'000 << true;
        QTest::newRow("with blocks that are let go") << 30'000 << false;
    }

    void noRunIsTwiceOrMissingWhileOthersAreAdded()
    {
        QFETCH(int, count);
        QFETCH(bool, small);
        const QString file = newFile() + QString::number(count);
        addRuns(file, count);
        OtherProgram other(file);
        List list(file, small);
        list.model.setActive(true);
        list.model.setFilter({});
        int added = 0;
        QTRY_VERIFY_WITH_TIMEOUT(!list.model.isReading(), 10'000);
        while (added < 300) {
            const QString run = other.accept(u"new %1"_s.arg(added));
            if (added % 3 != 0)
                other.finish(run, Outcome::Completed);
            ++added;
            if (added % 20 == 0) {
                list.model.takeChanges();
                list.model.setVisibleRows(added * count / 600, added * count / 600 + 30);
                QTest::qWait(1);
            }
        }
        list.model.takeChanges();
        QTRY_VERIFY_WITH_TIMEOUT(list.model.isComplete() && list.model.rowCount() == count + added, 20'000);
        const auto rows = list.rows();
        QVERIFY(eachOnceNewestFirst(rows));
        QCOMPARE(rows.size(), count + added);
        QCOMPARE(rows.first().firstLine, u"new 299"_s);
        QCOMPARE(std::ranges::count(rows, 0, &RunRow::finishedSeq), 100);
    }

    void moreNewRunsThanCanBeAddedAreReadAnew()
    {
        const QString file = newFile();
        addRuns(file, 1000);
        List list(file, false);
        QVERIFY(list.readAll());
        addRuns(file, 12'000);
        list.model.takeChanges();
        QTRY_COMPARE_WITH_TIMEOUT(list.model.rowCount(), 13'000, 10'000);
        QVERIFY(eachOnceNewestFirst(list.rows()));
    }

    void aRunThatFinishesIsBroughtUpToDate()
    {
        const QString file = newFile();
        OtherProgram other(file);
        const QString run = other.accept(u"sleep"_s);
        List list(file);
        QVERIFY(list.readAll());
        QCOMPARE(list.model.rowCount(), 1);
        const QModelIndex outcome = list.model.index(0, RunsModel::OutcomeColumn);
        QCOMPARE(outcome.data().toString(), u"Not finished"_s);
        QSignalSpy changed(&list.model, &RunsModel::runChanged);
        other.finish(run, Outcome::Failed);
        list.model.takeChanges();
        QTRY_COMPARE(outcome.data().toString(), u"Failed"_s);
        QCOMPARE(changed.size(), 1);
    }

    void newRunsComeInOnlyWhereTheFilterLetsThem()
    {
        const QString file = newFile();
        OtherProgram other(file);
        other.finish(other.accept(u"first"_s), Outcome::Failed);
        const QString slow = other.accept(u"slow"_s);
        other.finish(other.accept(u"second"_s), Outcome::Failed);
        List list(file);
        RunFilter filter;
        filter.outcome = Outcome::Failed;
        QVERIFY(list.readAll(filter));
        QCOMPARE(list.model.rowCount(), 2);
        other.finish(other.accept(u"third"_s), Outcome::Completed);
        other.finish(slow, Outcome::Failed);
        list.model.takeChanges();
        QTRY_COMPARE(list.model.rowCount(), 3);
        QCOMPARE(list.model.runAt(1)->firstLine, u"slow"_s); // in its place
    }

    void aRunOfLongAgoThatMatchesNowIsPutInItsPlace()
    {
        const QString file = newFile();
        addRuns(file, 20'000);
        OtherProgram other(file);
        const QString slow = other.accept(u"slow"_s);
        List list(file, false);
        RunFilter filter;
        filter.outcome = Outcome::Failed;
        QVERIFY(list.readAll(filter)); // while slow is among the newest: it is known not to be finished
        const int before = list.model.rowCount();
        addRuns(file, 3000);
        list.model.takeChanges();
        QTRY_VERIFY(list.model.rowCount() > before);
        other.finish(slow, Outcome::Failed);
        const int then = list.model.rowCount();
        list.model.takeChanges();
        QTRY_COMPARE(list.model.rowCount(), then + 1);
        const auto rows = list.rows();
        QVERIFY(eachOnceNewestFirst(rows));
        QCOMPARE(std::ranges::count(rows, slow, &RunRow::run), 1);
    }

    void runsThatGetPackagesAreCountedAndFolded()
    {
        const QString file = newFile();
        addRuns(file, 300);
        OtherProgram other(file);
        other.finish(other.acceptPackages(u"fetch"_s), Outcome::Completed);
        other.finish(other.accept(u"mine"_s), Outcome::Completed);
        List list(file);
        QVERIFY(list.readAll({.foldsPackages = true}));
        QCOMPARE(list.model.rowCount(), 301);
        QCOMPARE(list.model.folded(), 1);
        QVERIFY(!list.model.isFiltered());
        // Those that come later are counted, too, and once.
        const QString run = other.acceptPackages(u"install"_s);
        other.accept(u"mine, too"_s);
        list.model.takeChanges();
        QTRY_COMPARE(list.model.rowCount(), 302);
        QCOMPARE(list.model.folded(), 2);
        other.finish(run, Outcome::Failed);
        QSignalSpy finished(&list.model, &RunsModel::runChanged);
        list.model.takeChanges();
        QTRY_COMPARE(finished.size(), 1);
        QCOMPARE(list.model.folded(), 2);
        QCOMPARE(list.model.rowCount(), 302);
        // Of the failed ones that are shown, nobody asked for others.
        QVERIFY(list.readAll({.outcome = Outcome::Failed, .contains = u"install"_s, .foldsPackages = true}));
        QCOMPARE(list.model.rowCount(), 0);
        QCOMPARE(list.model.folded(), 1);
        QVERIFY(list.readAll());
        QCOMPARE(list.model.rowCount(), 304);
        QCOMPARE(list.model.folded(), 0);
        QVERIFY(list.rows().at(1).getsPackages);
        QVERIFY(!list.rows().at(0).getsPackages);
    }

    void runsOfSomeDaysAreFoundAmongMany()
    {
        const qint64 now = QDateTime::currentMSecsSinceEpoch() * 1000, day = 86'400'000'000;
        List list(m_big, false);
        RunFilter filter;
        filter.sinceMicroseconds = now - 101 * day;
        filter.untilMicroseconds = now - 100 * day;
        const qint64 before = threadMicroseconds();
        QVERIFY(list.readAll(filter)); // one a minute
        QVERIFY(threadMicroseconds() - before < 50'000);
        QVERIFY2(std::abs(list.model.rowCount() - 1440) <= 2, qPrintable(QString::number(list.model.rowCount())));
        QVERIFY(list.model.isFiltered());
        // What comes in now is not of these days.
        OtherProgram other(m_big);
        other.finish(other.accept(u"of today"_s), Outcome::Completed);
        const int count = list.model.rowCount();
        list.model.takeChanges();
        QTest::qWait(300);
        QCOMPARE(list.model.rowCount(), count);
    }

    void filtersAreThoseOfTheLog()
    {
        List list(m_big, false);
        RunFilter filter;
        filter.contains = u"RARE"_s;
        filter.language = u"python"_s;
        filter.callerKind = Caller::Kind::Cli;
        QVERIFY(list.readAll(filter));
        const auto rows = list.rows();
        QVERIFY(!rows.isEmpty() && list.model.isFiltered());
        for (const RunRow &row : rows) {
            QVERIFY(row.firstLine.startsWith(u"rare"_s));
            QCOMPARE(row.language, u"python"_s);
            QVERIFY(row.callerKind == Caller::Kind::Cli);
        }
    }

    // 2,000 runs with a body each, of which few have the text: what is found comes in while the search goes on.
    void aLongSearchInBodiesShowsWhatItFound()
    {
        const QString file = newFile();
        const QTemporaryDir folder;
        const ContentStore store(folder.path(), ContentStore::Syncing::Together);
        addRuns(file, 20'000);
        OtherProgram other(file);
        const auto accept = [&](const QByteArray &code) {
            const CommittedBody body = commitTo(code);
            return store.put(body.digest, code) ? other.accept(u"first line"_s, body) : QString();
        };
        QString slow, last;
        for (int i = 0; i < 600; ++i) {
            last = accept("first line\n" + QByteArray::number(i) + (i % 300 == 7 ? " Needle" : " hay"));
            if (i % 300 == 7)
                slow = last;
            if (i % 300 != 7)
                other.finish(last, Outcome::Completed);
        }
        List list(file, false, store);
        RunFilter filter;
        filter.contains = u"needle"_s;
        QVERIFY(list.readAll(filter));
        QCOMPARE(list.model.rowCount(), 2);
        QVERIFY(eachOnceNewestFirst(list.rows()));
        // One of them ends, and another one comes.
        other.finish(slow, Outcome::Failed);
        const QString newest = accept("first line\nneedle");
        accept("first line\nhay");
        list.model.takeChanges();
        QTRY_COMPARE(list.model.rowCount(), 3);
        QCOMPARE(list.rows().first().run, newest);
        QTRY_VERIFY(list.rows().at(1).outcome == Outcome::Failed);
    }

    void theLatestFilterCountsAndAnswersForOthersAreDropped()
    {
        List list(m_big, false);
        list.model.setActive(true);
        QSignalSpy resets(&list.model, &QAbstractItemModel::modelReset);
        for (const auto &words : {u"rare"_s, u"nothing like this"_s, u"rare 1000"_s, u"line 77777"_s}) {
            RunFilter filter;
            filter.contains = words;
            list.model.setFilter(filter);
            QTest::qWait(3);
        }
        QTRY_VERIFY_WITH_TIMEOUT(list.model.isComplete() && !list.model.isReading(), 10'000);
        QCOMPARE(list.model.rowCount(), 1);
        QCOMPARE(list.model.runAt(0)->firstLine, u"line 77777"_s);
        QVERIFY(resets.size() <= 4);
    }

    void whatIsDroppedIsInterrupted()
    {
        LogThread log(m_big);
        std::optional<ErrorCode> ended;
        bool answered = false;
        log.ask(
            this,
            [](AuditReader &reader) {
                // Until it is interrupted: one search after the other.
                RunFilter filter;
                filter.contains = u"nothing like this"_s;
                for (int i = 0; i < 1000; ++i) {
                    const auto rows = reader.runs(filter);
                    if (!rows)
                        return Result<int>(std::unexpected(rows.error()));
                }
                return Result<int>(0);
            },
            [&](const Result<int> &result) {
                answered = true;
                if (!result)
                    ended = result.error().code;
            });
        log.ask(this, [](AuditReader &) { return Result<int>(1); }, [](const Result<int> &) { QFAIL("not dropped"); });
        QTest::qWait(30);
        QVERIFY(!answered);
        log.drop();
        QTRY_VERIFY(!log.isDropping());
        QTRY_VERIFY(answered);
        QCOMPARE(ended, ErrorCode::Cancelled);
    }

    void stoppingDoesNotWaitForALongSearch()
    {
        QElapsedTimer wall;
        {
            LogThread log(m_big);
            log.ask(
                this,
                [](AuditReader &reader) -> Result<int> {
                    RunFilter filter;
                    filter.contains = u"nothing like this"_s;
                    for (int i = 0; i < 1000; ++i) {
                        if (!reader.runs(filter))
                            return 0;
                    }
                    return 1;
                },
                [](const Result<int> &) {});
            QTest::qWait(20);
            wall.start();
        }
        QVERIFY(wall.elapsed() < 5000); // all of it takes several times as long
    }

    void noLogIsAnEmptyList()
    {
        List list(newFile());
        QVERIFY(list.readAll());
        QCOMPARE(list.model.rowCount(), 0);
        QVERIFY(!list.model.error());
        // And the first run is noticed.
        OtherProgram other(newFile());
        other.accept(u"first"_s);
        list.model.takeChanges();
        QTRY_COMPARE(list.model.rowCount(), 1);
    }

    void aDamagedLogIsAnErrorAndMendedByReadingAgain()
    {
        QFile file(newFile());
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(8192, 'x'));
        file.close();
        List list(file.fileName());
        QVERIFY(list.read());
        QVERIFY(list.model.error());
        QVERIFY(!list.model.error()->message.isEmpty());
        QVERIFY(file.remove());
        addRuns(file.fileName(), 5);
        list.model.reload();
        QTRY_COMPARE(list.model.rowCount(), 5);
        QVERIFY(!list.model.error());
    }

    void aNewerLogIsReadAsFarAsItGoes()
    {
        addRuns(newFile(), 3);
        execute(newFile(), "PRAGMA user_version = 99");
        List list(newFile());
        QVERIFY(list.readAll());
        QCOMPARE(list.model.rowCount(), 3);
        execute(newFile(), "ALTER TABLE runs RENAME TO executions");
        list.model.reload();
        QTRY_VERIFY(list.model.error());
        QCOMPARE(list.model.error()->code, ErrorCode::Newer);
    }

    void whatHidesOrReordersTextIsMadeVisible()
    {
        QCOMPARE(shownLine(u"a\tb"_s), u"a b"_s);
        QCOMPARE(shownLine(u"x\u202Ey\u001b[31m"_s), u"x\uFFFDy\uFFFD[31m"_s);
        QCOMPARE(shownLine(u"héllo 😀"_s), u"héllo 😀"_s);
    }

    void timesSayTheirDayWhereItIsNotToday()
    {
        const QDateTime now(QDate(2026, 3, 5), QTime(12, 0));
        const auto at = [](const QDateTime &time) { return time.toMSecsSinceEpoch() * 1000; };
        QCOMPARE(shownTime(at(now.addSecs(-60)), now), u"11:59:00"_s);
        QVERIFY(shownTime(at(now.addDays(-1)), now).contains(u"4"_s));
        QCOMPARE(shownTime(at(now.addYears(-1)), now), u"2025-03-05 12:00:00"_s);
    }
};

QTEST_MAIN(TestRunsModel)
#include "tst_runsmodel.moc"
