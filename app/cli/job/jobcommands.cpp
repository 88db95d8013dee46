// SPDX-License-Identifier: Apache-2.0
// `glovebox session jobs`, `logs` and `stop`.
#include "app/cli/session/namedsession.h"
#include "app/cli/session/sessioncommands.h"
#include "app/cli/session/sessionview.h"
#include "app/cli/terminal/terminal.h"
#include "joblog.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

void printJobs(const Sessions &sessions, const QList<Job> &jobs)
{
    const qint64 now = Clock::system().nowMicroseconds();
    const auto row = [](const QString &id, const QString &session, const QString &started, const QString &ends,
                        const QString &code) {
        printLine(u"%1  %2  %3  %4  %5"_s.arg(id.leftJustified(36), session.leftJustified(16),
                                              started.leftJustified(22), ends.leftJustified(21), code));
    };
    row(u"job"_s, u"session"_s, u"started"_s, u"ends"_s, u"code"_s);
    for (const Job &job : jobs) {
        const auto session = sessions.find(job.session);
        row(job.run, session ? session->shownName() : job.session.first(8), agoWords(job.startedMicroseconds, now),
            u"in %1"_s.arg(distanceWords(now, std::max(now, job.endsMicroseconds()))), job.firstLine.left(60));
    }
}

int listJobs(const Arguments &arguments)
{
    const QByteArrayList words = arguments.positional + arguments.afterDashes;
    if (words.size() > 1)
        return sayUsage(u"Name one session, or none."_s, u"session jobs"_s);
    const auto paths = Paths::standard();
    const auto sessions = openSessions();
    if (!paths || !sessions)
        return sayFailure(paths ? sessions.error() : paths.error());
    auto jobs = Jobs(paths->jobsFolder()).list();
    if (!jobs)
        return sayFailure(jobs.error());
    if (!words.isEmpty()) {
        const auto session = sessionCalled(*sessions, words.first());
        if (!session)
            return sayFailure(session.error());
        jobs->removeIf([&](const Job &job) { return job.session != session->id; });
    }
    if (arguments.has("--json")) {
        for (const Job &job : *jobs)
            printJson(toJson(job));
    } else if (jobs->isEmpty()) {
        print(u"No jobs are running. \"glovebox run --session SESSION --detach FILE\" starts one.\n"_s);
    } else {
        printJobs(*sessions, *jobs);
    }
    return 0;
}

bool isEndInLog(const Paths &paths, const QString &run)
{
    const auto reader = AuditReader::open(paths.auditFile());
    const auto row = reader ? (*reader)->run(run) : std::unexpected(reader.error());
    return row && row->outcome;
}

int stopJobs(const Arguments &arguments)
{
    const QByteArrayList words = arguments.positional + arguments.afterDashes;
    if (words.isEmpty() || words.contains(QByteArray()))
        return sayUsage(u"Name the jobs by their ids, or last. To list them: glovebox session jobs"_s,
                        u"session stop"_s);
    const auto paths = Paths::standard();
    if (!paths)
        return sayFailure(paths.error());
    int status = 0;
    for (const QByteArray &word : words) {
        const auto named = jobCalled(*paths, word, u"stop"_s);
        if (!named) {
            status = sayFailure(named.error());
            continue;
        }
        const QString &run = named->run;
        const auto &running = named->running;
        const Status stopped = running ? Jobs(paths->jobsFolder()).stop(*running) : Status();
        if (!stopped && stopped.error().code != ErrorCode::NotFound) {
            status = sayFailure(stopped.error());
            continue;
        }
        const bool wasRunning = running && stopped;
        if (wasRunning && !isEndInLog(*paths, run)) {
            say(u"The job %1 has ended, but the log doesn't have its end. Check the free space of the disk."_s.arg(
                run));
            status = ExitStatus::failed;
            continue;
        }
        if (arguments.has("--json"))
            printJson({{u"job"_s, run}, {u"stopped"_s, wasRunning}});
        else
            say(wasRunning ? u"The job %1 has ended. To see its output: glovebox session logs %1"_s.arg(run)
                           : u"The job %1 had ended already."_s.arg(run));
    }
    return status;
}

} // namespace

std::vector<Command> sessionJobCommands()
{
    return {
        {.name = u"session jobs"_s,
         .summary = u"list the background jobs that run"_s,
         .synopsis = u"[SESSION] [--json]"_s,
         .options = {{"--json", "", u"print JSON, one object a job"_s}},
         .details =
             uR"("glovebox run --session SESSION --detach" starts a job. Jobs that have ended are runs in the log.

Example:
  glovebox session jobs
)"_s,
         .run = listJobs},
        {.name = u"session logs"_s,
         .summary = u"show the output of a background job"_s,
         .synopsis = u"JOB [-f] [--json]"_s,
         .options = {{"-f", "", u"follow the output until the job ends; Ctrl+C leaves the job running"_s, "--follow"},
                     {"--json", "", u"print JSON, one object a piece of output"_s}},
         .details =
             uR"(JOB is the id of the job, the first 8 characters or more of it, or last: the one started last. Long
output is kept in part, the beginning and the end (run -o). After the job's end, shows what the log has.

Example:
  glovebox session logs last -f
)"_s,
         .run = showJobLog},
        {.name = u"session stop"_s,
         .summary = u"stop background jobs"_s,
         .synopsis = u"JOB... [--json]"_s,
         .options = {{"--json", "", u"print JSON, one object a job"_s}},
         .details =
             uR"(Asks the code to stop, kills it a second later, and waits until the log has the run's end. The files that
the job leaves become a snapshot of its session.

Example:
  glovebox session stop last
)"_s,
         .run = stopJobs},
    };
}

} // namespace glovebox
