// SPDX-License-Identifier: Apache-2.0
// `glovebox batch`: many sealed runs by one engine, some at a time, that can be stopped and resumed.
#include "batchloop.h"
#include "checking.h"

#include "app/cli/command.h"
#include "app/cli/profile/namedprofile.h"
#include "app/cli/run/givenfiles.h"
#include "app/cli/run/runoptions.h"
#include "app/cli/secret/prompt.h"

#include <QFile>
#include <QFileInfo>
#include <QProcessEnvironment>

#include <unistd.h>

#include <csignal>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct BatchOptions
{
    RunOptions run; // what each task gets
    QByteArrayList operands;
    std::optional<int> jobs;
    bool keepsGoing = false;
    bool resumes = false;
    bool runsFailedAgain = false;
    QString journal; // empty: the usual one
};

std::expected<BatchOptions, QString> batchOptions(const Arguments &arguments)
{
    BatchOptions options;
    const bool hasOnlyDashes = arguments.positional.isEmpty();
    options.operands = hasOnlyDashes ? arguments.afterDashes : arguments.positional;
    options.run.args = hasOnlyDashes ? QByteArrayList() : arguments.afterDashes;
    if (options.operands.isEmpty())
        return std::unexpected(u"Name files of code, lists of tasks (.jsonl), or \"-\"."_s);
    if (options.operands.contains(""))
        return std::unexpected(u"The name of a file is empty (an unset variable?)."_s);
    if (auto status = readSharedOptions(arguments, options.run); !status)
        return std::unexpected(status.error());
    if (auto status = checkHaveEffect(arguments, options.run); !status)
        return std::unexpected(status.error());
    if (const auto jobs = arguments.value("-j")) {
        constexpr int mostJobs = 256; // as of engine.max_concurrent
        const auto number = wholeNumber("-j", *jobs, 1, mostJobs, u"tasks"_s);
        if (!number)
            return std::unexpected(number.error());
        options.jobs = int(*number);
    }
    options.keepsGoing = arguments.has("-k");
    options.runsFailedAgain = arguments.has("--resume-failed");
    options.resumes = options.runsFailedAgain || arguments.has("--resume");
    if (const auto journal = arguments.value("--journal")) {
        options.journal = QFile::decodeName(*journal);
        if (options.journal.isEmpty())
            return std::unexpected(u"--journal takes the name of a file, not nothing."_s);
    }
    return options;
}

Result<std::unique_ptr<Engine>> openBatchEngine(const BatchOptions &options)
{
    EngineConfig config{.runsSoon = true, .keepsWarm = options.run.mayBeWarm};
    if (options.jobs) {
        ASSIGN_OR_RETURN(const Paths paths, Paths::standard());
        ASSIGN_OR_RETURN(config.settings,
                         Settings::load(paths.settingsFile(), QProcessEnvironment::systemEnvironment().toStringList()));
        RETURN_IF_ERROR(config.settings->setFlag(u"engine.max_concurrent"_s, *options.jobs));
    }
    return openEngine(std::move(config));
}

Result<RunRequest> commonRequest(Engine &engine, const BatchOptions &options)
{
    RunRequest request;
    ASSIGN_OR_RETURN(const auto usual, usualPolicy(engine, options.run, nullptr));
    request.policy = options.run.on(usual.policy);
    if (!usual.told.isEmpty() && !options.run.quiet && !options.run.json)
        say(usual.told);
    request.secrets = options.run.secrets;
    request.args = options.run.args;
    request.language = options.run.language;
    request.mayBeWarm = options.run.mayBeWarm;
    request.caller = engine.caller();
    ASSIGN_OR_RETURN(request.files, readFiles(options.run.files, request.policy.limits.diskBytes));
    return request;
}

