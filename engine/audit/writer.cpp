// SPDX-License-Identifier: Apache-2.0
// Appends inside transactions.
#include "writer.h"

#include "secretindex.h"

#include <QDir>
#include <QFileInfo>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype firstLineLength = 200;
constexpr int mostPagesInWal = 100; // the first program to open the log reads them all; about six runs

QString shortened(const QString &line)
{
    if (line.size() <= firstLineLength)
        return line;
    const bool splitsPair = line[firstLineLength - 1].isHighSurrogate();
    return line.first(firstLineLength - (splitsPair ? 1 : 0));
}

std::optional<QString> nullIfEmpty(const QString &text)
{
    return text.isEmpty() ? std::nullopt : std::optional(text);
}

} // namespace

std::vector<Result<AuditReceipt>> Writer::append(std::span<const Entry> entries)
{
    const auto allFail = [&](const Error &error) {
        return std::vector<Result<AuditReceipt>>(entries.size(), std::unexpected(error));
    };
    if (m_connection.isMoved())
        return allFail(
            {ErrorCode::Io,
             QT_TRANSLATE_NOOP("engine", "The audit log was moved or removed while Glovebox is running, so nothing "
                                         "can be recorded and nothing is run. Restart Glovebox."),
             {}});
    auto transaction = Transaction::begin(m_connection);
    if (!transaction)
        return allFail(transaction.error());
    std::vector<Result<AuditReceipt>> receipts;
    receipts.reserve(entries.size());
    for (const Entry &entry : entries) {
        if (auto status = m_connection.execute("SAVEPOINT entry"); !status)
            return allFail(status.error());
        receipts.push_back(std::visit([this](const auto &e) { return write(e); }, entry));
        const char *end = receipts.back() ? "RELEASE entry" : "ROLLBACK TO entry; RELEASE entry";
        // A full disk or an I/O error may have ended the whole transaction; then that error is everybody's.
        if (!m_connection.inTransaction())
            return allFail(receipts.back() ? m_connection.error() : receipts.back().error());
        if (auto status = m_connection.execute(end); !status)
            return allFail(status.error());
    }
    if (auto status = transaction->commit(); !status)
        return allFail(status.error());
    return receipts;
}

void Writer::tidy()
{
    if (m_connection.pagesInWal() >= mostPagesInWal)
        m_connection.checkpoint();
}

// Inside the transaction, so that numbers are dense and times don't run ahead of them, whoever else writes.
Result<EntryHead> Writer::nextHead()
{
    const auto last = m_connection.integer("SELECT max(seq) FROM entries");
    if (!last)
        return std::unexpected(last.error());
    return EntryHead{*last + 1, m_clock->nowMicroseconds(), m_engine};
}

Result<AuditReceipt> Writer::insert(const EntryHead &head, const QString &kind, const std::optional<QString> &run,
                                    const Result<QByteArray> &json)
{
    if (!json)
        return std::unexpected(json.error());
    AuditReceipt receipt{head.seq, leafHash(*json)};
    auto statement =
        m_connection.prepare("INSERT INTO entries(seq, time_us, kind, run, json, leaf) VALUES(?1, ?2, ?3, ?4, ?5, ?6)");
    if (!statement)
        return std::unexpected(statement.error());
    if (auto status = statement->bind(head.seq, head.timeMicroseconds, kind, run, *json, receipt.leaf).run(); !status)
        return std::unexpected(status.error());
    return receipt;
}

