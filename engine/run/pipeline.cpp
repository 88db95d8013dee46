// SPDX-License-Identifier: Apache-2.0
#include "pipeline.h"

#include "cells/interpreters.h"
#include "ending.h"
#include "grants/folderguard.h"
#include "grants/grantedfolders.h"
#include "grants/lentpackages.h"
#include "grants/lentsecrets.h"
#include "grants/lenttools.h"
#include "live/pump.h"
#include "live/runnetwork.h"
#include "record/keptcode.h"
#include "record/leftfiles.h"
#include "record/runsession.h"

#include <utility>

namespace glovebox {
namespace {

// What the stages hand on to each other.
struct Passage
{
    const Rooms &rooms;
    LiveRun &run;
    const SoundRequest &request;
    std::stop_token stop;
    std::function<void()> freeSlot; // may be called again
    LaunchRecipe recipe;
    bool mayBeWarm = true;
    Text packages; // what it can import, as a sentence; empty: it is lent none
    GrantedFolders folders;
    RunSession session;
    LentSecrets secrets;
    LentTools tools; // ends before the secrets, which it looks for
    KeptCode code;
    std::unique_ptr<SealedProcess> process;
    std::shared_ptr<Interpreter> interpreter; // that stays; null: the run has one of its own
    QList<InnerFile> given; // in its workspace
    UniqueFd workspace, home; // when every process of the run is gone
    std::unique_ptr<FolderGuard> guard; // ends before the process that it may kill
    RunNetwork network;
    bool hasBegun = false; // its code
    FirstEnding ending;
    RunResult result;

