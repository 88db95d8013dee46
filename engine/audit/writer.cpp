// SPDX-License-Identifier: Apache-2.0
// Appends inside transactions.
#include "writer.h"

#include "kinds/finished.h"
#include "schema.h"

#include <QDir>
#include <QFileInfo>
#include <QStorageInfo>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 roomForRuns = 256 * kibibyte;
constexpr int mostPagesInWal = 100; // the first program to open the log reads them all; about six runs

// What it records gives room back. Rows without an entry, among them those of a deletion.
bool makesRoom(const Entry &entry)
{
    constexpr EntryKind kinds[] = {EntryKind::SessionDeleted,      EntryKind::PackageRemoved,
                                   EntryKind::FolderDiscarding,    EntryKind::FolderDiscarded,
                                   EntryKind::RetentionApplied,    EntryKind::RetentionFinished,
                                   EntryKind::RetentionInterrupted};
    return entry.kind.isEmpty()
           || std::ranges::any_of(kinds, [&](EntryKind kind) { return entry.kind == toString(kind); });
}

bool beginsRun(const Entry &entry)
{
    return entry.kind == toString(EntryKind::RunAccepted);
}

} // namespace

Error Writer::noRoomForRuns() const
{
    return {ErrorCode::Full,
            Text(QT_TRANSLATE_NOOP("engine", "There is no space left for the audit log %1, so no run starts. Delete "
                                             "what you don't need, by \"glovebox session delete\" or \"glovebox audit "
                                             "prune\", and try again."),
                 {m_file}),
            {}};
}

// Whether this program may write is asked again each time: a newer one may have changed the tables since the log was opened.
Result<Transaction> Writer::begin()
{
    if (m_connection.isMoved())
        return fail(ErrorCode::Io,
                    QT_TRANSLATE_NOOP("engine",
                                      "The audit log was moved or removed while Glovebox is running, so nothing "
                                      "can be recorded and no run starts. Restart Glovebox."));
    ASSIGN_OR_RETURN(auto transaction, Transaction::begin(m_connection));
    RETURN_IF_ERROR(checkWritable(m_connection, m_file));
    return transaction;
}

std::vector<Result<AuditReceipt>> Writer::append(std::span<const Entry> entries)
{
    auto receipts = tryAppending(entries);
    if (m_failure && m_failure->code == ErrorCode::Full && std::ranges::any_of(entries, makesRoom)
        && m_reserve.giveUp())
        receipts = tryAppending(entries);
    return receipts;
}

std::vector<Result<AuditReceipt>> Writer::tryAppending(std::span<const Entry> entries)
{
    const auto allFail = [&](const Error &error) {
        m_failure = error;
        return std::vector<Result<AuditReceipt>>(entries.size(), std::unexpected(error));
    };
    auto transaction = begin();
    if (!transaction)
        return allFail(transaction.error());
    std::vector<Result<AuditReceipt>> receipts;
    receipts.reserve(entries.size());
    const bool refusesRuns = m_reserve.isGivenUp() && !m_reserve.keep();
    for (const Entry &entry : entries) {
        if (refusesRuns && beginsRun(entry)) {
            receipts.emplace_back(std::unexpect, noRoomForRuns());
            continue;
        }
        if (auto status = m_connection.execute("SAVEPOINT entry"); !status)
            return allFail(status.error());
        receipts.push_back(write(entry));
        const char *end = receipts.back() ? "RELEASE entry" : "ROLLBACK TO entry; RELEASE entry";
        // A full disk or an I/O error may have ended the whole transaction; then that error is everybody's.
        if (!m_connection.inTransaction())
            return allFail(receipts.back() ? m_connection.error() : receipts.back().error());
        if (auto status = m_connection.execute(end); !status)
            return allFail(status.error());
    }
    if (auto status = transaction->commit(); !status)
        return allFail(status.error());
    m_failure = refusesRuns ? std::optional(noRoomForRuns()) : std::nullopt;
    return receipts;
}

Status Writer::tryAgain()
{
    // The rest of a write that failed leaves room for this small one.
    if (m_failure && m_failure->code == ErrorCode::Full
        && QStorageInfo(QFileInfo(m_file).path()).bytesAvailable() < roomForRuns)
        return std::unexpected(*m_failure);
    if (m_reserve.isGivenUp() && !m_reserve.keep()) {
        m_failure = noRoomForRuns();
        return std::unexpected(*m_failure);
    }
    const auto write = [this]() -> Status {
        ASSIGN_OR_RETURN(auto transaction, begin());
        const QByteArray unchanged = "PRAGMA user_version=" + QByteArray::number(schemaVersion);
        RETURN_IF_ERROR(m_connection.execute(unchanged.constData()));
        return transaction.commit();
    };
    const Status written = write();
    m_failure = written ? std::nullopt : std::optional(written.error());
    return written;
}

void Writer::tidy()
{
    if (m_connection.pagesInWal() >= mostPagesInWal)
        m_connection.checkpoint();
    m_reserve.keep();
}

