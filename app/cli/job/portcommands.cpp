// SPDX-License-Identifier: Apache-2.0
// `glovebox session open` and `close`: a port of a background job, for the person's browser.
#include "app/cli/session/namedsession.h"
#include "app/cli/session/sessioncommands.h"
#include "app/cli/terminal/terminal.h"
#include "joblog.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// The session's one job, or that which --job names. The error is a sentence.
std::expected<Job, QString> jobIn(const Jobs &jobs, const SessionWords &given)
{
    auto running = jobs.list();
    if (!running)
        return std::unexpected(sentenceOf(running.error()));
    running->removeIf([&](const Job &job) { return job.session != given.session.id; });
    if (const auto wanted = given.arguments.value("--job")) {
        const auto job = jobs.find(QString::fromUtf8(*wanted));
        if (!job)
            return std::unexpected(sentenceOf(job.error()));
        if (job->session != given.session.id)
            return std::unexpected(u"The job %1 is not one of session %2."_s.arg(job->run, given.session.shownName()));
        return *job;
    }
    if (running->isEmpty())
        return std::unexpected(
            u"No job of session %1 is running. To start one: glovebox run --session %2 --detach FILE"_s.arg(
                given.session.shownName(), typedName(given.session)));
    if (running->size() > 1)
        return std::unexpected(u"Several jobs of session %1 are running. Name one with --job; to list them: glovebox "
                               "session jobs %2"_s.arg(given.session.shownName(), typedName(given.session)));
    return running->first();
}

// 0: no port; the reason is said.
quint16 portGivenBy(const SessionWords &given, const QString &command)
{
    const quint16 port = given.words.first().toUShort();
    if (port == 0)
        sayUsage(u"PORT is a number from 1 to 65535, not \"%1\"."_s.arg(QString::fromUtf8(given.words.first())),
                 command);
    return port;
}

// What a command is to do: a port of that job.
struct PortOfJob
{
    Jobs jobs;
    Job job;
    quint16 port = 0;
};

// The error is an exit status, and its reason is said.
std::expected<PortOfJob, int> portOfJob(const SessionWords &given, const QString &command)
{
    const auto paths = Paths::standard();
    if (!paths)
        return std::unexpected(sayFailure(paths.error()));
    const quint16 port = portGivenBy(given, command);
    if (port == 0)
        return std::unexpected(ExitStatus::usage);
    Jobs jobs(paths->jobsFolder());
    const auto job = jobIn(jobs, given);
    if (!job) {
        say(job.error());
        return std::unexpected(ExitStatus::failed);
    }
    return PortOfJob{std::move(jobs), *job, port};
}

int openJobPort(const SessionWords &given)
{
    const auto wanted = portOfJob(given, u"session open"_s);
    if (!wanted)
        return wanted.error();
    const auto link = wanted->jobs.openPort(wanted->job, wanted->port);
    if (!link)
        return sayFailure(link.error());
    if (given.arguments.has("--json")) {
        printJson({{u"job"_s, wanted->job.run}, {u"port"_s, int(wanted->port)}, {u"link"_s, *link}});
        return 0;
    }
    print(*link + u'\n');
    say(u"The link works once, in a browser on this machine. The page's code can reach what your browser can reach. To "
        "close the port: glovebox session close %1 %2"_s.arg(typedName(given.session), QString::number(wanted->port)));
    return 0;
}

int closeJobPort(const SessionWords &given)
{
    const auto wanted = portOfJob(given, u"session close"_s);
    if (!wanted)
        return wanted.error();
    const Status closed = wanted->jobs.closePort(wanted->job, wanted->port);
    return closed ? 0 : sayFailure(closed.error());
}

const Option jobOption{"--job", "JOB", u"the job, where several run in the session [default: the only one]"_s};

} // namespace

std::vector<Command> sessionPortCommands()
{
    return {
        {.name = u"session open"_s,
         .summary = u"open a port of a background job to your browser"_s,
         .synopsis = u"SESSION PORT [--job JOB] [--json]"_s,
         .options = {jobOption, {"--json", "", u"print one JSON object"_s}},
         .details =
             uR"(PORT is where a server in the job listens, at 127.0.0.1 or ::1. Prints a link to it, for HTTP and WebSockets.
The link works once and gives the browser a cookie; requests without it are answered by 403. Run the
command again for another link. The port closes when the job ends or its session is deleted, and the log has both.
A page from the job runs in your browser, with your browser's network: no allowlist bounds the page.

Example:
  glovebox session open shop 8000
)"_s,
         .run = overSession(u"session open"_s, 1, 1, u"Name one session, and a port of its job."_s, openJobPort)},
        {.name = u"session close"_s,
         .summary = u"close a port that \"session open\" opened"_s,
         .synopsis = u"SESSION PORT [--job JOB]"_s,
         .options = {jobOption},
         .details = uR"(Ends all connections through the port. The job goes on.

Example:
  glovebox session close shop 8000
)"_s,
         .run = overSession(u"session close"_s, 1, 1, u"Name one session, and a port of its job."_s, closeJobPort)},
    };
}

} // namespace glovebox
