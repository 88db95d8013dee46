// SPDX-License-Identifier: Apache-2.0
// The history, page by page, and single runs by what a person types of their id.
#include "fixture.h"

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <thread>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

namespace {

QStringList idsOf(const QList<RunRow> &rows)
{
    QStringList ids;
    for (const RunRow &row : rows)
        ids.append(row.run);
    return ids;
}

} // namespace

class TestAuditReader : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        m_file = m_folder.filePath(u"audit.db"_s);
        m_log = AuditLog::open(m_file, u"engine-1"_s, Clock::system()).value();
        AcceptedEntry node = accepted(u"bbbbbbbb-2222"_s);
        node.language = u"node"_s;
        node.caller = {Caller::Kind::Mcp, 7, u"agent"_s, {}};
        node.session = u"session-1"_s;
        node.secrets = {{.name = u"API_KEY"_s}, {.name = u"TOKEN"_s}};
        node.firstLine = u"console.log('\u00c4PFEL 100%')"_s;
        QVERIFY(append(*m_log, accepted(u"aaaaaaaa-1111"_s)));
        QVERIFY(append(*m_log, node));
        QVERIFY(append(*m_log, finished(u"bbbbbbbb-2222"_s, Outcome::Failed)));
        QVERIFY(append(*m_log, accepted(u"aaaaaaaa-3333"_s)));
        QVERIFY(append(*m_log, finished(u"aaaaaaaa-3333"_s)));
        QVERIFY(append(*m_log, accepted(u"cccccccc-4444"_s)));
        FinishedEntry rejected;
        rejected.run = u"cccccccc-4444"_s;
        rejected.outcome = Outcome::Rejected;
        QVERIFY(append(*m_log, rejected));
        m_reader = AuditReader::open(m_file).value();
    }

    void pagesGoFromTheNewestToTheOldest()
    {
        const auto first = m_reader->runs({.limit = 3}).value();
        QCOMPARE(idsOf(first), (QStringList{u"cccccccc-4444"_s, u"aaaaaaaa-3333"_s, u"bbbbbbbb-2222"_s}));
        const auto second = m_reader->runs({.beforeSeq = first.last().seq, .limit = 3}).value();
        QCOMPARE(idsOf(second), QStringList{u"aaaaaaaa-1111"_s});
        QVERIFY(m_reader->runs({.beforeSeq = second.last().seq}).value().isEmpty());
        QVERIFY(m_reader->runs({.limit = 0}).value().isEmpty());
    }

    void theWholeLogIsReadInOrderARangeAtATime()
    {
        QCOMPARE(m_reader->lastEntry().value(), 7);
        QList<qint64> seen;
        for (qint64 from = 1;; from = seen.last() + 1) {
            const auto range = m_reader->entries(from, 3).value();
            for (const StoredEntry &entry : range) {
                QCOMPARE(entry.leaf, leafHash(entry.json));
                seen.append(entry.seq);
            }
            if (range.size() < 3)
                break;
        }
        QCOMPARE(seen, (QList<qint64>{1, 2, 3, 4, 5, 6, 7}));
        QVERIFY(m_reader->entries(8, 3).value().isEmpty());
    }

    void aRowTellsTheWholeRun()
    {
        const RunRow row = m_reader->run(u"BBBBBBBB"_s).value();
        QCOMPARE(row.seq, 2);
        QCOMPARE(row.finishedSeq, 3);
        QCOMPARE(row.language, u"node"_s);
        QCOMPARE(row.outcome, std::optional(Outcome::Failed));
        QVERIFY(row.callerKind == Caller::Kind::Mcp);
        QCOMPARE(row.callerName, u"agent"_s);
        QCOMPARE(row.backend, u"native"_s);
        QCOMPARE(row.durationMs, std::optional<qint64>(12));
        QCOMPARE(row.exitCode, std::optional<int>(1));
        QCOMPARE(row.session, u"session-1"_s);
        QCOMPARE(row.firstLine, u"console.log('\u00c4PFEL 100%')"_s);
        const RunRow open = m_reader->run(u"aaaaaaaa-1111"_s).value();
        QVERIFY(!open.outcome && !open.durationMs && !open.exitCode);
        QCOMPARE(open.finishedSeq, 0);
        const RunRow rejected = m_reader->run(u"cccccccc"_s).value();
        QVERIFY(!rejected.durationMs); // nothing ran
    }

    void filtersNarrowTheList()
    {
        QCOMPARE(idsOf(m_reader->runs({.outcome = Outcome::Completed}).value()), QStringList{u"aaaaaaaa-3333"_s});
        QCOMPARE(idsOf(m_reader->runs({.language = u"node"_s}).value()), QStringList{u"bbbbbbbb-2222"_s});
        QCOMPARE(m_reader->runs({.callerKind = Caller::Kind::Cli}).value().size(), 3);
        QCOMPARE(m_reader->runs({.language = u"node"_s, .callerKind = Caller::Kind::Cli}).value().size(), 0);
    }

    void runsOfAClientAreFoundByItsPairingOrItsProgram()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath(u"audit.db"_s);
        const auto log = AuditLog::open(file, u"engine-1"_s, Clock::system()).value();
        const auto appendOf = [&](const QString &run, Caller::Kind kind, const QString &pairing) {
            AcceptedEntry entry = accepted(run);
            entry.caller = {.kind = kind, .pid = 7, .program = u"/usr/bin/node"_s, .claimed = {}, .pairing = pairing};
            return append(*log, entry);
        };
        QVERIFY(appendOf(u"aaaaaaaa-1111"_s, Caller::Kind::Mcp, u"p1"_s));
        QVERIFY(appendOf(u"bbbbbbbb-2222"_s, Caller::Kind::Mcp, {}));
        QVERIFY(appendOf(u"cccccccc-3333"_s, Caller::Kind::Mcp, u"p2"_s));
        QVERIFY(appendOf(u"dddddddd-4444"_s, Caller::Kind::Cli, {}));
        const auto reader = AuditReader::open(file).value();
        QCOMPARE(idsOf(reader->runs({.pairing = u"p1"_s}).value()), QStringList{u"aaaaaaaa-1111"_s});
        QCOMPARE(idsOf(reader->runs({.callerKind = Caller::Kind::Mcp, .program = u"/usr/bin/node"_s}).value()),
                 QStringList({u"cccccccc-3333"_s, u"bbbbbbbb-2222"_s, u"aaaaaaaa-1111"_s}));
        QCOMPARE(idsOf(reader->runs({.secret = u"TOKEN"_s, .pairing = u"p1"_s}).value()), QStringList());
        QCOMPARE(idsOf(reader->runs({.program = u"/usr/bin/other"_s}).value()), QStringList());
    }

    void runsAreFoundByASecretAlsoInALogOfAnOlderVersion()
    {
        const auto runsWith = [&](const QString &secret) {
            return idsOf(AuditReader::open(m_file).value()->runs({.secret = secret}).value());
        };
        QCOMPARE(runsWith(u"TOKEN"_s), QStringList{u"bbbbbbbb-2222"_s});
        QCOMPARE(runsWith(u"API_KEY"_s), QStringList{u"bbbbbbbb-2222"_s});
        QCOMPARE(runsWith(u"API"_s), QStringList());
        QCOMPARE(m_reader->runs({.beforeSeq = 2, .secret = u"TOKEN"_s}).value().size(), 0);
        QCOMPARE(m_reader->runs({.language = u"sh"_s, .secret = u"TOKEN"_s}).value().size(), 0);
        // As version 2 left it: read as it is, and brought up to date by whoever writes next.
        for (const char *step : {"DROP TRIGGER entries_lent", "DROP TABLE lent", "PRAGMA user_version = 2"})
            QVERIFY(!sql(m_file, step).startsWith(u"error"_s));
        QCOMPARE(runsWith(u"TOKEN"_s), QStringList{u"bbbbbbbb-2222"_s});
        {
            const auto another = AuditLog::open(m_file, u"engine-2"_s, Clock::system());
            QVERIFY2(another, why(another));
        }
        QCOMPARE(sql(m_file, "SELECT count(*) FROM lent"), u"2"_s);
        QCOMPARE(runsWith(u"TOKEN"_s), QStringList{u"bbbbbbbb-2222"_s});
    }

    void theTextFilterIsLiteralAndKnowsAllLetters()
    {
        QCOMPARE(idsOf(m_reader->runs({.contains = u"\u00e4pfel"_s}).value()), QStringList{u"bbbbbbbb-2222"_s});
        QCOMPARE(idsOf(m_reader->runs({.contains = u"100%"_s}).value()), QStringList{u"bbbbbbbb-2222"_s});
        QCOMPARE(m_reader->runs({.contains = u"p%t"_s}).value().size(), 0);
        QCOMPARE(m_reader->runs({.limit = 2, .contains = u"PRINT("_s}).value().size(), 2);
    }

    // A part of it is over in time, and the next one goes on where it was.
    void aSearchComesInParts()
    {
        const auto all = m_reader->runs({}).value();
        QVERIFY(all.size() > 2);
        QList<RunRow> found;
        RunSlice part{.rows = {}, .lookedAt = 0};
        int parts = 0;
        const BodyLook none = [](const QByteArray &) { return false; };
        for (; !part.isEnd && parts < 100; ++parts) {
            const auto next =
                m_reader->search({.beforeSeq = part.lookedAt, .contains = {}}, none, std::chrono::milliseconds(0));
            QVERIFY(next);
            part = *next;
            found += part.rows;
            if (part.isEnd)
                break;
        }
        QCOMPARE(found, all);
        QCOMPARE(parts, int(all.size())); // one run each, and an end
        const auto whole = m_reader->search({.contains = u"never"_s}, none);
        QVERIFY(whole && whole->isEnd && whole->rows.isEmpty());
        const auto failed = m_reader->search({.contains = u"never"_s}, [](const QByteArray &) -> Result<bool> {
            return fail(ErrorCode::Cancelled, Text());
        });
        QVERIFY(!failed || failed->rows.isEmpty());
    }

    void prefixesMustBeLongEnoughAndTellOneRun()
    {
        QCOMPARE(m_reader->run(u"aaaaaaaa"_s).error().code, ErrorCode::InvalidInput);
        QCOMPARE(m_reader->run(u"aaaaaaaa-3"_s).value().run, u"aaaaaaaa-3333"_s);
        QCOMPARE(m_reader->run(u"bbbb"_s).error().code, ErrorCode::InvalidInput);
        QCOMPARE(m_reader->run(u""_s).error().code, ErrorCode::InvalidInput);
        QCOMPARE(m_reader->run(u"dddddddd"_s).error().code, ErrorCode::NotFound);
        QCOMPARE(m_reader->run(u"%%%%%%%%"_s).error().code, ErrorCode::NotFound);
        // What is none of an id's characters is no beginning of one.
        const auto noId = m_reader->run(u"zzz"_s);
        QCOMPARE(noId.error().code, ErrorCode::InvalidInput);
        for (const auto &told : {m_reader->run(u"bbbb"_s), noId})
            QVERIFY2(told.error().message.english().contains(u"\"glovebox audit list\" lists the runs"),
                     qPrintable(told.error().message.english()));
        QVERIFY(noId.error().message.english().startsWith(u"There is no run \"zzz\": an id has the digits"));
    }

    void whatIsNotThereIsNotFound()
    {
        QCOMPARE(m_reader->entry(0).error().code, ErrorCode::NotFound);
        QCOMPARE(m_reader->entry(1000).error().code, ErrorCode::NotFound);
        QVERIFY(m_reader->entriesOf(u"none"_s).value().isEmpty());
        QCOMPARE(AuditReader::open(m_folder.filePath(u"none.db"_s)).error().code, ErrorCode::NotFound);
        QVERIFY(!QFile::exists(m_folder.filePath(u"none.db"_s)));
    }

    void theDataVersionTellsThatSomebodyWrote()
    {
        const qint64 before = m_reader->dataVersion().value();
        QCOMPARE(m_reader->dataVersion().value(), before);
        QVERIFY(append(*m_log, finished(u"aaaaaaaa-1111"_s)));
        QVERIFY(m_reader->dataVersion().value() != before);
    }

    void aQueryCanBeEndedFromAnotherThread()
    {
        // Makes a list that takes longer than anybody waits: the text filter looks at each of these rows.
        QCOMPARE(sql(m_file,
                     "WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 201000) "
                     "INSERT INTO runs SELECT i, 'many-' || i, 'e', 0, 'sh', 'completed', 'cli', '', '', 0, 0, NULL, "
                     "'echo', NULL FROM n"),
                 QString());
        std::atomic<bool> stop = false;
        std::jthread other([&] {
            while (!stop) {
                m_reader->interrupt();
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        });
        const auto rows = m_reader->runs({.limit = 1'000'000, .contains = u"never"_s});
        stop = true;
        other.join();
        QVERIFY(!rows);
        QCOMPARE(rows.error().code, ErrorCode::Cancelled);
        QVERIFY(m_reader->runs({}));
    }

private:
    QTemporaryDir m_folder;
    QString m_file;
    std::unique_ptr<AuditLog> m_log;
    std::unique_ptr<AuditReader> m_reader;
};

QTEST_GUILESS_MAIN(TestAuditReader)
#include "tst_auditreader.moc"
