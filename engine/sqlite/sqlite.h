// SPDX-License-Identifier: Apache-2.0
// The room's public header: SQLite's C API with owners, results and sentences; nothing more. Its sentences speak of the audit log,
// the one database there is.
#pragma once

#include "engine/base/base.h"

#include <QList>

#include <sqlite3.h>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace glovebox {

constexpr auto lockPatience = std::chrono::seconds(5); // how long another program may hold the log

// The connection's latest error as one of ours. file: when the connection doesn't know it (it failed to open).
Error databaseError(sqlite3 *db, const QString &file = {});

// What a connection prepared once and doesn't use at the moment: what was used last of it.
class PreparedStatements
{
public:
    PreparedStatements() = default;
    PreparedStatements(const PreparedStatements &) = delete;
    PreparedStatements &operator=(const PreparedStatements &) = delete;
    ~PreparedStatements();

    sqlite3_stmt *take(const char *sql); // null: none
    void giveBack(sqlite3_stmt *statement);

private:
    std::vector<sqlite3_stmt *> m_idle; // few; the one that was used last is the last
};

// A prepared statement. Ends before its connection.
class Statement
{
public:
    Statement(sqlite3_stmt *statement, PreparedStatements &home)
        : m_statement(statement, GiveBack{&home})
    {
    }

    // Parameters ?1, ?2, ... in order. An empty QByteArray is an empty blob, an empty optional is NULL.
    template<typename... Values> Statement &bind(const Values &...values)
    {
        int index = 0;
        (bindOne(++index, values), ...);
        return *this;
    }

    Result<bool> step(); // true: a row is there
    Status run(); // for statements without rows

    bool isNull(int column) const;
    qint64 integer(int column) const;
    std::optional<qint64> optionalInteger(int column) const;
    QString text(int column) const;
    QByteArray blob(int column) const;

private:
    void bindOne(int index, qint64 value);
    void bindOne(int index, const std::optional<qint64> &value);
    void bindOne(int index, const QString &value);
    void bindOne(int index, const std::optional<QString> &value);
    void bindOne(int index, const QByteArray &value);

    struct GiveBack
    {
        PreparedStatements *home;
        void operator()(sqlite3_stmt *statement) const { home->giveBack(statement); }
    };
    std::unique_ptr<sqlite3_stmt, GiveBack> m_statement;
};

// One connection, used by one thread at a time (interrupt() by any).
class Connection
{
public:
    enum class Mode {
        ReadWrite, // makes the file when there is none
        ReadOnly,
        Immutable, // read-only, without locks: only while nobody writes
    };
    static Result<Connection> open(const QString &file, Mode mode);

    Status execute(const char *sql);
    Result<Statement> prepare(const char *sql) const;
    Result<qint64> integer(const char *sql) const; // first column of the first row; 0 without a row
    Result<bool> has(const QString &table) const;
    // One statement without rows, with its parameters.
    template<typename... Values> Status run(const char *sql, const Values &...values)
    {
        auto statement = prepare(sql);
        return statement ? statement->bind(values...).run() : std::unexpected(statement.error());
    }
    // What read makes of each row. read: Row(const Statement &).
    template<typename Read, typename... Values>
    auto rows(const char *sql, Read read, const Values &...values) const
        -> Result<QList<decltype(read(std::declval<const Statement &>()))>>
    {
        ASSIGN_OR_RETURN(auto statement, prepare(sql));
        statement.bind(values...);
        QList<decltype(read(std::declval<const Statement &>()))> list;
        for (;;) {
            ASSIGN_OR_RETURN(const auto row, statement.step());
            if (!row)
                return list;
            list.append(read(statement));
        }
    }
    // The same of a table that a database of an older version may not have.
    template<typename Read>
    auto rowsIfThere(const QString &table, const char *sql, Read read) const -> decltype(rows(sql, read))
    {
        ASSIGN_OR_RETURN(const bool isThere, has(table));
        return isThere ? rows(sql, read) : decltype(rows(sql, read))();
    }
    qint64 changes() const { return sqlite3_changes64(m_db.get()); }
    bool inTransaction() const { return sqlite3_get_autocommit(m_db.get()) == 0; }
    bool isReadOnly() const { return sqlite3_db_readonly(m_db.get(), "main") == 1; }
    // The file was renamed or removed under the connection: what it writes would go nowhere.
    bool isMoved() const;
    // The file is shorter than its own header says, and the WAL may not have the rest: only then is reading all of it worth the time.
    bool isCutOff() const;
    // For a WAL: from now on neither a commit nor closing moves pages into the file itself (two waits for the disk); that is
    // done by checkpoint() alone. What is committed is durable and read by everybody all the same.
    void checkpointByHand();
    int pagesInWal() const { return m_pagesInWal ? *m_pagesInWal : 0; } // as of the last commit
    void checkpoint(); // unless somebody else uses the log at the moment
    void interrupt() { sqlite3_interrupt(m_db.get()); }
    Error error() const { return databaseError(m_db.get()); }

private:
    explicit Connection(sqlite3 *db)
        : m_db(db, &sqlite3_close_v2)
    {
    }
    std::unique_ptr<int> m_pagesInWal; // SQLite knows its address
    std::unique_ptr<sqlite3, decltype(&sqlite3_close_v2)> m_db;
    std::unique_ptr<PreparedStatements> m_prepared = std::make_unique<PreparedStatements>(); // goes first
};

// BEGIN IMMEDIATE: waits for the write lock once, at the start, and can't fail for another writer later. Rolled back
// unless committed.
class Transaction
{
public:
    static Result<Transaction> begin(Connection &connection);
    Transaction(Transaction &&other) noexcept
        : m_connection(std::exchange(other.m_connection, nullptr))
    {
    }
    Transaction &operator=(Transaction &&) = delete;
    ~Transaction();

    Status commit();

private:
    explicit Transaction(Connection &connection)
        : m_connection(&connection)
    {
    }
    Connection *m_connection;
};

} // namespace glovebox