    // An interpreter that has been started, and hasn't ended.
    bool goesOn() const { return interpreter && interpreter->process && !interpreter->isNew; }
};

Status keepFromOwnPorts(Passage &passage);
Status openFolders(Passage &passage);
Status openSession(Passage &passage);
Status prepare(Passage &passage);
Status grantSecrets(Passage &passage);
Status scrubCode(Passage &passage);
Status startTools(Passage &passage);
Status launch(Passage &passage);
Status fillCopies(Passage &passage);
Status fillSession(Passage &passage);
Status openNetwork(Passage &passage);
Status awaitEntry(Passage &passage);
Status pumpOutput(Passage &passage);

void settleBeginning(Passage &passage);
void killWhatIsLeft(Passage &passage);
void closeTools(Passage &passage);
void closeNetwork(Passage &passage);
void closeFolders(Passage &passage);
void keepSession(Passage &passage);
void keepInterpreter(Passage &passage);
void collectArtifacts(Passage &passage);
void scrub(Passage &passage);
void lookForLeaks(Passage &passage);
void closeRecord(Passage &passage);

// The main job. Before it, intake.cpp accepted the request (audit entry), checked and authorised it, and queued it. Its entry may
// still be on its way to the disk.

// The first of these that fails ends the run with the outcome beside it.
const struct
{
    Status (*pass)(Passage &passage);
    RunState state;
    Outcome failure;
} opening[] = {
    {keepFromOwnPorts, RunState::Preparing, Outcome::Rejected}, // whatever it was granted
    {openFolders, RunState::Preparing, Outcome::Rejected}, // what it is to be shown of this machine
    {openSession, RunState::Queued, Outcome::Rejected}, // when no other run is in it
    {prepare, RunState::Preparing,
     Outcome::SetupFailed}, // which interpreter with which packages, and how it is started
    {grantSecrets, RunState::Preparing, Outcome::Denied}, // what the person lends it
    {scrubCode, RunState::Preparing, Outcome::SetupFailed}, // what is on record of it already
    {startTools, RunState::Preparing, Outcome::Rejected}, // of servers outside, which say how they are called
    {launch, RunState::Preparing, Outcome::SetupFailed}, // sealed and verified; waits for its first instruction
    {fillCopies, RunState::Preparing, Outcome::Rejected}, // of folders, which are in its memory
    {fillSession, RunState::Preparing, Outcome::Rejected}, // its files, which are in its memory, too
    {openNetwork, RunState::Preparing, Outcome::SetupFailed}, // by the sockets that came out of the sandbox
    {awaitEntry, RunState::Preparing, Outcome::SetupFailed}, // without which nothing runs
    {pumpOutput, RunState::Running, Outcome::SetupFailed}, // until every process inside is gone
};

// All of these, always, however far the run came.
void (*const closing[])(Passage &passage) = {
    settleBeginning, // what there is to say and to take back of code that never began
    killWhatIsLeft, // nothing of the run may be alive when its entry is closed
    closeTools, // and the servers with them
    closeNetwork,
    closeFolders, // what it did to them
    keepSession, // what it left there is the session's from now on
    keepInterpreter, // of the session, for the next cell
    collectArtifacts,
    scrub, // what doesn't come through the run
    lookForLeaks,
    closeRecord,
};

Status prepare(Passage &passage)
{
    const RunRequest &request = *passage.request;
    const Session *const session = passage.session.session();
    const SessionPackages *const packages = sessionPackages(passage.request, session);
    const QString wanted = request.interpreter.isEmpty() && packages ? packages->interpreter : request.interpreter;
    ASSIGN_OR_RETURN(auto interpreter, passage.rooms.languages.find(passage.request.language(), wanted, passage.stop));
    ASSIGN_OR_RETURN(const auto lent, lendPackages(passage.request, session, passage.rooms, interpreter));
    passage.packages = lent ? lent->contents : Text();
    passage.mayBeWarm = !lent || !lent->runsAtStart; // else code of theirs would run in a sandbox that waits
    passage.recipe =
        passage.request.language().recipe(interpreter, request.args, request.policy.limits, request.fileName);
    if (request.isStateful) {
        // NOLINTNEXTLINE(bugprone-unchecked-optional-access): else the request isn't sound
        passage.recipe = *passage.request.language().cellRecipe(interpreter, request.policy.limits);
        passage.mayBeWarm = false;
    }
    return {};
}

Status keepFromOwnPorts(Passage &passage)
{
    return checkOwnPorts(passage.request.allowlist(), passage.rooms.runtime);
}

Status openFolders(Passage &passage)
{
    RETURN_IF_ERROR(passage.folders.open(*passage.request, passage.rooms, passage.run, passage.stop));
    passage.guard = std::make_unique<FolderGuard>(passage.request->policy.limits);
    return passage.guard->measure(passage.folders);
}

Status openSession(Passage &passage)
{
    const Status opened = passage.session.open(*passage.request, passage.rooms, passage.run, passage.stop);
    if (!opened && opened.error().code == ErrorCode::NotFound)
        passage.rooms.interpreters.end(passage.request->session);
    return opened;
}

Status grantSecrets(Passage &passage)
{
    if (passage.request->secrets.empty())
        return {};
    return passage.secrets.borrow(passage.rooms.vault, passage.request.language(), passage.run, passage.stop);
}

Status scrubCode(Passage &passage)
{
    return passage.code.settle(passage.secrets.plan());
}

Status startTools(Passage &passage)
{
    // Nothing of the person's is started for a run that isn't on record.
    RETURN_IF_ERROR(passage.request->policy.tools.isEmpty() ? Status() : awaitEntry(passage));
    return passage.tools.start(*passage.request, passage.rooms, passage.run, passage.stop);
}

// For controls that are none of the backend's, which refuses its own. Shown from now on.
Status addControl(Passage &passage, const Control &control)
{
    if (passage.request->policy.strict && control.state != Control::State::Verified)
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine", "Nothing was run, as the policy is strict and this machine can't fully "
                                                "enforce: %1."),
                    {toString(control.id)}, control.detail);
    passage.result.controls.append(control);
    passage.run.setControls(passage.result.controls);
    return {};
}

// The run is a cell of the interpreter that the session has, else of a new one.
Result<std::unique_ptr<SealedProcess>> launchCell(Passage &passage, const SandboxShape &shape,
                                                  const Assignment &assignment)
{
    ASSIGN_OR_RETURN(passage.interpreter, interpreterFor(passage.request, passage.rooms.interpreters, shape, assignment,
                                                         passage.run, passage.stop));
    const auto &module = passage.tools.module();
    return makeCell(passage.interpreter,
                    {.code = passage.request.language().sourceText(passage.request->code),
                     .toolModule = module ? module->content : QByteArray()},
                    [&passage] { passage.tools.cancelCalls(); });
}