// The number is taken inside the transaction, so that numbers are dense and times don't run ahead of them, whoever else writes.
Result<AuditReceipt> Writer::write(const Entry &entry)
{
    ASSIGN_OR_RETURN(const auto last, m_connection.integer("SELECT max(seq) FROM entries"));
    const EntryHead head{last + 1, m_clock->nowMicroseconds(), m_engine};
    ASSIGN_OR_RETURN(auto receipt, entry.kind.isEmpty() ? AuditReceipt() : insert(head, entry));
    RETURN_IF_ERROR(noteUnfinished(head, entry));
    RETURN_IF_ERROR(entry.also ? entry.also(m_connection, head) : Status());
    return receipt;
}

Result<AuditReceipt> Writer::insert(const EntryHead &head, const Entry &entry)
{
    ASSIGN_OR_RETURN(const QByteArray json, entryJson(head, entry));
    AuditReceipt receipt{head.seq, leafHash(json)};
    const auto run = entry.run.isEmpty() ? std::nullopt : std::optional(entry.run);
    RETURN_IF_ERROR(
        m_connection.run("INSERT INTO entries(seq, time_us, kind, run, json, leaf) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
                         head.seq, head.timeMicroseconds, entry.kind, run, json, receipt.leaf));
    return receipt;
}

Status Writer::noteUnfinished(const EntryHead &head, const Entry &entry)
{
    if (entry.begins) {
        QJsonObject fields = entry.begins->fields;
        fields[u"began"_s] = head.seq;
        ASSIGN_OR_RETURN(const auto json, canonicalJson(fields));
        return m_connection.run("INSERT INTO unfinished(seq, engine, run, kind, fields) VALUES(?1, ?2, ?3, ?4, ?5)",
                                head.seq, head.engine, entry.run, entry.begins->kind, json);
    }
    if (entry.ends == 0)
        return {};
    const Status ended = m_connection.run("DELETE FROM unfinished WHERE seq = ?1", entry.ends);
    if (!ended || m_connection.changes() == 1)
        return ended;
    return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "Entry %1 of the audit log has its end already."),
                {QString::number(entry.ends)});
}

Result<QStringList> Writer::openRunsOf(const QString &engine)
{
    return m_connection.rows(
        "SELECT run FROM runs WHERE engine = ?1 AND finished_seq IS NULL ORDER BY seq",
        [](const Statement &row) { return row.text(0); }, engine);
}

Result<QList<Entry>> Writer::unfinishedOf(const QString &engine)
{
    return m_connection.rows(
        "SELECT seq, run, kind, fields FROM unfinished WHERE engine = ?1 ORDER BY seq",
        [](const Statement &row) {
            const qint64 began = row.integer(0);
            const QJsonObject fields = parseStrictJson(row.blob(3)).value_or(QJsonObject{{u"began"_s, began}});
            return Entry{.kind = row.text(2), .run = row.text(1), .fields = fields, .ends = began};
        },
        engine);
}

// Read inside the transaction: another program may have closed some of them a moment before.
Result<QStringList> Writer::closeAllOf(const QString &engine)
{
    ASSIGN_OR_RETURN(auto transaction, begin());
    ASSIGN_OR_RETURN(auto runs, openRunsOf(engine));
    ASSIGN_OR_RETURN(auto ends, unfinishedOf(engine));
    for (const QString &run : std::as_const(runs))
        ends.append(interruptedEntry(run, engine));
    for (const Entry &end : ends)
        RETURN_IF_ERROR(write(end));
    RETURN_IF_ERROR(transaction.commit());
    return runs;
}

// An engine makes its lock before it accepts its first run, and its id is never used again. So a lock that can be taken, or
// that is gone, belongs to a dead engine, now and for ever.
Result<QStringList> Writer::recover(const QString &enginesFolder)
{
    const QDir folder(enginesFolder);
    const auto open = m_connection.rows(
        "SELECT engine FROM runs WHERE finished_seq IS NULL AND engine <> ?1 "
        "UNION SELECT engine FROM unfinished WHERE engine <> ?1",
        [](const Statement &row) { return row.text(0); }, m_engine);
    if (!open)
        return open;
    QStringList closed;
    for (const QString &engine : *open) {
        const QString path = folder.filePath(engine + u".lock"_s);
        auto lock = FileLock::tryExisting(path);
        if (!lock) {
            qCWarning(lcAudit) << "runs of an engine stay open:" << lock.error().message.english();
            continue;
        }
        std::optional<FileLock> &taken = *lock;
        if (!taken && QFileInfo::exists(path))
            continue; // held: that engine lives
        ASSIGN_OR_RETURN(const auto runs, closeAllOf(engine));
        closed += runs;
        if (taken)
            taken->removeAndRelease();
    }
    // Locks of engines that ended without an open run, but not in order.
    for (const QString &name : folder.entryList(QDir::Files, QDir::Unsorted)) {
        const QString engine = name.chopped(5);
        if (!name.endsWith(u".lock"_s) || engine == m_engine || open->contains(engine))
            continue;
        auto lock = FileLock::tryExisting(folder.filePath(name)).value_or(std::nullopt);
        if (lock)
            lock->removeAndRelease();
    }
    return closed;
}

} // namespace glovebox
