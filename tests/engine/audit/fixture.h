// SPDX-License-Identifier: Apache-2.0
// What the tests of the log share: typical entries, waiting for a commit, and looking at the file with plain SQLite.
#pragma once

#include "engine/audit/audit.h"

#include <QProcess>

namespace glovebox::test {

// QVERIFY2(x, why(x)): the error's sentence and detail.
template<typename T> QByteArray why(const Result<T> &result)
{
    if (result)
        return {};
    return (result.error().message.english() + QStringLiteral(" -- ") + result.error().detail.english()).toUtf8();
}

AcceptedEntry accepted(const QString &run);
FinishedEntry finished(const QString &run, Outcome outcome = Outcome::Completed);

// Blocks until the entry is committed or refused.
Result<AuditReceipt> append(AuditLog &log, const AcceptedEntry &entry);
Result<AuditReceipt> append(AuditLog &log, const FinishedEntry &entry);

// First column of the first row, as text; an error begins with "error: ". Every call has its own connection.
QString sql(const QString &file, const QByteArray &statement);

// "dense" when entries are numbered from 1 without a gap, and each leaf is the hash of its entry.
QString checkEntries(const QString &file);

// audit-child (child.cpp), started. Killed when it goes.
class Child
{
public:
    explicit Child(const QStringList &arguments);
    ~Child();

    QString line(); // waits for the next; empty at the end
    void nudge() { m_process.write("."); }
    QStringList kill(); // SIGKILL; the whole lines that it said and nobody took
    QStringList finish(); // closes its input and waits; the same
    bool isRunning() const { return m_process.state() == QProcess::Running; }
    int exitCode() const { return m_process.exitCode(); }

private:
    QStringList rest();
    QProcess m_process;
};

} // namespace glovebox::test
