// SPDX-License-Identifier: Apache-2.0
// What the writer's thread does with its connection: batches of entries, and closing what dead engines left open.
#pragma once

#include "audit.h"
#include "entry.h"
#include "sqlite.h"

#include <span>
#include <variant>
#include <vector>

namespace glovebox {

class Writer
{
public:
    using Entry = std::variant<AcceptedEntry, FinishedEntry, FoldersEntry, SecretEntry, SecretUses, KeyEntry>;

    // clock outlives the writer.
    Writer(Connection connection, QString engine, const Clock &clock)
        : m_connection(std::move(connection))
        , m_engine(std::move(engine))
        , m_clock(&clock)
    {
    }

    // One transaction, one sync. An entry that the log refuses fails alone; when the transaction fails, all fail.
    std::vector<Result<AuditReceipt>> append(std::span<const Entry> entries);
    Result<QStringList> recover(const QString &enginesFolder);
    // When nobody waits for an answer.
    void tidy();

private:
    Result<EntryHead> nextHead();
    Result<AuditReceipt> insert(const EntryHead &head, const QString &kind, const std::optional<QString> &run,
                                const Result<QByteArray> &json);
    Result<AuditReceipt> write(const AcceptedEntry &entry);
    Result<AuditReceipt> write(const FinishedEntry &entry);
    Result<AuditReceipt> write(const FoldersEntry &entry);
    Result<AuditReceipt> write(const SecretEntry &entry);
    Result<AuditReceipt> write(const SecretUses &uses);
    Result<AuditReceipt> write(const KeyEntry &entry);
    Result<AuditReceipt> writeInterrupted(const QString &run, const QString &engine);
    Status addBody(qint64 seq, const QString &what, const CommittedBody &body);
    Status closeRun(qint64 seq, const QString &run, const QString &engine, Outcome outcome,
                    std::optional<qint64> durationMs, std::optional<qint64> exitCode);
    Result<QStringList> selectTexts(const char *sql, const QString &parameter) const;
    Result<QStringList> interruptRunsOf(const QString &engine);

    Connection m_connection;
    QString m_engine;
    const Clock *m_clock;
};

} // namespace glovebox
