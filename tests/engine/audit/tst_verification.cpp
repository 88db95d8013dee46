// SPDX-License-Identifier: Apache-2.0
// The whole log, held to its hashes and to a tree head that was kept: whatever somebody changes in the file shows.
#include "fixture.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

namespace {

// Leaves and roots of https://github.com/google/certificate-transparency (test vectors of RFC 6962).
constexpr const char *leaves[] = {
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"};
constexpr const char *roots[] = {"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                                 "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                                 "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
                                 "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
                                 "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
                                 "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
                                 "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
                                 "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
                                 "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"};

constexpr int runs = 6; // of two entries each, and one that goes on

} // namespace

class TestVerification : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theTreeIsThatOfTheRfc()
    {
        MerkleTree tree;
        QCOMPARE(tree.head().root.toHex(), roots[0]);
        for (qint64 size = 1; size <= 8; ++size) {
            tree.add(leafHash(QByteArray::fromHex(leaves[size - 1])));
            QCOMPARE(tree.head(), (TreeHead{size, QByteArray::fromHex(roots[size])}));
        }
    }

    void aHeadIsOneWord()
    {
        const TreeHead head{8, QByteArray::fromHex(roots[8])};
        const QByteArray text = toText(head).toUtf8();
        QCOMPARE(text, "8:" + QByteArray(roots[8]));
        QCOMPARE(treeHeadFrom(text), head);
        QCOMPARE(treeHeadFrom(text.toUpper()), head);
        for (const QByteArray &bad : {QByteArray(), QByteArray(":"), text.chopped(1), text + '0', text.sliced(1),
                                      "-" + text, "+" + text, QByteArray(text).replace('8', ' '),
                                      "8:" + QByteArray(64, 'g'), "12345678901234567" + text.sliced(1), text + '\n'})
            QVERIFY2(!treeHeadFrom(bad), bad);
    }

    void init()
    {
        m_folder.emplace();
        m_file = m_folder->filePath(u"audit.db"_s);
        m_log = AuditLog::open(m_file, u"engine-1"_s, Clock::system()).value();
        for (int i = 0; i < runs; ++i) {
            const QString run = u"aaaaaaaa-%1"_s.arg(i);
            QVERIFY(append(*m_log, accepted(run)));
            QVERIFY(append(*m_log, finished(run, i == 2 ? Outcome::Failed : Outcome::Completed)));
        }
        m_kept = verify().head.value();
        QVERIFY(append(*m_log, accepted(u"bbbbbbbb-open"_s)));
    }

    void aLogAsItWasWrittenIsWhole()
    {
        const LogVerification found = verify(m_kept);
        QVERIFY(found.isWhole());
        QCOMPARE(found.entries, 2 * runs + 1);
        QCOMPARE(found.isAsKept, true);
        QVERIFY(found.firstMicroseconds > 0 && found.lastMicroseconds >= found.firstMicroseconds);
        QCOMPARE(verify(found.head).isAsKept, true);
        QCOMPARE(verify().isAsKept, std::nullopt);
        QCOMPARE(verify(TreeHead{0, sha256({})}).isAsKept, true);
    }

    void ofAnEmptyLogNothingIsWrong()
    {
        QTemporaryDir folder;
        const QString file = folder.filePath(u"audit.db"_s);
        QVERIFY(AuditLog::open(file, u"engine-1"_s, Clock::system()));
        const auto reader = AuditReader::open(file).value();
        const LogVerification found = verifyLog(*reader).value();
        QVERIFY(found.isWhole());
        QCOMPARE(found.head, (TreeHead{0, sha256({})}));
        QCOMPARE(verifyLog(*reader, m_kept).value().isAsKept, false);
    }

