// SPDX-License-Identifier: Apache-2.0
#include "biglog.h"

#include "engine/audit/kinds/finished.h"

#include <QFileInfo>
#include <QtTest>

#include <sqlite3.h>

namespace glovebox {

using namespace Qt::StringLiterals;

void execute(const QString &file, const QByteArray &sql)
{
    sqlite3 *db = nullptr;
    char *message = nullptr;
    if (sqlite3_open_v2(file.toUtf8().constData(), &db, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK
        || sqlite3_busy_timeout(db, 5000) != SQLITE_OK
        || sqlite3_exec(db, sql.constData(), nullptr, nullptr, &message) != SQLITE_OK)
        qFatal("%s", message ? message : sqlite3_errmsg(db));
    sqlite3_close_v2(db);
}

void addRuns(const QString &file, int count)
{
    const Clock &clock = Clock::system();
    if (!AuditLog::open(file, newId(clock), clock))
        qFatal("The log can't be made.");
    // The newest is of now, and a minute lies between two.
    execute(file, R"sql(
BEGIN IMMEDIATE;
CREATE TEMP TABLE fresh(seq INTEGER PRIMARY KEY, number INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < COUNT)
    INSERT INTO fresh SELECT (SELECT coalesce(max(seq), 0) FROM entries) + i, (SELECT count(*) FROM runs) + i FROM n;
INSERT INTO entries SELECT seq, unixepoch() * 1000000 - (COUNT - number) * 60000000, 'run.accepted',
    printf('0192f0c1-2345-7000-8000-%012x', seq), x'7b7d', zeroblob(32) FROM fresh ORDER BY seq;
INSERT INTO runs SELECT seq, printf('0192f0c1-2345-7000-8000-%012x', seq), '0192f0c1-0000-7000-8000-000000000000',
    unixepoch() * 1000000 - (COUNT - number) * 60000000,
    CASE number % 3 WHEN 0 THEN 'python' WHEN 1 THEN 'node' ELSE 'bash' END,
    CASE WHEN number % 7 = 0 THEN 'failed' ELSE 'completed' END,
    CASE number % 2 WHEN 0 THEN 'cli' ELSE 'workbench' END, '/usr/bin/glovebox', 'native', number % 5000, 0, NULL,
    CASE WHEN number % 1000 = 0 THEN 'rare ' ELSE 'line ' END || number, seq FROM fresh ORDER BY seq;
DROP TABLE fresh;
COMMIT;
)sql"_ba.replace("COUNT", QByteArray::number(count)));
}

OtherProgram::OtherProgram(const QString &file)
    : m_engine(newId(Clock::system()))
{
    auto log = AuditLog::open(file, m_engine, Clock::system());
    if (!log)
        qFatal("%s", qPrintable(log.error().message.english()));
    m_log = std::move(*log);
}

void OtherProgram::append(const Entry &entry)
{
    if (const auto receipt = m_log->appendNow(entry); !receipt)
        qFatal("%s", qPrintable(receipt.error().message.english()));
}

QString OtherProgram::accept(const QString &firstLine, const CommittedBody &code,
                             const std::vector<SecretGrant> &secrets)
{
    AcceptedEntry entry;
    entry.run = newId(Clock::system());
    entry.caller = {Caller::Kind::Cli, 4711, u"/usr/bin/glovebox"_s, {}};
    entry.language = u"python"_s;
    entry.code = code;
    entry.secrets = secrets;
    entry.firstLine = firstLine;
    append(toEntry(entry));
    return entry.run;
}

QString OtherProgram::acceptPackages(const QString &firstLine)
{
    AcceptedEntry entry;
    entry.run = newId(Clock::system());
    entry.caller = {Caller::Kind::Cli, 4711, u"/usr/bin/glovebox"_s, {}};
    entry.language = u"python"_s;
    entry.code = commitTo("import pip");
    entry.session = newId(Clock::system());
    entry.getsPackages = true;
    entry.firstLine = firstLine;
    append(toEntry(entry));
    return entry.run;
}

void OtherProgram::finish(const QString &run, Outcome outcome, const QList<EgressAttempt> &attempts)
{
    FinishedEntry entry;
    entry.run = run;
    entry.outcome = outcome;
    for (const EgressAttempt &attempt : attempts)
        entry.egress.append(toJson(attempt));
    if (outcome == Outcome::Failed) {
        entry.reason = Text("It exited with status %1.", {u"1"_s});
        entry.exitCode = 1;
    }
    append(toEntry(entry));
}

void OtherProgram::interrupt(const QString &run)
{
    append(interruptedEntry(run, m_engine));
}

} // namespace glovebox
