// SPDX-License-Identifier: Apache-2.0
#include "joblog.h"

#include "app/cli/record/recordedrun.h"
#include "app/cli/session/namedsession.h"
#include "app/cli/terminal/terminal.h"

#include <unistd.h>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// One of our two outputs, made safe where it is a terminal.
class LogChannel
{
public:
    explicit LogChannel(int descriptor)
        : m_descriptor(descriptor)
        , m_isFiltered(isTerminal(descriptor))
    {
    }
    // Ends the program when nobody reads any more.
    void show(QByteArrayView bytes)
    {
        const QByteArray filtered = m_isFiltered ? m_filter.filter(bytes) : QByteArray();
        write(m_isFiltered ? QByteArrayView(filtered) : bytes);
    }
    void finish()
    {
        if (m_isFiltered)
            write(m_filter.finish());
    }

private:
    void write(QByteArrayView bytes) const
    {
        if (!writeAll(m_descriptor, bytes))
            ::_exit(ExitStatus::outputLost);
    }

    const int m_descriptor;
    const bool m_isFiltered;
    TerminalFilter m_filter{TerminalFilter::Colours::Pass};
};

// How many bytes at the end are the beginning of a character in UTF-8.
qsizetype bytesOfCutCharacter(QByteArrayView bytes)
{
    for (qsizetype size = 1; size <= std::min<qsizetype>(3, bytes.size()); ++size) {
        const auto byte = static_cast<unsigned char>(bytes[bytes.size() - size]);
        if (byte >= 0xc0)
            return size < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? size : 0;
        if (byte < 0x80)
            return 0;
    }
    return 0;
}

class LogView
{
public:
    LogView(QString job, bool asJson)
        : m_job(std::move(job))
        , m_asJson(asJson)
    {
    }
    void show(const OutputChunk &chunk, qint64 skipped)
    {
        if (m_asJson)
            return showJson(chunk);
        if (skipped > 0)
            say(u"%1 of output are no longer kept."_s.arg(shownBytes(skipped)));
        (chunk.stream == OutputStream::Out ? m_out : m_err).show(chunk.bytes);
    }
    void finish()
    {
        for (const OutputChunk &cut : {m_cutOut, m_cutErr})
            print(cut);
        m_out.finish();
        m_err.finish();
    }

private:
    // Pieces end wherever the job's process had read to: a character that is cut there is shown with its rest.
    void showJson(OutputChunk chunk)
    {
        OutputChunk &cut = chunk.stream == OutputStream::Out ? m_cutOut : m_cutErr;
        if (cut.offset + cut.bytes.size() == chunk.offset) {
            chunk.offset = cut.offset;
            chunk.bytes.prepend(cut.bytes);
        } else {
            print(cut);
        }
        const qsizetype size = bytesOfCutCharacter(chunk.bytes);
        cut = {chunk.stream, chunk.offset + chunk.bytes.size() - size, chunk.bytes.last(size)};
        chunk.bytes.chop(size);
        print(chunk);
    }
    void print(const OutputChunk &chunk) const
    {
        if (!chunk.bytes.isEmpty())
            printJson({{u"job"_s, m_job},
                       {u"stream"_s, QLatin1StringView(enumName(chunk.stream))},
                       {u"offset"_s, chunk.offset},
                       {u"text"_s, textFromBytes(chunk.bytes)}});
    }

    const QString m_job;
    const bool m_asJson;
    OutputChunk m_cutOut{OutputStream::Out, 0, {}}, m_cutErr{OutputStream::Err, 0, {}};
    LogChannel m_out{STDOUT_FILENO}, m_err{STDERR_FILENO};
};

// How a run in a session ended, and what it left there.
void sayEnd(const Paths &paths, const RunRow &row, Outcome outcome)
{
    const Sessions sessions(paths.sessionsFolder(), Clock::system(), runIdentity);
    const auto session = sessions.find(row.session);
    QString left;
    if (!session) {
        left = u" Its session is gone, and nothing keeps the files that the job left."_s;
    } else {
        const auto snapshot = std::ranges::find(session->snapshots, row.run, &Snapshot::run);
        if (snapshot != session->snapshots.end() && snapshot->isBeside)
            left = u" Its files are snapshot %1: glovebox session rollback %2 %1"_s.arg(
                QString::number(snapshot->number), typedName(*session));
    }
    const QString code = row.exitCode ? u" with exit status %1"_s.arg(*row.exitCode) : QString();
    say(u"The job ended: %1%2.%3"_s.arg(toString(outcome).replace(u'_', u' '), code, left));
}

// The output that the log has of it.
int showKept(const Paths &paths, const AuditReader &reader, const RunRow &row, bool asJson)
{
    const auto bodies = reader.bodiesOf(row.run);
    if (!bodies)
        return sayFailure(bodies.error());
    const ContentStore store(paths.storeFolder());
    LogView view(row.run, asJson);
    int status = 0;
    for (const StoredBody &body : *bodies) {
        const auto stream = fromString<OutputStream>(body.what);
        if (!stream || body.kept == 0)
            continue;
        const auto content = body.salt.isEmpty() ? std::unexpected(Error{ErrorCode::NotFound,
                                                                         Text("The log has this "
                                                                              "output no more: "
                                                                              "it was deleted."),
                                                                         {}})
                                                 : store.get(body.digest);
        if (!content) {
            status = sayFailure(content.error());
            continue;
        }
        // Of more than is kept: the beginning and the end.
        const qint64 size = content->size();
        const qint64 head = body.kept < body.bytes ? CapturedOutput::headLimit(size) : size;
        view.show({*stream, 0, content->first(head)}, 0);
        if (head < size)
            view.show({*stream, body.bytes - (size - head), content->sliced(head)}, 0);
        if (body.kept < body.bytes && !asJson)
            say(u"%1 in the middle of %2 weren't kept; -o BYTES keeps more."_s.arg(shownBytes(body.bytes - body.kept),
                                                                                   body.what));
    }
    view.finish();
    return status;
}

