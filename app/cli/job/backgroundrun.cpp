// SPDX-License-Identifier: Apache-2.0
#include "backgroundrun.h"

#include "app/cli/run/afterwards/aftermath.h"
#include "app/cli/run/preparing.h"
#include "app/cli/session/sessionview.h"
#include "app/cli/terminal/bell.h"

#include <QJsonDocument>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <span>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int begunDescriptor = 3; // the job's process writes a byte there when the code has begun

// The way from the job's process to whoever started it.
struct Relay
{
    UniqueFd ours, theirs;

    static Result<Relay> make()
    {
        int ends[2] = {-1, -1};
        if (::pipe2(ends, O_CLOEXEC) != 0)
            return fail(codeForErrno(errno), Text("The job can't be started: %1.", {errnoText(errno)}));
        Relay relay{UniqueFd(ends[0]), UniqueFd(ends[1])};
        // Above the numbers that the other side knows, so that none is taken before its turn.
        relay.theirs.reset(::fcntl(ends[1], F_DUPFD_CLOEXEC, begunDescriptor + 1));
        return relay;
    }
};

// The command line, for the job's process.
QByteArrayList typedAgain(const Arguments &arguments)
{
    QByteArrayList words;
    const std::vector<Option> offered = offeredRunOptions();
    for (const auto &[name, value] : arguments.given) {
        const auto option = std::ranges::find(offered, name, &Option::name);
        words.append(name);
        if (option != offered.end() && !option->value.isEmpty())
            words.append(value);
    }
    words += arguments.positional;
    if (arguments.dashes)
        words += QByteArrayList{"--"} + arguments.afterDashes;
    return words;
}

// Code from standard input is read to its end here: the job's process gets nothing of the caller's.
Result<UniqueFd> inputOfJob(const RunOptions &options)
{
    if (options.source != RunOptions::Source::StandardInput)
        return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSIGN_OR_RETURN(const QByteArray code, readCode(options));
    UniqueFd file = openMemoryFile("code");
    if (!file || !writeAll(file.get(), code) || ::lseek(file.get(), 0, SEEK_SET) != 0)
        return fail(codeForErrno(errno), Text("The job can't be started: %1.", {errnoText(errno)}));
    return file;
}

Result<pid_t> spawnJob(const UniqueFd &input, const Relay &out, const Relay &err, const Relay &begun,
                       const QByteArrayList &words)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    const UniqueFd away(::fcntl(input.get(), F_DUPFD_CLOEXEC, begunDescriptor + 1));
    ::posix_spawn_file_actions_adddup2(&actions, away.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out.theirs.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err.theirs.get(), STDERR_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, begun.theirs.get(), begunDescriptor);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes,
                                    &all); // also what nohup or a shell ignores: the job can be asked to end
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    QByteArrayList all_words{"glovebox", jobWord};
    all_words += words;
    std::vector<char *> argv;
    for (QByteArray &word : all_words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    // What the caller has open beside its streams is nothing to the job.
    closeOnExecFrom(begunDescriptor);
    pid_t pid = -1;
    const int error = ::posix_spawn(&pid, pathOfThisProgram().constData(), &actions, &attributes, argv.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        return fail(codeForErrno(error), Text("The job can't be started: %1.", {errnoText(error)}));
    return pid;
}

// Until the job's process has closed all of them. True: its code has begun. Signals end that process, which may wait for its code.
bool passOn(const UniqueFd &out, const UniqueFd &err, const UniqueFd &begun, Bell &bell, pid_t job)
{
    std::array<pollfd, 4> sources{
        {{out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}, {begun.get(), POLLIN, 0}, {bell.descriptor(), POLLIN, 0}}};
    const std::span streams(sources.data(), 3);
    bool hasBegun = false;
    while (std::ranges::any_of(streams, [](const pollfd &source) { return source.fd >= 0; })) {
        if (::poll(sources.data(), sources.size(), -1) < 0)
            continue;
        if (!bell.takeSignals().isEmpty())
            ::kill(job, SIGTERM); // nobody has waited for it, so the number is still its own
        for (pollfd &source : streams) {
            char bytes[4096];
            const ssize_t count = source.revents == 0 ? -1 : ::read(source.fd, bytes, sizeof bytes);
            if (count == 0)
                source.fd = -1;
            if (count <= 0)
                continue;
            if (source.fd == begun.get())
                hasBegun = true;
            else
                writeAll(source.fd == out.get() ? STDOUT_FILENO : STDERR_FILENO, QByteArrayView(bytes, count));
        }
    }
    return hasBegun;
}

// Nothing of the terminal or the pipes of whoever started the job is held for its lifetime.
bool letGo(int descriptor, int flags)
{
    const UniqueFd nothing(::open("/dev/null", flags | O_CLOEXEC));
    return nothing && ::dup2(nothing.get(), descriptor) >= 0;
}

// True: the code has begun, or is over already. Whoever started the job and goes away before that gets none.
bool waitUntilBegun(Run &run, Bell &bell, const UniqueFd &begun)
{
    for (;;) {
        if (!bell.takeSignals().isEmpty())
            run.cancel();
        const RunState state = run.state();
        if (state == RunState::Done || state == RunState::Running)
            return true;
        std::array<pollfd, 2> waiting{{{bell.descriptor(), POLLIN, 0}, {begun.get(), 0, 0}}};
        ::poll(waiting.data(), waiting.size(), -1);
        if (waiting[1].revents != 0)
            return false;
    }
}

QString timeWords(std::chrono::milliseconds time)
{
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(time);
    return seconds.count() % 60 == 0 ? ageWords(seconds) : u"%1 s"_s.arg(seconds.count());
}

// Of code without secrets.
QString firstWordsOf(QByteArrayView code)
{
    constexpr qsizetype most = 200;
    const QByteArrayView begin = code.trimmed();
    const qsizetype end = begin.indexOf('\n');
    return textFromBytes(begin.first(std::min(end < 0 ? begin.size() : end, most)));
}

bool tell(const RunOptions &options, const Job &job, const QString &session)
{
    QJsonObject object = toJson(job);
    object[u"schema"_s] = jsonSchema;
    const QByteArray line = options.json ? QJsonDocument(object).toJson(QJsonDocument::Compact) : job.run.toLatin1();
    const bool isTold = writeAll(STDOUT_FILENO, line + '\n');
    if (!options.quiet && !options.json)
        say(u"The job runs in a copy of session %1, for %2 at most. To see its output: glovebox session logs %3 -f. "
            "To stop it: glovebox session stop %3"_s.arg(session, timeWords(job.wall), job.run));
    return isTold;
}

// The run's end, of code that didn't begin.
int notBegun(const RunOptions &options, const RunResult &result, bool isTold)
{
    if (options.json)
        printJson(toJson(result));
    else if (!isTold)
        say(reasonLine(result));
    return ExitStatus::notRun;
}

} // namespace