Result<AuditReceipt> Writer::write(const AcceptedEntry &entry)
{
    const auto head = nextHead();
    if (!head)
        return std::unexpected(head.error());
    auto receipt = insert(*head, u"run.accepted"_s, entry.run, acceptedJson(*head, entry));
    if (!receipt)
        return receipt;
    if (auto status = addBody(head->seq, u"code"_s, entry.code); !status)
        return std::unexpected(status.error());
    auto statement = m_connection.prepare(
        "INSERT INTO runs(seq, run, engine, time_us, language, caller_kind, caller_name, backend, session, first_line) "
        "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
    if (!statement)
        return std::unexpected(statement.error());
    statement->bind(head->seq, entry.run, head->engine, head->timeMicroseconds, entry.language,
                    toString(entry.caller.kind), entry.caller.program, entry.policy.backend, nullIfEmpty(entry.session),
                    shortened(entry.firstLine));
    if (auto status = statement->run(); !status)
        return std::unexpected(status.error());
    return receipt;
}

Result<AuditReceipt> Writer::write(const FinishedEntry &entry)
{
    const auto head = nextHead();
    if (!head)
        return std::unexpected(head.error());
    auto receipt = insert(*head, u"run.finished"_s, entry.run, finishedJson(*head, entry));
    if (!receipt)
        return receipt;
    for (const auto &[what, body] : {std::pair(u"stdout"_s, &entry.out), std::pair(u"stderr"_s, &entry.err)}) {
        if (body->commitment.isEmpty())
            continue;
        if (auto status = addBody(head->seq, what, *body); !status)
            return std::unexpected(status.error());
    }
    std::optional<qint64> duration;
    if (!nothingRan(entry.outcome))
        duration = std::chrono::duration_cast<std::chrono::milliseconds>(entry.usage.wall).count();
    if (auto status = closeRun(head->seq, entry.run, m_engine, entry.outcome, duration, entry.exitCode); !status)
        return std::unexpected(status.error());
    return receipt;
}

Result<AuditReceipt> Writer::write(const FoldersEntry &entry)
{
    const auto head = nextHead();
    if (!head)
        return std::unexpected(head.error());
    return insert(*head, entry.applied ? u"folder.applied"_s : u"folder.discarded"_s, entry.run,
                  foldersJson(*head, entry));
}

Result<AuditReceipt> Writer::write(const SecretEntry &entry)
{
    const auto head = nextHead();
    if (!head)
        return std::unexpected(head.error());
    if (auto status = changeSecret(m_connection, entry, head->timeMicroseconds); !status)
        return std::unexpected(status.error());
    return insert(*head, kindOf(entry.change), std::nullopt, secretJson(*head, entry));
}

Result<AuditReceipt> Writer::write(const SecretUses &uses)
{
    if (auto status = countUses(m_connection, uses, m_clock->nowMicroseconds()); !status)
        return std::unexpected(status.error());
    return AuditReceipt();
}

Result<AuditReceipt> Writer::write(const KeyEntry &entry)
{
    const auto head = nextHead();
    if (!head)
        return std::unexpected(head.error());
    if (auto status = recordKey(m_connection, entry); !status)
        return std::unexpected(status.error());
    return insert(*head, u"key.created"_s, std::nullopt, keyJson(*head, entry));
}

Result<AuditReceipt> Writer::writeInterrupted(const QString &run, const QString &engine)
{
    const auto head = nextHead();
    if (!head)
        return std::unexpected(head.error());
    auto receipt = insert(*head, u"run.interrupted"_s, run, interruptedJson(*head, run));
    if (!receipt)
        return receipt;
    if (auto status = closeRun(head->seq, run, engine, Outcome::Interrupted, {}, {}); !status)
        return std::unexpected(status.error());
    return receipt;
}

Status Writer::addBody(qint64 seq, const QString &what, const CommittedBody &body)
{
    auto statement =
        m_connection.prepare("INSERT INTO bodies(seq, what, digest, salt, bytes, kept) VALUES(?1, ?2, ?3, ?4, ?5, ?6)");
    if (!statement)
        return std::unexpected(statement.error());
    return statement->bind(seq, what, body.digest, body.salt, body.bytes, body.kept).run();
}

// A run is closed once, by the engine that accepted it or by recovery.
Status Writer::closeRun(qint64 seq, const QString &run, const QString &engine, Outcome outcome,
                        std::optional<qint64> durationMs, std::optional<qint64> exitCode)
{
    auto statement = m_connection.prepare("UPDATE runs SET outcome = ?1, duration_ms = ?2, exit_code = ?3, "
                                          "finished_seq = ?4 WHERE run = ?5 AND engine = ?6 AND finished_seq IS NULL");
    if (!statement)
        return std::unexpected(statement.error());
    if (auto status = statement->bind(toString(outcome), durationMs, exitCode, seq, run, engine).run(); !status)
        return status;
    if (m_connection.changes() == 1)
        return {};
    return fail(ErrorCode::InvalidInput,
                Text(QT_TRANSLATE_NOOP("engine", "The run %1 was never accepted, or it is closed already."), {run}));
}

Result<QStringList> Writer::selectTexts(const char *sql, const QString &parameter) const
{
    auto statement = m_connection.prepare(sql);
    if (!statement)
        return std::unexpected(statement.error());
    statement->bind(parameter);
    QStringList texts;
    for (;;) {
        const auto row = statement->step();
        if (!row)
            return std::unexpected(row.error());
        if (!*row)
            return texts;
        texts.append(statement->text(0));
    }
}

// Again inside the transaction: another program may have closed them since.
Result<QStringList> Writer::interruptRunsOf(const QString &engine)
{
    auto transaction = Transaction::begin(m_connection);
    if (!transaction)
        return std::unexpected(transaction.error());
    auto runs = selectTexts("SELECT run FROM runs WHERE engine = ?1 AND finished_seq IS NULL ORDER BY seq", engine);
    if (!runs)
        return runs;
    for (const QString &run : std::as_const(*runs)) {
        if (auto receipt = writeInterrupted(run, engine); !receipt)
            return std::unexpected(receipt.error());
    }
    if (auto status = transaction->commit(); !status)
        return std::unexpected(status.error());
    return runs;
}

// An engine makes its lock before it accepts its first run, and its id is never used again. So a lock that can be taken, or
// that is gone, belongs to a dead engine, now and for ever.
Result<QStringList> Writer::recover(const QString &enginesFolder)
{
    const QDir folder(enginesFolder);
    const auto open =
        selectTexts("SELECT DISTINCT engine FROM runs WHERE finished_seq IS NULL AND engine <> ?1", m_engine);
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
        const auto runs = interruptRunsOf(engine);
        if (!runs)
            return runs;
        closed += *runs;
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