// The usual journal is there for whoever wants to resume: without that wish, an old one or another's keeps no batch from running.
Result<std::optional<Journal>> openJournal(const Engine &engine, const BatchOptions &options, const TaskList &tasks)
{
    const bool isUsual = options.journal.isEmpty();
    if (isUsual)
        RETURN_IF_ERROR(makePrivateFolder(engine.paths().data + u"/batches"_s));
    const QString path =
        isUsual ? Journal::usualPath(engine.paths(), options.operands, tasks.digestOfStandardInput()) : options.journal;
    const bool isThere = QFileInfo::exists(path);
    auto journal = Journal::open(path);
    if (isUsual && !options.resumes && !journal && journal.error().code == ErrorCode::Damaged && QFile::remove(path))
        journal = Journal::open(path);
    if (isUsual && !options.resumes && !journal && journal.error().code == ErrorCode::Busy) {
        say(u"Another batch of the same files is running, so --resume can't resume this one."_s);
        return std::nullopt;
    }
    if (!journal)
        return std::unexpected(journal.error());
    if (!isUsual && !options.resumes && !journal->isEmpty())
        return fail(
            ErrorCode::InvalidInput,
            Text("The journal \"%1\" has ended tasks. Skip these with --resume, or name another file.", {path}));
    if (options.resumes && journal->isEmpty())
        say(isThere ? u"No task is in the journal, so all run."_s
                    : u"There is no journal of this batch, so all tasks run."_s);
    return std::optional(*std::move(journal));
}

// Which tasks to skip; tells what is odd.
Result<EndedTasks> resumed(const Journal &journal, TaskList &tasks, bool runsFailedAgain)
{
    EndedTasks ended = endedTasks(journal, tasks, runsFailedAgain);
    if (ended.isOfOthers)
        return fail(
            ErrorCode::InvalidInput,
            Text("The journal \"%1\" is of other tasks. Name the right one with --journal, or leave out --resume.",
                 {journal.path()}));
    if (ended.changed > 0)
        say((ended.changed == 1 ? u"%1 task changed since then and runs again."_s
                                : u"%1 tasks changed since then and run again."_s)
                .arg(ended.changed));
    return ended;
}

Status unlockSecrets(Engine &engine, const RunOptions &options)
{
    QStringList names;
    for (const SecretGrant &grant : options.secrets)
        names.append(grant.name);
    return names.isEmpty() ? Status() : unlockFor(engine.vault(), names, options.passphraseFile);
}

void sayHints(const BatchLoop &loop, const BatchTally &tally, bool hasJournal)
{
    const bool isStopped = loop.stoppedBy() != 0 || loop.view().writeError() != 0;
    const bool isLeft = tally.notStarted() > 0 || tally.outcomes.contains(Outcome::Cancelled);
    if (tally.changes > 0)
        say(u"Changes in copies of folders wait for you: glovebox changes list"_s);
    if (tally.lost > 0)
        say((tally.lost == 1
                 ? u"The changes of 1 task in copies of folders can't be kept. To see why: glovebox audit "
                   "show RUN"_s
                 : u"The changes of %1 tasks in copies of folders can't be kept. To see why: glovebox audit "
                   "show RUN"_s)
                .arg(tally.lost));
    if (tally.lost > 0 && hasJournal && !isLeft)
        say(tally.lost == 1 ? u"Run the same command with --resume to run that task again."_s
                            : u"Run the same command with --resume to run these tasks again."_s);
    if (tally.failedBefore > 0 && !isLeft)
        say(u"Run the same command with --resume-failed to run the failed tasks again."_s);
    if (isLeft && isStopped && hasJournal)
        say(u"Run the same command with --resume to go on."_s);
    else if (isLeft && !isStopped && !loop.journalError())
        say(hasJournal ? u"The first failure stopped the batch. --resume goes on, --keep-going runs all."_s
                       : u"The first failure stopped the batch. --keep-going runs all."_s);
}