// The id of the job that began last of those that the log has; empty: none is among its newest runs.
Result<QString> lastEnded(const AuditReader &reader)
{
    constexpr int most = 10'000;
    ASSIGN_OR_RETURN(const auto rows, reader.runs({.limit = most}));
    for (const RunRow &row : rows) {
        if (row.session.isEmpty())
            continue;
        ASSIGN_OR_RETURN(const StoredEntry accepted, reader.entry(row.seq));
        if (const auto entry = parseStrictJson(accepted.json); entry && (*entry)[u"detached"_s].toBool())
            return row.run;
    }
    return QString();
}

// No job is called so. Nothing is chosen for a person who names a session: what to type is said.
Error noJobCalled(const Paths &paths, const QByteArray &wanted, const QString &command, const Error &error)
{
    const Sessions sessions(paths.sessionsFolder(), Clock::system(), runIdentity);
    const auto session = sessionCalled(sessions, wanted);
    auto jobs = Jobs(paths.jobsFolder()).list();
    if (!session || !jobs)
        return error;
    const QString name = typedName(*session);
    jobs->removeIf([&](const Job &job) { return job.session != session->id; });
    if (jobs->isEmpty())
        return {error.code, Text("Session %1 has no running job. To find ended ones: glovebox audit list", {name}), {}};
    if (jobs->size() > 1)
        return {error.code,
                Text("Session %1 has several jobs, so name one. To list them: glovebox session jobs %1", {name}),
                {}};
    return {
        error.code,
        Text("Session %1 has a job, which goes by its id: glovebox session %2 %3", {name, command, jobs->first().run}),
        {}};
}

} // namespace

Result<NamedJob> jobCalled(const Paths &paths, const QByteArray &wanted, const QString &command)
{
    const QString word = QString::fromUtf8(wanted);
    const auto running = Jobs(paths.jobsFolder()).find(word);
    if (running)
        return NamedJob{running->run, *running};
    const bool isLast = word == u"last"_s;
    if (running.error().code != ErrorCode::NotFound || (isLast && command != u"logs"_s))
        return std::unexpected(running.error());
    const auto reader = AuditReader::open(paths.auditFile());
    if (isLast) {
        const auto last = reader ? lastEnded(**reader) : std::unexpected(reader.error());
        if (!last || last->isEmpty())
            return std::unexpected(last ? running.error() : last.error());
        return NamedJob{*last, std::nullopt};
    }
    const auto row = reader ? (*reader)->run(word) : std::unexpected(reader.error());
    if (!row || row->session.isEmpty())
        return std::unexpected(noJobCalled(paths, wanted, command, running.error()));
    return NamedJob{row->run, std::nullopt};
}

int showJobLog(const Arguments &arguments)
{
    const QByteArrayList words = arguments.positional + arguments.afterDashes;
    if (words.size() != 1 || words.first().isEmpty())
        return sayUsage(u"Name one job by its id, or last. To list them: glovebox session jobs"_s, u"session logs"_s);
    const auto paths = Paths::standard();
    if (!paths)
        return sayFailure(paths.error());
    const auto named = jobCalled(*paths, words.first(), u"logs"_s);
    if (!named)
        return sayFailure(named.error());
    const bool asJson = arguments.has("--json");
    const QString &run = named->run;
    bool isShown = false;
    if (const auto &running = named->running) {
        LogView view(run, asJson);
        const auto end = Jobs(paths->jobsFolder())
                             .watch(*running, arguments.has("-f"),
                                    [&](const OutputChunk &chunk, qint64 skipped) { view.show(chunk, skipped); });
        view.finish();
        if (!end && end.error().code != ErrorCode::NotFound) // else it ended just now
            return sayFailure(end.error());
        if (end && *end == WatchEnd::NoMore)
            return 0;
        isShown = end && *end == WatchEnd::Done;
        if (end && *end == WatchEnd::Lost) {
            say(u"The job's process ended in the middle. To see what the log has: glovebox audit show %1"_s.arg(run));
            return ExitStatus::failed;
        }
    }
    const auto reader = AuditReader::open(paths->auditFile());
    const auto row = reader ? (*reader)->run(run) : std::unexpected(reader.error());
    if (!row)
        return sayFailure(row.error());
    const int status = isShown ? 0 : showKept(*paths, **reader, *row, asJson);
    if (const auto outcome = row->outcome; outcome && !asJson)
        sayEnd(*paths, *row, *outcome);
    else if (!outcome)
        say(u"The log doesn't have the end of the run %1. Its process was killed, the disk was full, or the run is not "
            u"a "
            "job."_s.arg(run));
    return status;
}

} // namespace glovebox