    void whatSomebodyChangesShows_data()
    {
        using What = LogFault::What;
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QList<LogFault>>("faults");
        QTest::addColumn<bool>("isAsKept");
        const QByteArray edited = "CAST(replace(CAST(json AS TEXT), 'python', 'pytham') AS BLOB)";
        QTest::newRow("a byte of an entry") << QByteArray("UPDATE entries SET json = CAST(replace(CAST(json AS TEXT), "
                                                          "'engine-1', 'engine-2') AS BLOB) WHERE seq = 4")
                                            << QList<LogFault>{{What::Changed, 4, 4}} << false;
        QTest::newRow("an entry and its row")
            << "UPDATE entries SET json = " + edited
                   + " WHERE seq = 3; UPDATE runs SET language = 'pytham' WHERE seq = 3"
            << QList<LogFault>{{What::Changed, 3, 3}} << false;
        QTest::newRow("a hash") << QByteArray("UPDATE entries SET leaf = randomblob(32) WHERE seq = 1")
                                << QList<LogFault>{{What::Changed, 1, 1}} << true; // the entries are those that were
        QTest::newRow("no JSON") << QByteArray("UPDATE entries SET json = x'00' WHERE seq = 4")
                                 << QList<LogFault>{{What::Changed, 4, 4}, {What::Misplaced, 4, 4}} << false;
        QTest::newRow("the latest that were kept")
            << QByteArray("DELETE FROM runs WHERE seq >= 11; DELETE FROM entries WHERE seq >= 11") << QList<LogFault>()
            << false;
        QTest::newRow("the first") << QByteArray("DELETE FROM runs WHERE seq = 1; DELETE FROM entries WHERE seq <= 2")
                                   << QList<LogFault>{{What::Missing, 1, 2}} << false;
        QTest::newRow("between") << QByteArray(
            "DELETE FROM runs WHERE seq = 5; DELETE FROM entries WHERE seq IN (5, 6)")
                                 << QList<LogFault>{{What::Missing, 5, 6}} << false;
        QTest::newRow("two, exchanged") << QByteArray(
            "UPDATE entries SET seq = 100 WHERE seq = 2; UPDATE entries SET seq = 2 WHERE seq = 4; "
            "UPDATE entries SET seq = 4 WHERE seq = 100; UPDATE runs SET finished_seq = 4 WHERE seq = 1; "
            "UPDATE runs SET finished_seq = 2 WHERE seq = 3")
                                        << QList<LogFault>{{What::Misplaced, 2, 2}, {What::Misplaced, 4, 4}} << false;
        QTest::newRow("one before the first")
            << QByteArray("INSERT INTO entries SELECT -3, time_us, kind, run, json, leaf FROM entries WHERE seq = 2")
            << QList<LogFault>{{What::Misplaced, -3, -3}, {What::Unlisted, 1, 1}} << false;
        QTest::newRow("one twice") << QByteArray(
            "INSERT INTO entries SELECT 14, time_us, kind, NULL, json, leaf FROM entries WHERE seq = 13")
                                   << QList<LogFault>{{What::Misplaced, 14, 14}, {What::Unlisted, 14, 14}} << true;
        QTest::newRow("the greatest number")
            << QByteArray(
                   "INSERT INTO entries SELECT 9223372036854775807, time_us, 'x.y', NULL, json, leaf FROM entries "
                   "WHERE seq = 13")
            << QList<LogFault>{{What::Misplaced, std::numeric_limits<qint64>::max(),
                                std::numeric_limits<qint64>::max()},
                               {What::Missing, 14, std::numeric_limits<qint64>::max() - 1}}
            << true;
        QTest::newRow("of no run") << QByteArray("UPDATE entries SET run = NULL WHERE seq = 4")
                                   << QList<LogFault>{{What::Misplaced, 4, 4},
                                                      {What::Unlisted, 3, 3},
                                                      {What::Unlisted, 4, 4}}
                                   << true;
        QTest::newRow("another kind") << QByteArray("UPDATE entries SET kind = 'tool.called' WHERE seq = 4")
                                      << QList<LogFault>{{What::Misplaced, 4, 4}, {What::Unlisted, 3, 3}} << true;
        QTest::newRow("another time") << QByteArray("UPDATE entries SET time_us = 7 WHERE seq = 4")
                                      << QList<LogFault>{{What::Misplaced, 4, 4}} << true;
        for (const char *column :
             {"outcome = 'completed'", "finished_seq = NULL", "finished_seq = 4", "exit_code = 9", "language = 'sh'",
              "caller_kind = 'mcp'", "time_us = 1", "session = 'x'", "backend = 'none'"})
            QTest::newRow(column) << "UPDATE runs SET " + QByteArray(column) + " WHERE seq = 5"
                                  << QList<LogFault>{{What::Unlisted, 5, 5}} << true;
        QTest::newRow("a deletion that nobody logged")
            << QByteArray("CREATE TABLE deletions(seq INTEGER PRIMARY KEY, time_us INTEGER, before_us INTEGER); "
                          "INSERT INTO deletions VALUES(7, 1, 9000000000000000)")
            << QList<LogFault>{{What::Unlogged, 7, 7}} << true;
        QTest::newRow("another run") << QByteArray("UPDATE runs SET run = 'cccccccc' WHERE seq = 5")
                                     << QList<LogFault>{{What::Unlisted, 5, 5}, {What::Unlisted, 6, 6}} << true;
        QTest::newRow("an end of its own")
            << QByteArray("UPDATE runs SET outcome = 'completed', finished_seq = 6 WHERE seq = 13")
            << QList<LogFault>{{What::Unlisted, 13, 13}} << true;
        QTest::newRow("a run that isn't listed")
            << QByteArray("DELETE FROM runs WHERE seq = 13") << QList<LogFault>{{What::Unlisted, 13, 13}} << true;
        QTest::newRow("a run that never was")
            << QByteArray("UPDATE runs SET seq = 6, run = 'd' WHERE seq = 13") // 6: the end of another run
            << QList<LogFault>{{What::Unlisted, 6, 6}, {What::Unlisted, 13, 13}} << true;
    }
    void whatSomebodyChangesShows()
    {
        QFETCH(QByteArray, change);
        QFETCH(QList<LogFault>, faults);
        QFETCH(bool, isAsKept);
        const QString told = sql(m_file, "PRAGMA foreign_keys = OFF; DROP TRIGGER entries_no_update; "
                                         "DROP TRIGGER entries_no_delete; DROP TRIGGER entries_dense; "
                                             + change + "; SELECT 'done'");
        QVERIFY2(!told.startsWith(u"error"_s), qPrintable(told));
        const LogVerification found = verify(m_kept);
        QCOMPARE(found.faults, faults);
        QCOMPARE(found.faultCount, faults.size());
        QCOMPARE(found.isAsKept, isAsKept);
        QVERIFY(!found.isWhole());
    }