int exitStatusOf(const BatchLoop &loop, const BatchTally &tally)
{
    const int writeError = loop.view().writeError();
    if (writeError == EPIPE)
        return ExitStatus::signalled + SIGPIPE;
    if (loop.stoppedBy() != 0)
        return ExitStatus::signalled + loop.stoppedBy();
    if (writeError != 0) {
        say(u"The output can't be written: %1."_s.arg(errnoText(writeError)));
        return ExitStatus::outputLost;
    }
    if (const auto &error = loop.journalError()) {
        say(sentenceOf(*error));
        return ExitStatus::outputLost;
    }
    if (tally.notRun() > 0)
        return ExitStatus::notRun;
    if (tally.lost > 0)
        return ExitStatus::outputLost;
    return tally.notCompleted() + tally.failedBefore > 0 ? ExitStatus::failed : 0;
}

// A kill may have come between a task's entry in the journal and its output. isWanted: the task isn't run again.
void showUnshown(BatchLoop &loop, Journal &journal, bool isWanted)
{
    const auto &unshown = journal.unshown();
    if (unshown && isWanted && !unshown->pieces.isEmpty() && unshown->isJson == loop.view().isJson()) {
        loop.showAgain(*unshown);
        return;
    }
    if (unshown && isWanted)
        say(u"The last batch was killed, perhaps before it showed the output of one task: glovebox audit show %1"_s.arg(
            unshown->run));
    journal.shown();
}

int notRun(const Error &error)
{
    say(sentenceOf(error));
    return ExitStatus::notRun;
}

int runTasks(Engine &engine, const BatchOptions &options, TaskList &tasks, qint64 total)
{
    auto opened = openJournal(engine, options, tasks);
    if (!opened)
        return notRun(opened.error());
    std::optional<Journal> &journal = *opened;
    EndedTasks ended;
    if (journal && options.resumes) {
        auto found = resumed(*journal, tasks, options.runsFailedAgain);
        if (!found)
            return notRun(found.error());
        ended = *std::move(found);
    }
    if (const Status unlocked = unlockSecrets(engine, options.run); !unlocked) {
        say(sentenceOf(unlocked.error()));
        return unlocked.error().code == ErrorCode::Cancelled ? ExitStatus::signalled + SIGINT : ExitStatus::notRun;
    }
    if (journal) {
        if (const Status begun = journal->begin(options.resumes); !begun) {
            say(sentenceOf(begun.error()));
            return ExitStatus::outputLost;
        }
    }
    tasks.rewind();
    BatchTally tally{.total = total, .before = ended.count, .failedBefore = ended.failed};
    const bool hasUnshown = ended.hasUnshown;
    BatchLoop loop(engine, tasks, std::move(ended.skips), journal ? &*journal : nullptr,
                   {.jobs = engine.settings().maxConcurrent(),
                    .keepsGoing = options.keepsGoing,
                    .view = {.json = options.run.json, .quiet = options.run.quiet, .raw = options.run.raw}});
    if (journal)
        showUnshown(loop, *journal, hasUnshown);
    const auto begin = std::chrono::steady_clock::now();
    loop.run(tally);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    const int status = exitStatusOf(loop, tally);
    if (!options.run.quiet || status != 0)
        say(summaryOf(tally, took));
    sayHints(loop, tally, journal.has_value());
    engine.shutdown().wait();
    return status;
}

int runBatch(const Arguments &arguments)
{
    const auto options = batchOptions(arguments);
    if (!options)
        return sayUsage(options.error(), u"batch"_s);
    const auto engine = openBatchEngine(*options);
    if (!engine)
        return notRun(engine.error());
    auto common = commonRequest(**engine, *options);
    if (!common)
        return notRun(common.error());
    if (options->operands.contains("-") && isTerminal(STDIN_FILENO))
        say(u"Type one task a line as JSON, then Ctrl+D at the start of a line."_s);
    TaskList tasks(**engine, TaskMaker(*std::move(common)), options->operands);
    const auto total = checkTasks(**engine, tasks);
    return total ? runTasks(**engine, *options, tasks, *total) : total.error();
}

