// SPDX-License-Identifier: Apache-2.0
#include "pipeline.h"

#include "ending.h"
#include "grants/grantedfolders.h"
#include "grants/lentsecrets.h"
#include "live/openegress.h"
#include "live/pump.h"
#include "record.h"
#include "validate.h"

#include <utility>

namespace glovebox {
namespace {

// What the stages hand on to each other.
struct Passage
{
    const Rooms &rooms;
    LiveRun &run;
    std::stop_token stop;
    std::function<void()> freeSlot; // may be called again
    const Language *language = nullptr;
    LaunchRecipe recipe;
    GrantedFolders folders;
    LentSecrets secrets;
    std::unique_ptr<SealedProcess> process;
    std::unique_ptr<Egress> egress; // null: no network
    RunResult result;
};

Status validate(Passage &passage);
Status prepare(Passage &passage);
Status openFolders(Passage &passage);
Status grantSecrets(Passage &passage);
Status launch(Passage &passage);
Status openNetwork(Passage &passage);
Status pumpOutput(Passage &passage);

// The main job. Before it, intake.cpp accepted the request (audit entry), authorised it and queued it. A stage that fails
// ends the run with the outcome beside it; the first outcome stays. Whatever happens, the entry is closed after the last one.
const struct
{
    Status (*pass)(Passage &passage);
    RunState state;
    Outcome failure;
} corridor[] = {
    {validate, RunState::Preparing, Outcome::Rejected}, // does the request make sense?
    {prepare, RunState::Preparing, Outcome::SetupFailed}, // which interpreter, and how it is started
    {openFolders, RunState::Preparing, Outcome::Rejected}, // what it is to be shown of this machine
    {grantSecrets, RunState::Preparing, Outcome::Denied}, // what the person lends it
    {launch, RunState::Preparing, Outcome::SetupFailed}, // sealed and verified; waits for its first instruction
    {openNetwork, RunState::Preparing,
     Outcome::SetupFailed}, // what is allowed of it; the sockets came out of the sandbox
    {pumpOutput, RunState::Running, Outcome::SetupFailed}, // until every process inside is gone
    // collect artifacts
    // attest
};

Status validate(Passage &passage)
{
    const RunRequest &request = passage.run.request();
    if (auto sound = checkRequest(request); !sound)
        return sound;
    const auto language = languageOf(request, passage.rooms.languages);
    if (!language)
        return std::unexpected(language.error());
    passage.language = *language;
    return {};
}

Status prepare(Passage &passage)
{
    const auto interpreter = passage.rooms.languages.find(*passage.language);
    if (!interpreter)
        return std::unexpected(interpreter.error());
    const RunRequest &request = passage.run.request();
    passage.recipe = passage.language->recipe(*interpreter, request.args, request.policy.limits, request.fileName);
    for (const RunFile &file : request.files) {
        if (file.name == passage.recipe.fileName)
            return fail(
                ErrorCode::InvalidInput,
                Text(QT_TRANSLATE_NOOP("engine", "A file can't be called \"%1\", because the snippet is. Rename it."),
                     {textFromBytes(file.name)}));
    }
    return {};
}

Status openFolders(Passage &passage)
{
    if (auto apart = checkPlaces(passage.run.request(), passage.recipe.fileName); !apart)
        return apart;
    return passage.folders.open(passage.run.request(), passage.rooms, passage.run, passage.stop);
}

Status grantSecrets(Passage &passage)
{
    if (passage.run.request().secrets.empty())
        return {};
    return passage.secrets.borrow(passage.rooms.vault, *passage.language, passage.run, passage.stop);
}

Status launch(Passage &passage)
{
    const RunRequest &request = passage.run.request();
    const LaunchRecipe &recipe = passage.recipe;
    SandboxShape shape = shapeFor(recipe, request.policy);
    Assignment assignment{.files = {{recipe.fileName, passage.language->sourceText(request.code)}},
                          .arguments = recipe.arguments,
                          .job = recipe.job,
                          .granted = passage.folders.shown(),
                          .terminal = request.terminal.value_or(Terminal()),
                          .wall = request.policy.limits.wall,
                          .outputBytes = request.policy.limits.outputBytes,
                          .mayBeWarm = request.mayBeWarm};
    for (const RunFile &file : request.files)
        assignment.files.append({file.name, file.content});
    if (request.terminal) {
        shape.hasTerminal = true;
        shape.environment.removeIf([](const QByteArray &variable) { return variable.startsWith("TERM="); });
        shape.environment.append("TERM=" + request.terminal->type);
    }
    passage.secrets.addTo(shape, assignment);

    const Result<Backend *> found = passage.rooms.backends.of(request.policy.backend);
    if (!found)
        return std::unexpected(found.error());
    Backend &backend = **found;
    passage.result.backend = backend.name();
    const auto begin = std::chrono::steady_clock::now();
    auto process = backend.launch(shape, assignment, passage.stop);
    passage.secrets.forget();
    passage.result.setUp =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    passage.result.builder = backend.builder();
    if (!process)
        return std::unexpected(process.error());
    passage.process = std::move(*process);
    passage.result.controls = passage.process->controls();
    passage.result.warm = passage.process->isWarm();
    passage.run.setControls(passage.result.controls);
    return {};
}

Status openNetwork(Passage &passage)
{
    auto egress = openEgress(passage.run.request().policy, passage.rooms.libexec,
                             passage.rooms.settings.value(QStringLiteral("engine.upstream_proxy")).value.toString(),
                             *passage.process);
    if (!egress)
        return std::unexpected(egress.error());
    passage.egress = *std::move(egress);
    if (passage.egress) {
        const Control &control = passage.egress->control();
        if (passage.run.request().policy.strict && control.state != Control::State::Verified)
            return fail(
                ErrorCode::Unavailable,
                Text(QT_TRANSLATE_NOOP("engine", "The policy is strict, and here less than it asks for can be had, so "
                                                 "nothing was run: %1."),
                     {QStringLiteral("%1 (%2)").arg(control.name, control.detail.english())}));
        passage.result.controls.append(passage.egress->control());
        passage.run.setControls(passage.result.controls);
    }
    return {};
}

Status pumpOutput(Passage &passage)
{
    // The last moment at which cancelling means that nothing ran.
    if (passage.stop.stop_requested())
        return fail(ErrorCode::Cancelled, passage.run.cancelReason());
    if (auto started = passage.process->start(); !started)
        return started;
    const Limits &limits = passage.run.request().policy.limits;
    const FolderGuard guard(passage.folders, *passage.process, limits, passage.run);
    const PumpEnd end = pump(*passage.process, passage.run, limits.wall, passage.egress.get(), passage.freeSlot);
    const Ending ending = endingOf(end, limits, passage.run.cancelReason());
    if (end.sandbox.refusedProcesses > 0)
        passage.run.addEvent(
            {QStringLiteral("processes.limit"),
             Text(QT_TRANSLATE_NOOP("engine", "It was refused more than %1 processes and threads at "
                                              "once (%2 times)."),
                  {QString::number(limits.processes), QString::number(end.sandbox.refusedProcesses)})});
    passage.result.outcome = ending.outcome;
    passage.result.reason = ending.reason;
    if (guard.tripped() && !end.sandbox.exitCode) {
        passage.result.outcome = Outcome::DiskLimit;
        passage.result.reason =
            Text(QT_TRANSLATE_NOOP("engine", "It was stopped because it wrote more than %1 MB to the "
                                             "folders that it was shown."),
                 {QString::number(limits.diskBytes / mebibyte)});
    }
    passage.result.exitCode = end.sandbox.exitCode;
    passage.result.signal = end.sandbox.signal;
    passage.result.usage = end.sandbox.usage;
    return {};
}

} // namespace

SandboxShape shapeFor(const LaunchRecipe &recipe, const Policy &policy)
{
    const Limits &limits = policy.limits;
    SandboxShape shape;
    shape.argv = recipe.argv;
    shape.environment = recipe.environment;
    shape.folders = recipe.folders;
    for (const DriverFile &file : recipe.driver)
        shape.supportFiles.append({file.name, file.content});
    shape.limits = {limits.memoryBytes, limits.processes, limits.cpu, limits.cpuPercent};
    shape.workspace = Tmpfs{limits.diskBytes, limits.diskFiles()};
    shape.strict = policy.strict;
    shape.hasDriver = !recipe.driver.isEmpty();
    shape.boundsAddressSpace = recipe.boundsAddressSpace;
    planEgress(policy, shape);
    return shape;
}

static void closeNetwork(Passage &passage)
{
    if (!passage.egress)
        return;
    passage.egress->finish();
    passage.run.setEgress(passage.egress->attempts());
    passage.result.egress = passage.run.egress(); // scrubbed
    tellIfSpent(*passage.egress, passage.run);
    tellOfUntold(*passage.egress, passage.run);
    passage.egress.reset();
}

void passThroughCorridor(const Rooms &rooms, LiveRun &run, std::stop_token stop, const std::function<void()> &freeSlot)
{
    bool isFree = false;
    const auto freeOnce = [&] {
        if (!std::exchange(isFree, true))
            freeSlot();
    };
    Passage passage{.rooms = rooms, .run = run, .stop = stop, .freeSlot = freeOnce};
    passage.result.id = run.id();
    for (const auto &stage : corridor) {
        run.enter(stage.state);
        if (const Status passed = stage.pass(passage); !passed) {
            passage.result.outcome = stop.stop_requested() ? Outcome::Cancelled : stage.failure;
            passage.result.reason = stop.stop_requested() ? run.cancelReason() : passed.error().message;
            if (!passed.error().detail.isEmpty())
                run.addEvent({QStringLiteral("error.detail"), passed.error().detail});
            if (passage.result.outcome == Outcome::SetupFailed)
                rooms.readiness.lookAgain(); // this machine is not as it was
            break;
        }
    }
    run.enter(RunState::Collecting);
    passage.process.reset(); // nothing of it may be left when the entry is closed
    closeNetwork(passage);
    passage.folders.close(rooms, run, passage.result,
                          passage.secrets.searchOfCopies(run.request().policy.limits, stop));
    passage.result.out = run.captured(OutputStream::Out);
    passage.result.err = run.captured(OutputStream::Err);
    passage.secrets.scrub(passage.result);
    tellLeaks(passage.result, rooms.settings, run);
    passage.result.events = run.allEvents();
    passage.freeSlot();
    run.finish(closeEntry(rooms, std::move(passage.result)));
}

} // namespace glovebox
