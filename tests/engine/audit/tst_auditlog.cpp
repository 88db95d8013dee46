// SPDX-License-Identifier: Apache-2.0
// What is appended is there, in order, and stays.
#include "fixture.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include <atomic>
#include <latch>
#include <thread>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

namespace {

struct SetClock : Clock
{
    qint64 now = 1'700'000'000'000'000;
    qint64 nowMicroseconds() const override { return now; }
};

} // namespace

class TestAuditLog : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = m_folder->filePath(u"data/audit.db"_s);
        auto log = AuditLog::open(m_file, u"engine-1"_s, m_clock);
        QVERIFY2(log, why(log));
        m_log = *std::move(log);
    }
    void cleanup() { m_log.reset(); }

    void aRunHasTwoEntries()
    {
        const auto first = append(*m_log, accepted(u"run-1"_s));
        QVERIFY2(first, why(first));
        const auto second = append(*m_log, finished(u"run-1"_s));
        QVERIFY2(second, why(second));
        QCOMPARE(first->seq, 1);
        QCOMPARE(second->seq, 2);
        const auto reader = AuditReader::open(m_file).value();
        const auto entries = reader->entriesOf(u"run-1"_s).value();
        QCOMPARE(entries.size(), 2);
        QCOMPARE(entries[0].leaf, first->leaf);
        QCOMPARE(entries[1].leaf, second->leaf);
        const auto json = parseStrictJson(entries[1].json).value();
        QCOMPARE(json[u"engine"_s].toString(), u"engine-1"_s);
        QCOMPARE(json[u"time_us"_s].toInteger(), m_clock.now);
        QCOMPARE(checkEntries(m_file), u"dense"_s);
    }

    void saltsAndDigestsAreKeptBesideTheEntries()
    {
        AcceptedEntry start = accepted(u"run-1"_s);
        FinishedEntry end = finished(u"run-1"_s);
        QVERIFY(append(*m_log, start) && append(*m_log, end));
        const auto bodies = AuditReader::open(m_file).value()->bodiesOf(u"run-1"_s).value();
        QCOMPARE(bodies.size(), 3);
        QCOMPARE(bodies[0], (StoredBody{u"code"_s, start.code.digest, start.code.salt, 11, 11}));
        QCOMPARE(bodies[1], (StoredBody{u"stdout"_s, end.out.digest, end.out.salt, 3, 3}));
        QCOMPARE(bodies[2], (StoredBody{u"stderr"_s, end.err.digest, end.err.salt, 0, 0}));
    }

    void theFilesArePrivate()
    {
        QVERIFY(append(*m_log, accepted(u"run-1"_s)));
        m_log->settle();
        const QDir folder(m_folder->filePath(u"data"_s));
        QCOMPARE(folder.entryList(QDir::Files).join(u' '), u"audit.db audit.db-reserve audit.db-shm audit.db-wal"_s);
        for (const QString &name : folder.entryList(QDir::Files)) {
            struct stat info = {};
            QCOMPARE(::stat(qPrintable(folder.filePath(name)), &info), 0);
            QCOMPARE(info.st_mode & 07777, 0600u);
        }
    }

    // As another program that starts at the same moment leaves it for a moment.
    void aReserveInTheMakingKeepsNobodyFromRunning()
    {
        m_log.reset();
        QFile reserve(m_file + u"-reserve"_s);
        QVERIFY(reserve.open(QIODevice::WriteOnly) && reserve.resize(1000));
        m_log = AuditLog::open(m_file, u"engine-2"_s, m_clock).value();
        QVERIFY(!m_log->failure());
        QVERIFY(append(*m_log, accepted(u"run-1"_s)));
    }

    void entriesCanNeitherBeChangedNorRemovedNorReplaced_data()
    {
        QTest::addColumn<QByteArray>("statement");
        const QByteArray row = "entries(seq,time_us,kind,run,json,leaf) VALUES(1,1,'x',NULL,x'00',zeroblob(32))";
        QTest::newRow("update") << QByteArray("UPDATE entries SET time_us = 0");
        QTest::newRow("update or replace") << QByteArray("UPDATE OR REPLACE entries SET seq = 2 WHERE seq = 1");
        QTest::newRow("update or ignore") << QByteArray("UPDATE OR IGNORE entries SET json = x'00' WHERE seq = 1");
        QTest::newRow("delete") << QByteArray("DELETE FROM entries WHERE seq = 1");
        QTest::newRow("delete all") << QByteArray("DELETE FROM entries");
        QTest::newRow("replace") << "REPLACE INTO " + row;
        QTest::newRow("insert or replace") << "INSERT OR REPLACE INTO " + row;
        QTest::newRow("insert or ignore") << "INSERT OR IGNORE INTO " + row;
        QTest::newRow("upsert") << "INSERT INTO " + row + " ON CONFLICT(seq) DO UPDATE SET json = x'00'";
        QTest::newRow("replace without delete triggers") << "PRAGMA recursive_triggers = OFF; REPLACE INTO " + row;
        QTest::newRow("gap") << QByteArray("INSERT INTO entries(seq,time_us,kind,run,json,leaf) "
                                           "VALUES(9,1,'x',NULL,x'00',zeroblob(32))");
        QTest::newRow("below one") << QByteArray("INSERT INTO entries(seq,time_us,kind,run,json,leaf) "
                                                 "VALUES(0,1,'x',NULL,x'00',zeroblob(32))");
        QTest::newRow("no leaf") << QByteArray("INSERT INTO entries(seq,time_us,kind,run,json,leaf) "
                                               "VALUES(3,1,'x',NULL,x'00',x'')");
    }
    void entriesCanNeitherBeChangedNorRemovedNorReplaced()
    {
        QFETCH(QByteArray, statement);
        QVERIFY(append(*m_log, accepted(u"run-1"_s)) && append(*m_log, finished(u"run-1"_s)));
        const QByteArray picture = "SELECT group_concat(seq || ':' || time_us || ':' || hex(json)) FROM entries";
        const QString before = sql(m_file, picture);
        const QString answer = sql(m_file, statement);
        QVERIFY2(answer.startsWith(u"error: "), qPrintable(answer));
        QCOMPARE(sql(m_file, picture), before);
        QVERIFY(append(*m_log, accepted(u"run-2"_s))); // and the log goes on
    }

    void aBadEntryFailsAloneInItsBatch()
    {
        std::latch done(5);
        std::vector<std::optional<Result<AuditReceipt>>> results(5);
        const auto keep = [&](size_t i) {
            return [&, i](Result<AuditReceipt> receipt) {
                results[i] = std::move(receipt);
                done.count_down();
            };
        };
        FinishedEntry unknown = finished(u"never accepted"_s);
        AcceptedEntry halfCharacter = accepted(u"run-2"_s);
        halfCharacter.caller.claimed = QChar(0xd83d);
        m_log->append(toEntry(accepted(u"run-1"_s)), keep(0));
        m_log->append(toEntry(unknown), keep(1));
        m_log->append(toEntry(halfCharacter), keep(2));
        m_log->append(toEntry(accepted(u"run-1"_s)), keep(3)); // the id is taken
        m_log->append(toEntry(finished(u"run-1"_s)), keep(4));
        done.wait();
        QVERIFY2(*results[0], why(*results[0]));
        QVERIFY2(*results[4], why(*results[4]));
        for (const size_t bad : {1u, 2u, 3u})
            QCOMPARE(results[bad]->error().code, ErrorCode::InvalidInput);
        QCOMPARE(results[4]->value().seq, 2);
        QCOMPARE(checkEntries(m_file), u"dense"_s);
    }

    void aRunIsClosedOnce()
    {
        QVERIFY(append(*m_log, accepted(u"run-1"_s)) && append(*m_log, finished(u"run-1"_s)));
        const auto again = append(*m_log, finished(u"run-1"_s, Outcome::Failed));
        QVERIFY(!again);
        QCOMPARE(AuditReader::open(m_file).value()->run(u"run-1"_s).error().code, ErrorCode::InvalidInput); // too short
        QCOMPARE(sql(m_file, "SELECT outcome FROM runs"), u"completed"_s);
        QCOMPARE(sql(m_file, "SELECT count(*) FROM entries"), u"2"_s);
    }

    void aRunOfAnotherEngineIsNotOursToClose()
    {
        QVERIFY(append(*m_log, accepted(u"run-1"_s)));
        const auto other = AuditLog::open(m_file, u"engine-2"_s, m_clock).value();
        QVERIFY(!append(*other, finished(u"run-1"_s)));
        QVERIFY(append(*m_log, finished(u"run-1"_s)));
    }

    void writersOnTwoThreadsShareOneDenseSequence()
    {
        std::atomic<int> failures = 0;
        {
            std::vector<std::jthread> threads;
            for (int t = 0; t < 2; ++t)
                threads.emplace_back([&, t] {
                    const auto log = AuditLog::open(m_file, u"engine-%1"_s.arg(t), m_clock);
                    if (!log) {
                        ++failures;
                        return;
                    }
                    const auto count = [&failures](const Result<AuditReceipt> &receipt) { failures += !receipt; };
                    for (int i = 0; i < 250; ++i) {
                        const QString run = u"run-%1-%2"_s.arg(t).arg(i);
                        (*log)->append(toEntry(accepted(run)), count);
                        (*log)->append(toEntry(finished(run)), count);
                        if (i % 10 == 0)
                            std::ignore = append(**log, accepted(run + u"x"_s)); // small batches too
                    }
                });
        }
        QCOMPARE(failures.load(), 0);
        QCOMPARE(sql(m_file, "SELECT count(*) FROM entries"), u"1050"_s);
        QCOMPARE(sql(m_file, "SELECT count(*) FROM runs WHERE finished_seq IS NOT NULL"), u"500"_s);
        QCOMPARE(checkEntries(m_file), u"dense"_s);
    }

    void closingFinishesWhatWasAppended()
    {
        std::atomic<int> committed = 0;
        for (int i = 0; i < 100; ++i)
            m_log->append(toEntry(accepted(u"run-%1"_s.arg(i))),
                          [&](const Result<AuditReceipt> &r) { committed += bool(r); });
        m_log.reset();
        QCOMPARE(committed.load(), 100);
        QCOMPARE(sql(m_file, "SELECT count(*) FROM entries"), u"100"_s);
        QVERIFY(!QFile::exists(m_file + u"-wal"_s));
    }

    // That would be two waits for the disk, at the end of each `glovebox run`.
    void closingQuicklyLeavesTheEntriesInTheWal()
    {
        openQuickly();
        const qint64 size = QFileInfo(m_file).size();
        QVERIFY(append(*m_log, accepted(u"run-1"_s)));
        m_log.reset();
        QCOMPARE(QFileInfo(m_file).size(), size);
        QVERIFY(QFileInfo(m_file + u"-wal"_s).size() > 0);
        m_log = AuditLog::open(m_file, u"engine-b"_s, m_clock).value();
        QVERIFY(append(*m_log, accepted(u"run-2"_s)));
        m_log.reset();
        QVERIFY(!QFile::exists(m_file + u"-wal"_s));
        QCOMPARE(sql(m_file, "SELECT count(*) FROM entries"), u"2"_s);
    }

    void aLogThatIsAlwaysClosedQuicklyIsTidiedNowAndThen()
    {
        const qint64 size = QFileInfo(m_file).size();
        for (int i = 0; i < 100; ++i) {
            openQuickly();
            QVERIFY(append(*m_log, accepted(u"run-%1"_s.arg(i))));
        }
        QVERIFY(QFileInfo(m_file + u"-wal"_s).size() < 2 * 1024 * 1024);
        QVERIFY(QFileInfo(m_file).size() > size);
        QCOMPARE(checkEntries(m_file), u"dense"_s);
    }

    void aLogThatIsMovedAwayIsNoticed()
    {
        QVERIFY(append(*m_log, accepted(u"run-1"_s)));
        QVERIFY(QFile::rename(m_file, m_file + u".moved"_s));
        const auto receipt = append(*m_log, finished(u"run-1"_s));
        QVERIFY(!receipt);
        QCOMPARE(receipt.error().code, ErrorCode::Io);
        QVERIFY(receipt.error().message.english().contains(u"Restart"));
        QVERIFY(QFile::rename(m_file + u".moved"_s, m_file));
        QVERIFY(append(*m_log, finished(u"run-1"_s)));
    }

    void longFirstLinesAreShortenedBetweenCharacters()
    {
        AcceptedEntry entry = accepted(u"run-0001"_s);
        entry.firstLine = QString(199, u'x') + u"\U0001f600"_s;
        QVERIFY(append(*m_log, entry));
        QCOMPARE(AuditReader::open(m_file).value()->run(u"run-0001"_s).value().firstLine, QString(199, u'x'));
    }

    void howFastItIs()
    {
        constexpr int count = 1000;
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < count; ++i)
            QVERIFY(append(*m_log, accepted(u"one-%1"_s.arg(i))));
        const double single = count * 1000.0 / double(std::max<qint64>(1, timer.elapsed()));
        std::latch done(count);
        timer.restart();
        for (int i = 0; i < count; ++i)
            m_log->append(toEntry(accepted(u"many-%1"_s.arg(i))),
                          [&done](const Result<AuditReceipt> &) { done.count_down(); });
        done.wait();
        const double together = count * 1000.0 / double(std::max<qint64>(1, timer.elapsed()));
        qInfo("%.0f entries/s one by one, %.0f entries/s together (%.1f times)", single, together, together / single);
    }

private:
    void openQuickly()
    {
        m_log.reset(); // one program after the other
        m_log = AuditLog::open(m_file, u"engine-q"_s, m_clock, AuditLog::Closing::Quick).value();
    }

    SetClock m_clock;
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_file;
    std::unique_ptr<AuditLog> m_log;
};

QTEST_GUILESS_MAIN(TestAuditLog)
#include "tst_auditlog.moc"