Status launch(Passage &passage)
{
    const RunRequest &request = *passage.request;
    const LaunchRecipe &recipe = passage.recipe;
    SandboxShape shape = shapeFor(recipe, request.policy);
    Assignment assignment{.files = {{recipe.fileName, passage.request.language().sourceText(request.code)}},
                          .arguments = recipe.arguments,
                          .job = recipe.job,
                          .granted = passage.folders.shown(),
                          .copies = passage.folders.copiesInMemory(),
                          .terminal = request.terminal.value_or(Terminal()),
                          .wall = request.policy.limits.wall,
                          .outputBytes = request.policy.limits.outputBytes,
                          .mayBeWarm = request.mayBeWarm && passage.mayBeWarm};
    passage.tools.addTo(passage.request.language(), shape);
    if (request.isStateful)
        assignment.files.clear(); // a cell isn't a file
    else if (const auto &module = passage.tools.module())
        assignment.files.append(*module);
    assignment.files += request.files;
    passage.given = assignment.files;
    std::vector<Variable> variables = request.variables;
    if (request.terminal) {
        shape.hasTerminal = true;
        if (std::ranges::find(variables, QStringLiteral("TERM"), &Variable::name) == variables.end())
            variables.push_back({QStringLiteral("TERM"), request.terminal->type});
    }
    shape.connectors = request.isDetached ? connectorsOfJob : 0;
    passage.secrets.addTo(shape, assignment);
    addVariables(variables, shape, assignment);
    if (const Session *session = passage.session.session())
        shape.workspace = {session->diskBytes, Limits{.diskBytes = session->diskBytes}.diskFiles()};
    shape.workspace.bytes += passage.folders.sizeInMemory().bytes;
    shape.workspace.files += passage.folders.sizeInMemory().entries;

    Backend &backend = passage.request.backend();
    passage.result.backend = backend.name();
    const auto begin = std::chrono::steady_clock::now();
    auto process =
        request.isStateful ? launchCell(passage, shape, assignment) : backend.launch(shape, assignment, passage.stop);
    passage.secrets.forget();
    passage.result.setUp =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    passage.result.builder = backend.builder();
    if (!process)
        return std::unexpected(process.error());
    passage.process = std::move(*process);
    if (shape.connectors > 0)
        passage.run.setConnectors(passage.process->takeConnectors());
    passage.result.controls = passage.process->controls();
    passage.result.warm = passage.process->isWarm();
    passage.run.setControls(passage.result.controls);
    const auto bound = passage.guard->control(passage.result.controls);
    return bound ? addControl(passage, *bound) : Status();
}

Status fillCopies(Passage &passage)
{
    return passage.folders.fill(*passage.process, passage.rooms, passage.run);
}

Status fillSession(Passage &passage)
{
    if (passage.goesOn()) {
        const Status refreshed = passage.session.refresh(*passage.process, passage.interpreter->files);
        if (!refreshed)
            passage.interpreter->process.reset();
        return refreshed;
    }
    return passage.session.fill(*passage.process, passage.folders.below(QStringLiteral("/work")), passage.given);
}

Status openNetwork(Passage &passage)
{
    const bool isOpen = passage.goesOn();
    if (isOpen)
        passage.network = std::move(passage.interpreter->network);
    std::vector<UniqueFd> sockets = isOpen ? std::vector<UniqueFd>() : passage.process->takeListeners();
    UniqueFd socket = passage.tools.takeSocket(sockets);
    if (passage.interpreter)
        socket = passage.interpreter->lendToolSocket(std::move(socket));
    const Status served = passage.tools.serve(std::move(socket), passage.secrets, passage.rooms.log, passage.run);
    if (!served || isOpen)
        return served;
    ASSIGN_OR_RETURN(passage.network,
                     openNetwork(passage.request, passage.rooms.libexec,
                                 passage.rooms.settings.value(QStringLiteral("engine.upstream_proxy")).value.toString(),
                                 std::move(sockets)));
    return passage.network.egress ? addControl(passage, passage.network.egress->control()) : Status();
}

