// SPDX-License-Identifier: Apache-2.0
// Entries, plain SQLite, and the other program.
#include "fixture.h"
#include "tests/support/signals.h"

#include <QCoreApplication>
#include <QFile>

#include <poll.h>
#include <spawn.h>
#include <sqlite3.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>
#include <vector>

namespace glovebox::test {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

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
    entry.usage.source = UsageSource::Rusage;
    entry.out = commitTo("42\n");
    entry.err = commitTo("");
    return entry;
}

Result<AuditReceipt> append(AuditLog &log, const AcceptedEntry &entry)
{
    return log.appendNow(toEntry(entry));
}

Result<AuditReceipt> append(AuditLog &log, const FinishedEntry &entry)
{
    return log.appendNow(toEntry(entry));
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
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        qFatal("no socket pair");
    m_channel.reset(ends[0]);
    const UniqueFd theirs(ends[1]);
    QByteArrayList words{QFile::encodeName(QCoreApplication::applicationDirPath() + u"/audit-child"_s)};
    for (const QString &argument : arguments)
        words.append(QFile::encodeName(argument));
    std::vector<char *> argv;
    for (QByteArray &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDOUT_FILENO);
    if (::posix_spawn(&m_pid, argv[0], &actions, nullptr, argv.data(), environ) != 0)
        qFatal("audit-child can't be started");
    posix_spawn_file_actions_destroy(&actions);
}

Child::~Child()
{
    kill();
}

bool Child::receive()
{
    struct pollfd poll = {m_channel.get(), POLLIN, 0};
    char bytes[4096];
    const ssize_t count = ::poll(&poll, 1, 20'000) == 1 ? ::read(m_channel.get(), bytes, sizeof bytes) : -1;
    if (count > 0)
        m_said.append(bytes, count);
    return count > 0;
}

QString Child::line()
{
    while (!m_said.contains('\n') && receive()) { }
    const qsizetype end = m_said.indexOf('\n');
    const QString line = QString::fromUtf8(m_said.first(std::max<qsizetype>(0, end)));
    m_said.remove(0, end + 1);
    return line;
}

void Child::nudge()
{
    std::ignore = ::send(m_channel.get(), ".", 1, MSG_NOSIGNAL);
}

QStringList Child::kill()
{
    if (m_pid > 0)
        sendSignal(m_pid, SIGKILL);
    return rest();
}

QStringList Child::finish()
{
    ::shutdown(m_channel.get(), SHUT_WR);
    return rest();
}

bool Child::isRunning()
{
    int status = 0;
    if (m_pid > 0 && ::waitpid(m_pid, &status, WNOHANG) == m_pid) {
        m_pid = -1;
        m_exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    return m_pid > 0;
}

QStringList Child::rest()
{
    while (receive()) { }
    int status = 0;
    if (m_pid > 0 && ::waitpid(m_pid, &status, 0) == m_pid)
        m_exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    m_pid = -1;
    QStringList lines = QString::fromUtf8(std::exchange(m_said, {})).split(u'\n');
    lines.removeLast(); // not whole, or empty
    return lines;
}

} // namespace glovebox::test
