// SPDX-License-Identifier: Apache-2.0
// Entries, plain SQLite, and the other program.
#include "fixture.h"

#include <QCoreApplication>
#include <QFile>

#include <sqlite3.h>

#include <future>

namespace glovebox::test {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

template<typename Entry> Result<AuditReceipt> appendAndWait(AuditLog &log, const Entry &entry)
{
    std::promise<Result<AuditReceipt>> promise;
    auto future = promise.get_future();
    log.append(entry, [&promise](Result<AuditReceipt> receipt) { promise.set_value(std::move(receipt)); });
    return future.get();
}

} // namespace

AcceptedEntry accepted(const QString &run)
{
    AcceptedEntry entry;
    entry.run = run;
    entry.caller = {Caller::Kind::Cli, 42, u"glovebox"_s, {}};
    entry.language = u"python"_s;
    entry.code = commitTo("print(6*7)\n");
    entry.firstLine = u"print(6*7)"_s;
    return entry;
}

FinishedEntry finished(const QString &run, Outcome outcome)
{
    FinishedEntry entry;
    entry.run = run;
    entry.outcome = outcome;
    entry.exitCode = outcome == Outcome::Completed ? 0 : 1;
    entry.usage.wall = 12ms;
    entry.usage.source = u"rusage"_s;
    entry.out = commitTo("42\n");
    entry.err = commitTo("");
    return entry;
}

Result<AuditReceipt> append(AuditLog &log, const AcceptedEntry &entry)
{
    return appendAndWait(log, entry);
}

Result<AuditReceipt> append(AuditLog &log, const FinishedEntry &entry)
{
    return appendAndWait(log, entry);
}

QString sql(const QString &file, const QByteArray &statement)
{
    sqlite3 *db = nullptr;
    QString result;
    const auto takeFirst = [](void *target, int count, char **values, char **) {
        auto *text = static_cast<QString *>(target);
        if (text->isEmpty() && count > 0)
            *text = QString::fromUtf8(values[0]);
        return 0;
    };
    if (sqlite3_open_v2(QFile::encodeName(file).constData(), &db, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK
        || sqlite3_busy_timeout(db, 5000) != SQLITE_OK
        || sqlite3_exec(db, statement.constData(), takeFirst, &result, nullptr) != SQLITE_OK)
        result = u"error: "_s + QString::fromUtf8(sqlite3_errmsg(db));
    sqlite3_close(db);
    return result;
}

QString checkEntries(const QString &file)
{
    const auto reader = AuditReader::open(file);
    if (!reader)
        return reader.error().message.english();
    const qint64 count = sql(file, "SELECT max(seq) FROM entries").toLongLong();
    for (qint64 seq = 1; seq <= count; ++seq) {
        const auto entry = (*reader)->entry(seq);
        if (!entry)
            return u"entry %1 is missing"_s.arg(seq);
        const auto json = parseStrictJson(entry->json);
        if (!json || canonicalJson(*json) != entry->json || (*json)[u"seq"_s].toInteger() != seq)
            return u"entry %1 is not what it should be"_s.arg(seq);
        if (entry->leaf != sha256({QByteArrayView("\0", 1), entry->json}))
            return u"the leaf of entry %1 is wrong"_s.arg(seq);
    }
    return u"dense"_s;
}

Child::Child(const QStringList &arguments)
{
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_process.start(QCoreApplication::applicationDirPath() + u"/audit-child"_s, arguments);
    m_process.waitForStarted();
}

Child::~Child()
{
    kill();
}

QString Child::line()
{
    while (!m_process.canReadLine() && m_process.waitForReadyRead(20'000)) { }
    return QString::fromUtf8(m_process.readLine()).trimmed();
}

QStringList Child::kill()
{
    m_process.kill();
    return rest();
}

QStringList Child::finish()
{
    m_process.closeWriteChannel();
    return rest();
}

QStringList Child::rest()
{
    m_process.waitForFinished();
    QStringList lines = QString::fromUtf8(m_process.readAll()).split(u'\n');
    lines.removeLast(); // not whole, or empty
    return lines;
}

} // namespace glovebox::test