Status awaitEntry(Passage &passage)
{
    const Status accepted = passage.run.waitUntilAccepted();
    passage.result.id = passage.run.id();
    if (!accepted && passage.run.isDenied())
        passage.ending.set({Outcome::Denied, accepted.error().message});
    return accepted;
}

Status pumpOutput(Passage &passage)
{
    // The last moment at which cancelling means that nothing ran.
    if (passage.stop.stop_requested())
        return fail(ErrorCode::Cancelled, passage.run.cancelReason());
    passage.session.begin();
    RETURN_IF_ERROR(passage.process->start());
    const Limits &limits = passage.request->policy.limits;
    passage.guard->watch(*passage.process);
    const PumpEnd end = pump(*passage.process, passage.run, limits.wall, &passage.network, passage.freeSlot);
    if (passage.interpreter)
        passage.tools.close(); // to what runs on until it is paused
    passage.hasBegun = end.sandbox.notStarted.isEmpty();
    if (passage.hasBegun) // else it was asked for only
        passage.folders.tellShown(passage.run);
    if (passage.hasBegun && !passage.packages.isEmpty())
        passage.run.addEvent({EventType::PackagesShown, passage.packages});
    const Result<bool> isOver = passage.guard->finish();
    if (!isOver && isOver.error().code != ErrorCode::Unavailable)
        passage.run.addEvent(
            {EventType::FolderNotCompared,
             Text(QT_TRANSLATE_NOOP("engine", "The file system of a folder doesn't answer, so it isn't "
                                              "known how much was added there."))});
    const Session *const session = passage.session.session();
    passage.ending.set(endingOf(end, limits, passage.run.cancelReason(), isOver, passage.folders.sizeInMemory().bytes,
                                session ? std::optional(session->diskBytes) : std::nullopt));
    if (const auto processes = processesEvent(end.sandbox, limits))
        passage.run.addEvent(*processes);
    if (const auto disk = diskEvent(end.sandbox, session ? session->diskBytes : limits.diskBytes);
        disk && passage.ending.value().outcome == Outcome::Completed)
        passage.run.addEvent(*disk);
    if (passage.interpreter && passage.ending.value().outcome == Outcome::Completed)
        passage.result.value = std::exchange(passage.interpreter->value, {});
    passage.result.exitCode = end.sandbox.exitCode;
    passage.result.signal = end.sandbox.signal;
    passage.result.usage = end.sandbox.usage;
    passage.result.isCpuInherited = end.sandbox.inheritedCpu.has_value();
    if (end.sandbox.lost.isEmpty()) {
        passage.workspace = passage.process->takeWorkspace();
        passage.home = passage.process->takeHome();
    } else
        passage.run.addEvent(
            {EventType::ArtifactSkipped,
             Text(QT_TRANSLATE_NOOP("engine", "The files in /work are lost with the sandbox of the run, so "
                                              "none of them are kept."))});
    return {};
}

void settleBeginning(Passage &passage)
{
    if (passage.hasBegun)
        return;
    passage.secrets.takeBack(passage.rooms.vault);
    if (passage.ending.value().outcome == Outcome::Cancelled)
        passage.run.addEvent(codeNotRun());
}

void killWhatIsLeft(Passage &passage)
{
    passage.guard.reset();
    passage.run.setConnectors({});
    passage.process.reset();
    // Nor is an interpreter kept whose code runs on behind a cell that has ended.
    if (passage.goesOn() && !passage.interpreter->process->pause())
        passage.interpreter->process.reset();
}

void closeTools(Passage &passage)
{
    passage.tools.finish();
}

void closeNetwork(Passage &passage)
{
    if (passage.goesOn())
        passage.interpreter->network = std::move(passage.network);
    else
        closeNetwork(passage.network, passage.run);
    passage.result.egress = passage.run.egress(); // scrubbed
}

void closeFolders(Passage &passage)
{
    passage.folders.close(passage.rooms, passage.run, passage.result, passage.ending.value().outcome,
                          passage.secrets.searchOfCopies(passage.request->policy.limits, passage.stop),
                          passage.secrets.searchOfFiles().get());
}

