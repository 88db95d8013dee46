// SPDX-License-Identifier: Apache-2.0
// `glovebox session list` and `status`.
#include "app/cli/profile/namedprofile.h"
#include "app/cli/terminal/terminal.h"
#include "namedsession.h"
#include "sessioncommands.h"
#include "sessionview.h"

#include <QJsonArray>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

qint64 nowMicroseconds()
{
    return Clock::system().nowMicroseconds();
}

QByteArray cell(const QString &text, int width)
{
    return escapedLine(text.toUtf8()).leftJustified(width) + "  ";
}

QString useWords(const Session &session)
{
    return agoWords(session.usedMicroseconds, nowMicroseconds());
}

QString expiryWords(const Session &session)
{
    const auto expiry = expiryOf(session);
    if (expiry && session.isExpired(nowMicroseconds()))
        return u"expired, still kept"_s;
    return expiry ? u"in %1"_s.arg(distanceWords(nowMicroseconds(), *expiry)) : u"never"_s;
}

QString listedName(const Session &session)
{
    const QString name = commandName(session);
    return name == session.shownName() ? name : u"%1 (%2)"_s.arg(name, session.name);
}

void printTable(const Sessions &sessions, const QList<Session> &all)
{
    qsizetype width = 7; // of the longest name
    for (const Session &session : all)
        width = std::max(width, listedName(session).size());
    const auto row = [&](const QString &name, const QString &files, const QString &size, const QString &used,
                         const QString &expires, const QString &busy) {
        QByteArray line = cell(name, int(width)) + cell(files.rightJustified(6), 6) + cell(size.rightJustified(10), 10)
                          + cell(used, 22) + cell(expires, 21) + escapedLine(busy.toUtf8());
        while (line.endsWith(' '))
            line.chop(1);
        print(QByteArrayView(line + '\n'));
    };
    row(u"session"_s, u"files"_s, u"size"_s, u"last use"_s, u"expires"_s, {});
    for (const Session &session : all)
        row(listedName(session), QString::number(session.now().files), sizeWords(session.now().bytes),
            useWords(session), expiryWords(session), sessions.isBusy(session.id) ? u"in use"_s : QString());
}

int listSessions(const Arguments &arguments)
{
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"\"session list\" takes options only."_s, u"session list"_s);
    const auto sessions = openSessions();
    if (!sessions)
        return sayFailure(sessions.error());
    QList<Error> unreadable;
    const auto all = sessions->list(&unreadable);
    if (!all)
        return sayFailure(all.error());
    if (arguments.has("--json")) {
        for (const Session &session : *all)
            printJson(sessionJson(*sessions, session));
    } else if (!all->isEmpty()) {
        printTable(*sessions, *all);
    } else if (unreadable.isEmpty()) {
        print(u"There are no sessions. \"glovebox session create --name NAME\" makes one.\n"_s);
    }
    for (const Error &error : unreadable)
        say(error.code == ErrorCode::Damaged ? u"%1 To delete the session: glovebox session delete %2"_s.arg(
                                                   error.message.english(), error.detail.english())
                                             : error.message.english());
    return unreadable.isEmpty() ? 0 : ExitStatus::failed;
}

// Runs in it that are open in the log, the oldest first: that one uses it, the others wait.
QStringList openRunsIn(const Session &session)
{
    constexpr int mostRows = 1000;
    QStringList runs;
    const auto paths = Paths::standard();
    const auto reader = paths ? AuditReader::open(paths->auditFile()) : std::unexpected(paths.error());
    const auto rows = reader ? (*reader)->runs({.limit = mostRows}) : std::unexpected(reader.error());
    for (const RunRow &row : rows.value_or(QList<RunRow>())) {
        if (row.session == session.id && !row.outcome)
            runs.prepend(row.run);
    }
    return runs;
}

struct JobsOfSession
{
    QStringList ids;
    QJsonArray ports; // {"job","port","address"}
    QStringList silent; // of those whose ports nobody knows
    std::optional<Error> error; // nobody knows which jobs there are
};