std::vector<Option> offeredBatchOptions()
{
    std::vector<Option> options{
        {"-j", "N", u"tasks at once [default: one for each processor]"_s, "--jobs", u"Batch"_s},
        {"-k", "", u"start the rest of the tasks after one failed"_s, "--keep-going"},
        {"--resume", "", u"skip tasks that ended in an earlier batch of the same files"_s},
        {"--resume-failed", "", u"resume, and run failed tasks again"_s},
        {"--journal", "FILE", u"write which tasks ended to FILE [default: a file beside the log]"_s},
        {"-l", "LANGUAGE",
         u"language of tasks that name none [default: by file name or #! line; python for \"code\"]"_s, "--language",
         u"Code"_s},
        {"--file", "PATH", u"put a copy of this file into /work of each task; repeatable [default: none]"_s},
    };
    for (Option &grant : offeredGrants()) {
        if (grant.name == "--no-warm")
            grant.help = u"never use sandboxes that were built ahead"_s;
        options.push_back(std::move(grant));
    }
    options.push_back({"--raw", "", u"pass control characters of the output to the terminal"_s, {}, u"Results"_s});
    options.push_back({"-q", "", u"say nothing about tasks that completed, and show no progress"_s, "--quiet"});
    options.push_back({"--json", "", u"print one JSON object a task instead of its output"_s});
    return options;
}

OptionAdvice batchAdvice()
{
    OptionAdvice advice = runAdvice();
    advice.passesOn = u"glovebox batch FILE"_s;
    advice.foreign.push_back(
        {{"-c", "--code"}, u"A list has code in its lines: echo '{\"code\": \"print(1)\"}' | glovebox batch -"_s});
    advice.foreign.push_back({{"--stdin"}, u"Input of a task is the field \"stdin\" in its line of a list."_s});
    advice.foreign.push_back(
        {{"--apply"}, u"Changes of several runs are reviewed one by one: \"glovebox changes list\"."_s});
    advice.foreign.push_back(
        {{"--artifacts"}, u"Files that a task left are saved by \"glovebox artifact get RUN\"."_s});
    advice.foreign.push_back({{"--tty"}, u"Tasks of a batch have no terminal."_s});
    return advice;
}

} // namespace

Command batchCommand()
{
    return {
        .name = u"batch"_s,
        .summary = u"run many files or a list of tasks, some at a time"_s,
        .synopsis = u"[OPTIONS] FILE...|- [-- ARGS...]"_s,
        .options = offeredBatchOptions(),
        .details = uR"-(Each FILE is code and one task. A FILE named .jsonl, or "-", is a list: one JSON object a line,
with "code" or "file", and where wanted "id", "language", "args", "stdin", "files" and "timeout".
Files that a list names are in the folder of the list. Only options allow hosts, secrets and folders, for all tasks alike.

Nothing runs before every task was read and checked. Each task is a sealed run of its own.
The output of a task is printed in one piece when the task ends, in the order of ending.

The first task that fails stops the batch: running tasks end, no others start. Ctrl+C cancels running tasks.
In both cases, the same command with --resume goes on.

Exit status:
  0    every task completed
  1    some tasks failed, or reached a limit
  2    wrong usage
  74   the output, the journal, or changes in copies (:stage) could not be written
  125  Glovebox could not or would not run some of the tasks, or any
  129  cancelled by SIGHUP; by Ctrl+C: 130, by SIGTERM: 143
  141  nobody read the output to its end, so the batch was cancelled

Examples:
  glovebox batch a.py b.js c.sh
  glovebox batch -j 4 --keep-going -t 5 solutions/*.py -- --verbose
  glovebox batch tasks.jsonl --json > results.jsonl
  echo '{"id": "first", "code": "print(6*7)"}' | glovebox batch -
)-"_s,
        .run = runBatch,
        .advice = batchAdvice(),
    };
}

} // namespace glovebox
