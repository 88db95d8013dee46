// SPDX-License-Identifier: Apache-2.0
// What the writer's thread does with its connection: batches of entries, and closing what dead engines left open.
#pragma once

#include "entry.h"
#include "reserve.h"

#include "engine/sqlite/sqlite.h"

#include <optional>
#include <span>
#include <vector>

namespace glovebox {

class Writer
{
public:
    // clock outlives the writer.
    Writer(Connection connection, QString file, QString engine, const Clock &clock)
        : m_connection(std::move(connection))
        , m_file(std::move(file))
        , m_engine(std::move(engine))
        , m_clock(&clock)
        , m_reserve(m_file)
    {
        if (m_reserve.isGivenUp())
            m_failure = noRoomForRuns();
    }

    // One transaction, one sync. An entry that the log refuses fails alone; when the transaction fails, all fail. On a full disk deletions
    // are recorded in the room of the reserve, and no run is until there is a reserve again.
    std::vector<Result<AuditReceipt>> append(std::span<const Entry> entries);
    // Of the last transaction.
    const std::optional<Error> &failure() const { return m_failure; }
    // A transaction that changes nothing, and is written all the same.
    Status tryAgain();
    Result<QStringList> recover(const QString &enginesFolder);
    // When nobody waits for an answer.
    void tidy();
    void settle() { m_connection.checkpoint(); }

private:
    std::vector<Result<AuditReceipt>> tryAppending(std::span<const Entry> entries);
    Error noRoomForRuns() const;
    Result<Transaction> begin();
    Result<AuditReceipt> write(const Entry &entry);
    Result<AuditReceipt> insert(const EntryHead &head, const Entry &entry);
    Status noteUnfinished(const EntryHead &head, const Entry &entry);
    Result<QStringList> openRunsOf(const QString &engine);
    Result<QList<Entry>> unfinishedOf(const QString &engine);
    Result<QStringList> closeAllOf(const QString &engine);

    Connection m_connection;
    QString m_file;
    QString m_engine;
    const Clock *m_clock;
    Reserve m_reserve;
    std::optional<Error> m_failure;
};

} // namespace glovebox