JobsOfSession jobsIn(const Session &session)
{
    JobsOfSession found;
    const auto paths = Paths::standard();
    const Jobs jobs(paths ? paths->jobsFolder() : QString());
    const auto all = paths ? jobs.list() : std::unexpected(paths.error());
    if (!all)
        found.error = all.error();
    for (const Job &job : all.value_or(QList<Job>())) {
        if (job.session != session.id)
            continue;
        found.ids.append(job.run);
        const auto ports = jobs.ports(job);
        if (!ports && ports.error().code == ErrorCode::Unavailable)
            found.silent.append(job.run);
        for (const JobPort &port : ports.value_or(QList<JobPort>())) {
            QJsonObject object = toJson(port);
            object[u"job"_s] = job.run;
            found.ports.append(object);
        }
    }
    return found;
}

// "data: -m 1024 --allow pypi.org"
QString profileWords(const Session &session)
{
    const auto paths = Paths::standard();
    const auto profile = paths ? Profiles(*paths).find(session.profile) : std::unexpected(paths.error());
    if (profile)
        return u"%1: %2"_s.arg(session.profile, optionsOf(*profile).join(u' '));
    return profile.error().code == ErrorCode::NotFound
               ? u"%1, which is gone"_s.arg(session.profile)
               : u"%1. %2"_s.arg(session.profile, profile.error().message.english());
}

QString copiesWords(const QStringList &copies)
{
    return copies.isEmpty()     ? u"no run"_s
           : copies.size() == 1 ? u"the run %1"_s.arg(copies.first())
                                : u"the runs %1"_s.arg(copies.join(u", "_s));
}

QString usersWords(bool isBusy, const QStringList &runs)
{
    if (!isBusy)
        return u"no"_s;
    if (runs.isEmpty())
        return u"yes"_s;
    const qsizetype others = runs.size() - 1;
    return others == 0 ? u"by the run %1"_s.arg(runs.first())
                       : u"by the run %1; %2 after it"_s.arg(runs.first(),
                                                             others == 1 ? u"1 waits"_s : u"%1 wait"_s.arg(others));
}

void statusLine(const QString &label, const QString &text)
{
    print(QByteArrayView("  " + label.leftJustified(12).toUtf8() + escapedLine(text.toUtf8()) + '\n'));
}

int tellWhatIsNotKnown(const JobsOfSession &jobs)
{
    if (jobs.error)
        say(sentenceOf(*jobs.error));
    for (const QString &job : jobs.silent)
        say(u"The process of the job %1 doesn't answer, so its open ports aren't known."_s.arg(job));
    return jobs.error || !jobs.silent.isEmpty() ? ExitStatus::failed : 0;
}

QString sharedWords(std::optional<qint64> bytes)
{
    if (!bytes)
        return u", and other sessions may share them"_s;
    return *bytes == 0 ? QString() : u", and other sessions share %1 of that"_s.arg(sizeWords(*bytes));
}