int startJob(const RunOptions &options, const Arguments &arguments)
{
    auto input = inputOfJob(options);
    if (!input)
        return refuse(options, Outcome::Rejected, input.error());
    auto out = Relay::make(), err = Relay::make(), begun = Relay::make();
    for (const auto *relay : {&out, &err, &begun}) {
        if (!*relay)
            return refuse(options, Outcome::SetupFailed, relay->error());
    }
    Bell bell;
    ::signal(SIGPIPE, SIG_DFL); // where nobody reads which job it is, there is none
    const auto pid = spawnJob(*input, *out, *err, *begun, typedAgain(arguments));
    if (!pid)
        return refuse(options, Outcome::SetupFailed, pid.error());
    for (auto *relay : {&*out, &*err, &*begun})
        relay->theirs.reset();
    if (passOn(out->ours, err->ours, begun->ours, bell, *pid))
        return 0;
    int status = 0;
    while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) { }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)
        return ExitStatus::signalled + Bell::firstStop();
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        return WEXITSTATUS(status);
    say(u"The job's process ended before the code began."_s);
    return ExitStatus::notRun;
}

int runJob(const Arguments &arguments)
{
    UniqueFd begun(::fcntl(begunDescriptor, F_DUPFD_CLOEXEC, begunDescriptor + 1));
    ::close(begunDescriptor);
    const auto options = runOptions(arguments, false);
    if (!options || !options->isDetached || !begun)
        return sayUsage(options ? u"Background jobs are started by --detach."_s : options.error(), u"run"_s);
    const auto engine = openEngine({.runsSoon = true, .runsOnce = true});
    if (!engine)
        return refuse(*options, Outcome::SetupFailed, engine.error());
    auto prepared = prepareRun(**engine, *options);
    if (!prepared)
        return prepared.error();
    RunRequest &request = prepared->request;
    request.isDetached = true;
    if (!prepared->hasTime)
        request.policy.limits.wall = LimitRange::jobWallMax;
    auto door = (*engine)->makeJobDoor();
    if (!door)
        return refuse(*options, Outcome::SetupFailed, door.error());
    if (!letGo(STDIN_FILENO, O_RDONLY) || ::chdir("/") != 0)
        return refuse(*options, Outcome::SetupFailed, {codeForErrno(errno), Text("%1", {errnoText(errno)}), {}});

    Bell bell;
    Job job{.session = request.session,
            .wall = request.policy.limits.wall,
            .pid = ::getpid(),
            .firstLine = request.secrets.empty() ? firstWordsOf(request.code) : QString()};
    const auto run = (*engine)->start(std::move(request));
    run->closeInput();
    run->onChange(bell.ringer());
    bool goesOn = waitUntilBegun(*run, bell, begun);
    Status opened;
    if (goesOn && !run->id().isEmpty()) {
        job.run = run->id();
        job.startedMicroseconds = Clock::system().nowMicroseconds();
        opened = door->open(job);
    }
    if (!goesOn || !opened)
        run->cancel();
    if (const auto result = run->state() == RunState::Done || !opened ? run->wait() : nullptr;
        result && (!opened || nothingRan(result->outcome))) {
        run->onChange({});
        return opened ? notBegun(*options, *result, prepared->isLockedTold)
                      : refuse(*options, Outcome::SetupFailed, opened.error());
    }
    if (goesOn && !tell(*options, job, prepared->session.shownName()))
        run->cancel();
    if (::write(begun.get(), "", 1) != 1)
        run->cancel();
    begun.reset();
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
        letGo(descriptor, O_WRONLY);
    door->serve(*run, bell.descriptor(), [&] {
        if (!bell.takeSignals().isEmpty())
            run->cancel();
    });
    run->onChange({});
    (*engine)->shutdown().wait();
    return 0;
}

} // namespace glovebox
