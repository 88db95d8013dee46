// SPDX-License-Identifier: Apache-2.0
// `glovebox run`: code from the command line, a file or standard input goes through the engine, and its result becomes what
// scripts rely on: streams, one JSON object, an exit status.
#include "afterwards/aftermath.h"
#include "afterwards/exitstatus.h"
#include "afterwards/leftbehind.h"
#include "app/cli/cells/celloptions.h"
#include "app/cli/cells/runcells.h"
#include "app/cli/changes/changesview.h"
#include "app/cli/command.h"
#include "app/cli/job/backgroundrun.h"
#include "app/cli/terminal/terminalmode.h"
#include "preparing.h"
#include "runview.h"

#include <QFileInfo>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// On standard error: standard output is the run's. 128 + N where signal N stopped applying; ExitStatus::outputLost where changes are lost,
// or not all of those that were to be applied are; else 0.
int decideOnChanges(const RunOptions &options, const SessionOfRun &session, const RunResult &result)
{
    const bool hasChanges = std::ranges::any_of(
        result.changes, [](const FolderChanges &folder) { return !folder.isWhole || !folder.changes.isEmpty(); });
    if (!hasChanges)
        return 0;
    const PendingChanges changes{result.id, result.changes};
    bool applies = options.apply && result.outcome == Outcome::Completed;
    if (options.apply && !applies)
        say(u"--apply was skipped, as the run didn't end well: %1"_s.arg(reasonLine(result, session.typed())));
    ChosenChanges chosen;
    for (const RunEvent &event : result.events) {
        if (event.type == EventType::FolderSecret) { // not with --apply alone: nobody has seen that yet
            applies = false;
            say(event.detail.english());
        }
        if (event.type == EventType::DiskFull && applies) {
            applies = false;
            say(u"--apply was skipped, as files may be cut short: the run ended with its disk space used up."_s);
        }
        if (event.type == EventType::FolderLost) {
            say(event.detail.english());
            return ExitStatus::outputLost;
        }
    }
    const QString waiting =
        u"No change of this run is in the originals yet. \"glovebox changes show %1 --diff\" shows their lines, "
        "\"glovebox changes apply %1\" applies them, \"glovebox changes discard %1\" discards them."_s.arg(result.id);
    if (!options.json) {
        writeAll(STDERR_FILENO, shownChanges(changes));
        if (!applies && isTerminal(STDIN_FILENO) && isTerminal(STDERR_FILENO))
            applies = (chosen = asksToApply(changes, waiting)).has_value();
    }
    if (applies) {
        // The run's own engine is gone: a person may have thought for hours.
        const auto engine = openEngine({.runsOnce = true});
        const int status = engine ? applyAndSay(**engine, result.id, chosen, false) : ExitStatus::failed;
        if (!engine)
            say(sentenceOf(engine.error()));
        return status == ExitStatus::failed ? ExitStatus::outputLost : status;
    }
    say(waiting);
    return 0;
}

int runWith(Engine &engine, const RunOptions &options, PreparedRun prepared)
{
    const SessionOfRun &session = prepared.session;
    RunRequest request = std::move(prepared.request);
    RunView::Options viewOptions;
    viewOptions.shows = !options.json;
    viewOptions.raw = options.raw;
    viewOptions.terminal = options.terminal;
    if (options.terminal) {
        request.terminal = sizeOfTerminal();
        if (options.raw)
            request.terminal->type = "xterm-256color"; // what most terminals understand; ours stays unknown inside
    }
    viewOptions.headBytes = CapturedOutput::headLimit(request.policy.limits.outputBytes);
    viewOptions.input = std::move(prepared.input);
    if (!options.json && !options.quiet)
        viewOptions.waiting = session.waitingLine();
    const auto told = Languages::detect(request.fileName, request.code);
    const bool tellsNoLanguage = request.language.isEmpty() && !told && told.error().code == ErrorCode::NotFound;
    const Limits limits = request.policy.limits;
    const CodeOfRun code{.language = request.language.isEmpty() && told ? (*told)->id() : request.language,
                         .hasTerminal = options.terminal,
                         .folder = options.source == RunOptions::Source::File
                                       ? QFileInfo(QFile::decodeName(options.file)).path()
                                       : QString()};
    std::optional<RunView> shown(std::in_place, std::move(viewOptions));
    RunView &view = *shown;
    const auto result = view.follow(engine.start(std::move(request)));
    engine.shutdown().wait();
    const QString loss = lossOfSession(*result);
    const auto status = [&](int stoppedBy) { // of the run, unless it ended well and the log hasn't all of it
        const bool isRecorded =
            std::ranges::find(result->events, EventType::RecordIncomplete, &RunEvent::type) == result->events.end();
        const int own = exitStatus(*result, stoppedBy);
        return own == 0 && !isRecorded ? int(ExitStatus::outputLost) : own;
    };
    if (options.json) {
        printJson(toJson(*result));
        const bool areSaved = saveLeftFiles(engine.store(), options, *result);
        const int stoppedBy = view.stoppedBy();
        shown.reset(); // signals are those of the decision
        if (const int stopped = decideOnChanges(options, session, *result); stopped != 0)
            return stopped;
        return areSaved && loss.isEmpty() ? status(stoppedBy) : ExitStatus::outputLost;
    }

    const bool isPlainEnd = result->outcome == Outcome::Completed || result->outcome == Outcome::Failed;
    const bool isTold = prepared.isLockedTold && nothingRan(result->outcome);
    if (!isPlainEnd && !isTold && view.stoppedBy() != SIGPIPE)
        view.note(tellsNoLanguage && result->reason == told.error().message
                      ? reasonLine(*result, session.typed()) + u" For example: -l python"_s
                      : reasonLine(*result, session.typed()));
    for (const RunEvent &event : result->events) {
        if (event.type == EventType::RecordIncomplete)
            view.note(event.detail.english());
    }
    if (!loss.isEmpty())
        view.note(loss);
    if (!options.quiet) {
        QStringList lines = aftermathOf(*result, code, session.typed()) + session.aftermath(engine.sessions(), *result);
        if (const QString doubt = doubtAboutKeys(*result);
            !lines.isEmpty() && !doubt.isEmpty() && isTerminal(STDERR_FILENO))
            lines.append(doubt);
        for (const QString &sentence : std::as_const(lines))
            view.note(sentence);
        const bool mayBeInherited = result->outcome == Outcome::Failed || result->outcome == Outcome::Signalled
                                    || result->outcome == Outcome::DiskLimit;
        if (const QString inherited = inheritedLimitsBelow(limits); mayBeInherited && !inherited.isEmpty())
            view.note(inherited);
    }
    const bool areSaved = saveLeftFiles(engine.store(), options, *result);
    const int stoppedBy = view.stoppedBy();
    const int writeError = view.writeError();
    shown.reset(); // signals are those of the decision
    const int stopped = decideOnChanges(options, session, *result);
    if (stopped != 0)
        return stopped;
    if (writeError == EPIPE || writeError == EINTR)
        return ExitStatus::signalled + stoppedBy;
    if (writeError != 0) {
        say(u"The output can't be written: %1."_s.arg(errnoText(writeError)));
        return ExitStatus::outputLost;
    }
    return areSaved && loss.isEmpty() ? status(stoppedBy) : ExitStatus::outputLost;
}