int showStatus(const SessionWords &given)
{
    const Session &session = given.session;
    const bool isBusy = given.sessions.isBusy(session.id);
    const JobsOfSession jobs = jobsIn(session);
    const auto copied = given.sessions.copies(session.id);
    const auto staying = given.sessions.interpreters(session.id);
    if (!copied || !staying) {
        say(sentenceOf(copied ? staying.error() : copied.error()));
        return ExitStatus::failed;
    }
    const auto shared = given.sessions.sharedBytes(session);
    QStringList copies = *copied;
    copies.removeIf([&](const QString &run) { return jobs.ids.contains(run); });
    QStringList runs = isBusy ? openRunsIn(session) : QStringList();
    runs.removeIf([&](const QString &run) { return copies.contains(run) || jobs.ids.contains(run); });
    if (given.arguments.has("--json")) {
        QJsonObject object = sessionJson(given.sessions, session);
        object[u"snapshots"_s] = session.snapshots.size();
        object[u"shared_bytes"_s] = shared ? QJsonValue(*shared) : QJsonValue();
        object[u"interpreters"_s] = QJsonArray::fromStringList(*staying);
        object[u"runs"_s] = QJsonArray::fromStringList(runs);
        object[u"parallel"_s] = QJsonArray::fromStringList(copies);
        object[u"jobs"_s] = QJsonArray::fromStringList(jobs.ids);
        object[u"ports"_s] = jobs.ports;
        printJson(object);
        return tellWhatIsNotKnown(jobs);
    }
    const Snapshot &head = session.now();
    print(QByteArrayView("Session " + escapedLine(session.shownName().toUtf8()) + '\n'));
    statusLine(u"id"_s, session.id);
    if (!session.agent.isEmpty())
        statusLine(u"belongs to"_s, isId(session.agent) ? u"the paired client %1"_s.arg(session.agent)
                                                        : u"an agent that isn't paired"_s);
    statusLine(u"disk"_s, u"%1 of %2 used"_s.arg(sizeWords(head.bytes), sizeWords(session.diskBytes)));
    statusLine(u"files"_s, u"%1, counting folders and links"_s.arg(head.files));
    statusLine(u"snapshots"_s, u"%1, the session is at %2; all files take %3%4"_s.arg(session.snapshots.size())
                                   .arg(head.number)
                                   .arg(sizeWords(session.storedBytes), sharedWords(shared)));
    statusLine(u"created"_s, u"%1, %2"_s.arg(minuteOf(session.createdMicroseconds),
                                             agoWords(session.createdMicroseconds, nowMicroseconds())));
    statusLine(u"last use"_s, u"%1, %2"_s.arg(minuteOf(session.usedMicroseconds), useWords(session)));
    const auto expiry = expiryOf(session);
    if (expiry && session.isExpired(nowMicroseconds())) {
        const auto grace = std::chrono::duration_cast<std::chrono::seconds>(session.grace());
        statusLine(u"expired"_s, u"%1; deleted %2 later unless it is used"_s.arg(minuteOf(*expiry), ageWords(grace)));
    } else {
        statusLine(u"expires"_s,
                   expiry ? u"%1, %2 unless it is used"_s.arg(minuteOf(*expiry), expiryWords(session)) : u"never"_s);
    }
    for (const SessionPackages &packages : session.packages)
        statusLine(u"packages"_s, u"%1 (%2)"_s.arg(packages.packages.join(u", "_s), packages.language));
    if (!session.profile.isEmpty())
        statusLine(u"profile"_s, profileWords(session));
    statusLine(u"allowed"_s, session.allow.isEmpty() ? u"no hosts"_s : session.allow.join(u", "_s));
    statusLine(u"in use"_s, usersWords(isBusy, runs));
    if (!staying->isEmpty())
        statusLine(u"interpreter"_s, staying->join(u", "_s));
    if (!copies.isEmpty())
        statusLine(u"copied by"_s, copiesWords(copies));
    if (!jobs.ids.isEmpty())
        statusLine(u"jobs"_s, jobs.ids.join(u", "_s));
    for (const auto port : jobs.ports)
        statusLine(u"open port"_s,
                   u"%1 of the job %2, at %3"_s.arg(QString::number(port["port"_L1].toInt()), port["job"_L1].toString(),
                                                    port["address"_L1].toString()));
    return tellWhatIsNotKnown(jobs);
}

} // namespace

std::vector<Command> sessionLookCommands()
{
    return {
        {.name = u"session list"_s,
         .summary = u"list the sessions, the one used last first"_s,
         .synopsis = u"[--json]"_s,
         .options = {{"--json", "", u"print JSON, one object a session"_s}},
         .details = uR"(Standard error names a session that can't be read, with the way out; the exit status is then 1.

Example:
  glovebox session list
)"_s,
         .run = listSessions},
        {.name = u"session status"_s,
         .summary = u"show a session's disk, age, expiry, packages, hosts, users, interpreters and jobs"_s,
         .synopsis = u"SESSION [--json]"_s,
         .options = {{"--json", "", u"print one JSON object"_s}},
         .details =
             uR"(SESSION is a session's name, its id, the first 8 characters or more of it, or last: the one used last.
Standard error says where jobs can't be listed, or a job doesn't answer, whose ports aren't known then.
The exit status is 1 in both cases.

Examples:
  glovebox session status shop
  glovebox session status last
)"_s,
         .run = overSession(u"session status"_s, 0, 0, u"Name one session, or last."_s, showStatus)},
    };
}

} // namespace glovebox
