// SPDX-License-Identifier: Apache-2.0
// What a connection keeps prepared: the latest, and not too many.
#include "engine/sqlite/sqlite.h"

#include <QTest>

using namespace glovebox;

class TestPreparedStatements : public QObject
{
    Q_OBJECT

    sqlite3 *m_db = nullptr;

    sqlite3_stmt *prepare(const QByteArray &sql)
    {
        sqlite3_stmt *statement = nullptr;
        sqlite3_prepare_v2(m_db, sql.constData(), -1, &statement, nullptr);
        return statement;
    }
    int alive() const
    {
        int count = 0;
        for (sqlite3_stmt *each = sqlite3_next_stmt(m_db, nullptr); each; each = sqlite3_next_stmt(m_db, each))
            ++count;
        return count;
    }

private Q_SLOTS:
    void init() { QCOMPARE(sqlite3_open(":memory:", &m_db), SQLITE_OK); }
    void cleanup() { QCOMPARE(sqlite3_close(m_db), SQLITE_OK); } // refused while a statement is left

    void whatWasUsedOnceMakesRoomForWhatIsUsedNow()
    {
        PreparedStatements prepared;
        for (int i = 0; i < 100; ++i) {
            sqlite3_stmt *const used = prepare("SELECT " + QByteArray::number(i));
            prepared.giveBack(used);
            QCOMPARE(prepared.take(sqlite3_sql(used)), used);
            prepared.giveBack(used);
        }
        QCOMPARE(alive(), 32);
        QVERIFY(!prepared.take("SELECT 0"));
        for (int i = 68; i < 100; ++i) {
            sqlite3_stmt *const kept = prepared.take("SELECT " + QByteArray::number(i));
            QVERIFY(kept);
            sqlite3_finalize(kept);
        }
    }

    void whatIsUsedAgainAndAgainIsKept()
    {
        PreparedStatements prepared;
        sqlite3_stmt *const often = prepare("SELECT 'often'");
        prepared.giveBack(often);
        for (int i = 0; i < 100; ++i) {
            prepared.giveBack(prepare("SELECT " + QByteArray::number(i)));
            QCOMPARE(prepared.take("SELECT 'often'"), often);
            prepared.giveBack(often);
        }
    }

    void oneTextMayBeInUseTwice()
    {
        PreparedStatements prepared;
        sqlite3_stmt *const first = prepare("SELECT 1");
        sqlite3_stmt *const second = prepare("SELECT 1");
        prepared.giveBack(first);
        prepared.giveBack(second);
        QVERIFY(prepared.take("SELECT 1") != prepared.take("SELECT 1"));
        QVERIFY(!prepared.take("SELECT 1"));
        sqlite3_finalize(first);
        sqlite3_finalize(second);
    }
};

QTEST_GUILESS_MAIN(TestPreparedStatements)
#include "tst_preparedstatements.moc"
