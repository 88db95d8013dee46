// SPDX-License-Identifier: Apache-2.0
// What the tests of the log share: typical entries, waiting for a commit, and looking at the file with plain SQLite.
#pragma once

#include "engine/audit/audit.h"

#include <sys/types.h>

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

// audit-child (child.cpp), started. Killed when it goes. Not a QProcess: that uses vfork, after which ThreadSanitizer takes
// the test itself for the child and sees races everywhere.
class Child
{
public:
    explicit Child(const QStringList &arguments);
    Child(const Child &) = delete;
    Child &operator=(const Child &) = delete;
    ~Child();

    QString line(); // waits for the next; empty at the end
    void nudge();
    QStringList kill(); // SIGKILL; the whole lines that it said and nobody took
    QStringList finish(); // ends its input and waits; the same
    bool isRunning();
    int exitCode() const { return m_exitCode; } // -1: killed, or not ended

private:
    bool receive(); // false at the end
    QStringList rest();

    UniqueFd m_channel; // its input and output
    QByteArray m_said;
    pid_t m_pid = -1; // -1: ended
    int m_exitCode = -1;
};

} // namespace glovebox::test