void keepSession(Passage &passage)
{
    // Of a cancelled installation nothing is kept: its session is thrown away, and may have many files.
    passage.session.keep(passage.workspace.get(), passage.secrets, passage.given, passage.tools.filesOfRun(),
                         passage.run, passage.request->getsPackages ? passage.stop : std::stop_token());
}

void keepInterpreter(Passage &passage)
{
    if (!passage.interpreter)
        return;
    const QString &session = passage.request->session, &language = passage.request.language().id();
    if (passage.goesOn()) {
        if (const auto &kept = passage.session.kept())
            passage.interpreter->files = *kept;
        if (!passage.interpreter->mark)
            if (auto mark = passage.rooms.sessions.markInterpreter(session, language))
                passage.interpreter->mark = *std::move(mark);
        passage.rooms.interpreters.giveBack(session, language, std::exchange(passage.interpreter, {}));
    } else if (!passage.interpreter->isNew)
        passage.run.addEvent({EventType::InterpreterEnded,
                              Text(QT_TRANSLATE_NOOP("engine", "The session's interpreter has ended, and with it what "
                                                               "code had left there, such as variables. The next code "
                                                               "gets a new one."))});
}

void collectArtifacts(Passage &passage)
{
    if (passage.workspace && passage.request->keepsFiles && !passage.request->isStateful)
        keepLeftFiles({.workspace = passage.workspace.get(),
                       .run = passage.run.id(),
                       .given = passage.given,
                       .untouched = passage.session.untouched(),
                       .mounted = passage.folders.below(QStringLiteral("/work")),
                       .stop = passage.stop},
                      passage.rooms, passage.secrets, passage.run, passage.result);
    passage.workspace.reset();
    if (passage.home)
        tellHome(passage.home.get(), passage.folders.below(QStringLiteral("/run/home")), *passage.request,
                 passage.rooms.settings, passage.secrets, passage.run);
    passage.home.reset();
}

void scrub(Passage &passage)
{
    const Ending ending = passage.ending.value();
    passage.result.outcome = ending.outcome;
    passage.result.reason = ending.reason;
    passage.result.out = passage.run.captured(OutputStream::Out);
    passage.result.err = passage.run.captured(OutputStream::Err);
    passage.secrets.scrub(passage.result);
}

void lookForLeaks(Passage &passage)
{
    tellLeaks(passage.result, passage.rooms.settings, passage.run);
}

void closeRecord(Passage &passage)
{
    const Status accepted = awaitEntry(passage); // of a run that failed before it, too
    if (passage.result.id.isEmpty()) {
        passage.freeSlot();
        return passage.run.finish(unacceptedResult(accepted.error()));
    }
    passage.result.events = passage.run.allEvents();
    if (const Status kept = passage.code.settle(passage.secrets.plan()); !kept) // of a run that was never lent any
        addIncomplete(passage.result, kept.error().message);
    passage.freeSlot();
    passage.run.finish(closeEntry(passage.rooms, std::move(passage.result)));
}

} // namespace

void passThroughCorridor(const Rooms &rooms, LiveRun &run, const SoundRequest &request, std::stop_token stop,
                         const std::function<void()> &freeSlot)
{
    bool isFree = false;
    const auto freeOnce = [&] {
        if (!std::exchange(isFree, true))
            freeSlot();
    };
    Passage passage{.rooms = rooms,
                    .run = run,
                    .request = request,
                    .stop = stop,
                    .freeSlot = freeOnce,
                    .code = KeptCode(rooms, run)};
    for (const auto &stage : opening) {
        run.enter(stage.state);
        const Status passed = stage.pass(passage);
        if (passed)
            continue;
        if (stop.stop_requested())
            passage.ending.set({Outcome::Cancelled, run.cancelReason()});
        passage.ending.set(
            {stage.pass == launch ? notLaunched(passed.error()) : stage.failure, passed.error().message});
        if (!passed.error().detail.isEmpty())
            run.addEvent({EventType::ErrorDetail, passed.error().detail});
        if (passage.ending.value().outcome == Outcome::SetupFailed)
            rooms.readiness.lookAgain(); // this machine is not as it was
        break;
    }
    run.enter(RunState::Collecting);
    for (const auto &close : closing)
        close(passage);
}

} // namespace glovebox