int runCode(const Arguments &arguments)
{
    if (arguments.has("--stateful")) {
        const auto cells = cellOptions(arguments, isTerminal(STDIN_FILENO));
        return cells ? runCells(*cells) : sayUsage(cells.error(), u"run"_s);
    }
    const auto options = runOptions(arguments, isTerminal(STDIN_FILENO));
    if (!options)
        return sayUsage(options.error(), u"run"_s);
    if (options->isDetached)
        return startJob(*options, arguments);
    // First of all: its launcher starts while everything else goes on.
    const auto engine = openEngine({.runsSoon = true, .runsOnce = true});
    if (!engine)
        return refuse(*options, Outcome::SetupFailed, engine.error());
    auto prepared = prepareRun(**engine, *options);
    if (!prepared)
        return prepared.error();
    return runWith(**engine, *options, *std::move(prepared));
}

QString runDetails()
{
    QString presets;
    for (const NetworkPreset &preset : networkPresets())
        presets += u"  %1%2\n"_s.arg(preset.name, -8).arg(preset.opens.join(u", "_s));
    return uR"(The code reaches only the hosts that --allow names. Your files and your environment
stay out of its sight. Some names stand for several hosts:
%1
"glovebox policy show" lists the defaults and where they come from.

Output of the code appears at once. Your input is passed on to it, except with --json or
when the code itself comes from standard input: then its input is empty unless --stdin says otherwise.
On a terminal, control characters other than colours are shown escaped, unless --raw.

Ctrl+C asks the code to stop, and kills it a second later; Ctrl+C again kills it at once.

With --stateful, one interpreter of the session runs cells, and each sees the variables of those before it.
Each -c is a cell. In files and on standard input, a line "# %%" or "// %%" begins one.
At a terminal you type cells: an empty line ends a block, Ctrl+C stops a cell, Ctrl+D leaves.

Exit status:
  N    the code's own, or 128 + N when signal N ended it; at the limit of disk space never 0
  2    wrong usage
  74   the output, a --artifacts file, the session's files, or changes in copies (:stage) could not be written or applied
  124  the run reached its limit of time or processor time
  125  Glovebox could not or would not run the code to its end; standard error says why, or
       "reason" of --json
  129  cancelled by SIGHUP, or applying was stopped by it; by Ctrl+C: 130, by SIGTERM: 143
  137  the run was out of memory
  141  nobody read the output to its end, so the run was cancelled

Examples:
  glovebox run snippet.py -- first second
  glovebox run -c 'print(6 * 7)' --json
  glovebox run -l node -c 'console.log(process.version)'
  glovebox run --allow example.org:443 -c 'import urllib.request as r; print(r.urlopen("https://example.org").status)'
  glovebox run --file data.csv -c 'print(open("data.csv").read())'
  glovebox run --session shop -l sh -c 'ls -l'
  glovebox run --session shop --stateful -c 'x = 6' -c 'x * 7'
)"_s.arg(presets);
}

} // namespace

Command runCommand()
{
    return {
        .name = u"run"_s,
        .summary = u"run code sealed off from this machine"_s,
        .synopsis = u"[OPTIONS] [FILE|-|-c CODE] [-- ARGS...]"_s,
        .options = offeredRunOptions(),
        .details = runDetails(),
        .run = runCode,
        .advice = runAdvice(),
    };
}

} // namespace glovebox