    // Whoever knows how entries are hashed can change one with its hash. Nothing in the log shows that: only what was kept elsewhere.
    void anEntryWithItsHashShowsByWhatWasKept()
    {
        const auto reader = AuditReader::open(m_file).value();
        StoredEntry entry = reader->entry(4).value();
        entry.json.replace("engine-1", "engine-2");
        sql(m_file, "DROP TRIGGER entries_no_update");
        sql(m_file, "UPDATE entries SET json = x'" + entry.json.toHex() + "', leaf = x'" + leafHash(entry.json).toHex()
                        + "' WHERE seq = 4");
        QVERIFY(verify().isWhole());
        QCOMPARE(verify(m_kept).isAsKept, false);
        QVERIFY(!verify(m_kept).isWhole());
    }

    void manyFaultsAreCounted()
    {
        sql(m_file, "DROP TRIGGER entries_no_update");
        sql(m_file, "DROP TRIGGER entries_dense");
        sql(m_file, "WITH RECURSIVE n(i) AS (SELECT 14 UNION ALL SELECT i + 1 FROM n WHERE i < 5013) "
                    "INSERT INTO entries SELECT i, 1, 'x.y', NULL, CAST('{}' AS BLOB), zeroblob(32) FROM n");
        const LogVerification found = verify(m_kept);
        QCOMPARE(found.entries, 5013);
        QCOMPARE(found.faults.size(), mostFaults);
        QCOMPARE(found.faultCount, 10'000); // changed and misplaced, each
        QCOMPARE(found.isAsKept, true);
        // How far it is, is told meanwhile.
        QList<qint64> told;
        const auto reader = AuditReader::open(m_file).value();
        QVERIFY(verifyLog(*reader, {}, [&](qint64 entries, qint64 all) { told.append(all == 5013 ? entries : -1); }));
        QVERIFY(told.size() > 2 && told.first() > 0 && told.last() == 5013 && std::ranges::is_sorted(told));
    }

    void runsGoOnMeanwhile()
    {
        const auto reader = AuditReader::open(m_file).value();
        std::atomic<bool> isEnough = false;
        std::thread writer([&] {
            for (int i = 0; !isEnough; ++i) {
                const QString run = u"eeeeeeee-%1"_s.arg(i);
                if (!append(*m_log, accepted(run)) || !append(*m_log, finished(run)))
                    qFatal("The log takes no entry.");
            }
        });
        for (int i = 0; i < 50; ++i) {
            const auto found = verifyLog(*reader, m_kept);
            if (!found || !found->isWhole()) {
                isEnough = true;
                writer.join();
                QVERIFY2(found, why(found));
                QCOMPARE(found->faults, QList<LogFault>());
                QVERIFY(found->isWhole());
            }
        }
        isEnough = true;
        writer.join();
    }

    // Entries are read without them, and runs aren't.
    void anIndexThatIsNotWholeShows_data()
    {
        QTest::addColumn<QString>("index");
        QTest::addColumn<bool>("isEmptied"); // as a sound tree without rows; else overwritten
        for (const char *index : {"entries_run", "bodies_digest", "runs_open", "secrets"}) {
            QTest::addRow("%s, overwritten", index) << QString::fromLatin1(index) << false;
            if (QByteArrayView(index) != "secrets") // a table, which may be empty
                QTest::addRow("%s, emptied", index) << QString::fromLatin1(index) << true;
        }
    }
    void anIndexThatIsNotWholeShows()
    {
        QFETCH(QString, index);
        QFETCH(bool, isEmptied);
        m_log.reset(); // which leaves all of it in the file
        sql(m_file, "PRAGMA wal_checkpoint(TRUNCATE)");
        const qint64 pageBytes = sql(m_file, "PRAGMA page_size").toLongLong();
        const qint64 page =
            sql(m_file, "SELECT rootpage FROM sqlite_schema WHERE name = '" + index.toLatin1() + '\'').toLongLong();
        QVERIFY(page > 1);
        QFile file(m_file);
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek((page - 1) * pageBytes));
        QByteArray bytes(pageBytes, isEmptied ? 0 : 0x55);
        if (isEmptied) {
            bytes[0] = 10; // a leaf of an index
            bytes[5] = char(pageBytes >> 8); // where cells begin
        }
        QCOMPARE(file.write(bytes), pageBytes);
        file.close();
        const LogVerification found = verify(m_kept);
        QCOMPARE(found.faults, (QList<LogFault>{{LogFault::What::Damaged, 0, 0}}));
        QVERIFY2(found.damage.contains(index), qPrintable(found.damage));
        QCOMPARE(found.entries, 2 * runs + 1);
        QCOMPARE(found.isAsKept, true);
        QVERIFY(!found.isWhole());
    }

    void aLogThatCanOnlyBeReadIsVerified()
    {
        m_log.reset();
        QVERIFY(QFile::setPermissions(m_file, QFile::ReadOwner));
        QVERIFY(verify(m_kept).isWhole());
    }

private:
    LogVerification verify(const std::optional<TreeHead> &kept = {})
    {
        const auto reader = AuditReader::open(m_file).value();
        return verifyLog(*reader, kept).value();
    }

    std::optional<QTemporaryDir> m_folder;
    QString m_file;
    std::unique_ptr<AuditLog> m_log;
    TreeHead m_kept;
};

QTEST_GUILESS_MAIN(TestVerification)
#include "tst_verification.moc"
