// SPDX-License-Identifier: Apache-2.0
// The room's public header: the seam behind which code is sealed off, and what a machine can do for it.
#pragma once

#include "answeringtime.h"
#include "backends.h"
#include "shape.h"

#include <QMap>

#include <poll.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace glovebox {

// Folders of Glovebox's own on this machine.
struct OwnFolders
{
    QStringList data; // never shown: log, store, settings, sockets
    QStringList programs; // never shown writable: what is in them is started unsealed
    QStringList servers{}; // files of the person's MCP servers: the same

    bool operator==(const OwnFolders &) const = default;
};

// Looks at what is granted. Blocks as long as its file system does. Refuses what isn't there, what is no folder (or, read-only,
// file), and what would hand over more than a folder: the whole machine, the home folder, keys, the running system, Glovebox's
// own.
Result<OpenedFolder> openFolder(const FolderGrant &grant, const OwnFolders &own);

// How a sealed process ended. Exactly one of exitCode and signal is set, unless the sandbox itself was lost.
struct SandboxEnd
{
    std::optional<int> exitCode;
    std::optional<int> signal;
    bool killedFromOutside = false; // signal ended not the program but what keeps it; nobody of Glovebox sent it
    bool atDeadline = false; // killed because its wall time was over
    bool cpuExhausted = false;
    std::optional<std::chrono::seconds>
        inheritedCpu; // cpuExhausted by what each process of the caller's may use (ulimit -t)
    bool outOfMemory = false; // the kernel said so, or the launcher saw it
    bool memoryAlone = false; // outOfMemory, by what its processes held besides files
    bool diskFull = false; // of what it may write; at its end
    qint64 refusedProcesses = 0; // how often it wanted one more than it may have; 0 also where nobody counts
    bool hadAllProcesses =
        false; // where nobody counts those: a look found as many as it may have, whether or not it wanted more
    Usage usage;
    Text notStarted; // not empty: the program could not be started after all, nothing ran; why
    Text lost; // not empty: the sandbox ended without reporting its program's status; why

    bool operator==(const SandboxEnd &) const = default;
};

// TCP sockets of a run's network that aren't connected: by them a server inside is reached from outside.
struct Connector
{
    UniqueFd internet;
    UniqueFd internet6; // invalid: this machine has no IPv6
};

// One sealed, verified sandbox whose program waits for start(). Used by one thread; kill() and interrupt() by any.
// The destructor kills what is left.
class SealedProcess
{
public:
    virtual ~SealedProcess() = default;

    // What was read back before anything of the person's ran.
    virtual const QList<Control> &controls() const = 0;
    // It was built ahead, before it was known what for; with a driver, its interpreter was started, too.
    virtual bool isWarm() const { return false; }

    // SandboxShape::listeners in their order, verified to be inside; invalid are those that this builder can't have (the control
    // "egress-listeners" is degraded then). The caller owns them.
    virtual std::vector<UniqueFd> takeListeners() { return {}; }

    // SandboxShape::connectors, verified to be inside; none where that can't be told. The caller owns them.
    virtual std::vector<Connector> takeConnectors() { return {}; }

    // Assignment::copies in their order, to be filled before start(): nothing but the workspace's size bounds what is in them, and
    // they outlive the sandbox. The caller owns them.
    virtual std::vector<UniqueFd> takeCopies() { return {}; }

    // The folder /work, as far as nothing else is mounted there; outlives the sandbox. Files in it stay as they are once takeEnd() gave an
    // end that isn't lost. Invalid: this sandbox has none to give. Once, after the end; the caller owns it.
    virtual UniqueFd takeWorkspace() { return {}; }

    // The same of the home folder, which goes with the sandbox. Invalid also where the sandbox stays for a next part of its program.
    virtual UniqueFd takeHome() { return {}; }

    // The same folder before start(), to be filled: nothing but the workspace's size bounds what is in it. -1: this sandbox has none to
    // give. The sandbox owns it.
    virtual int workspace() const { return -1; }

    // The process on this machine that keeps all others of the run below itself; 0: not known.
    virtual qint64 hostProcess() const { return 0; }

    // Own ends of the three pipes, non-blocking, close-on-exec; the caller owns them. With a terminal, standard input and
    // output are both its outer side, and standard error is invalid.
    virtual UniqueFd takeStdin() = 0;
    virtual UniqueFd takeStdout() = 0;
    virtual UniqueFd takeStderr() = 0;

    // The first instruction follows. From here the wall time runs.
    virtual Status start() = 0;
    // Ctrl+C for everything inside; programs may ignore it.
    virtual void interrupt() = 0;
    // The terminal has another size now; its programs are told (SIGWINCH). By the thread that reads.
    virtual void resize(const Terminal &) { }
    // Ends every process inside; can't be ignored.
    virtual void kill() = 0;
    // Stops every process inside until resume(), which continues also those that one of them had stopped. By the thread
    // that reads, between start() and the end. Where it fails, what is inside may run on until it is killed. Of a sandbox that is paused:
    // fails where something ran since, as code can that a timer wakes.
    virtual Status pause() { return cannotPause(); }
    virtual Status resume() { return cannotPause(); }

    // The other end of the driver's channel, once started: for further jobs. Invalid: this sandbox has none. The caller owns it.
    virtual UniqueFd takeChannel() { return {}; }
    // What is run is a part of what a program does (a cell of an interpreter that stays): an interrupt may end that part alone.
    virtual bool isPartOfProgram() const { return false; }
    // As of takeEnd(): that part has ended, and the program goes on. What the part wrote is in the pipes.
    virtual bool goesOn() const { return false; }

    // Readable when somebody inside waits for takeEvents(): serve it also while output is slow. -1: nothing can come.
    virtual int eventDescriptor() const { return -1; }
    // Answers up to max of those who wait (until then they stand still) and returns what is worth telling a person: each deed
    // once, however often it is done until resume(). 0: answers nobody, for after the end, and returns what would be told later.
    virtual QList<RunEvent> takeEvents(int max)
    {
        Q_UNUSED(max);
        return {};
    }

    // Readable when takeEnd() has something to take.
    virtual int reportDescriptor() const = 0;
    // Takes the reports that have arrived, without waiting; the end, once every process inside is gone.
    virtual std::optional<SandboxEnd> takeEnd() = 0;
    // Adds what else may have something for takeEnd(), when it is ready.
    virtual void addTo(std::vector<pollfd> &) const { }
    // As of takeEnd(): the run's own program has ended, and what is left inside is being killed.
    virtual bool hasProgramEnded() const { return false; }

private:
    static Status cannotPause()
    {
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine", "This kind of sandbox can't stop the programs in it for a while."), {});
    }
};

// The output of a sealed program until its end, and how it ended.
struct SealedAnswer
{
    QByteArray out;
    QByteArray err;
    SandboxEnd end;

    bool operator==(const SealedAnswer &) const = default;
};

// Starts it with nothing to read, and waits for its end. mostBytes: of each stream; what is beyond is dropped. Nothing: it could not be
// started, or nobody ended it within twice its wall time.
std::optional<SealedAnswer> answerOf(SealedProcess &process, std::chrono::milliseconds wall, qint64 mostBytes);

// What to do about something, and the command for it where there is one.
struct Advice : Text
{
    QString command; // for a terminal, whole; empty: none does it

    Advice() = default;
    Advice(Text text, QString forTerminal = {})
        : Text(std::move(text))
        , command(std::move(forTerminal))
    {
    }
    bool operator==(const Advice &) const = default;
};

// What a backend can do here, found out by doing it.
struct BackendReport
{
    QString backend; // "native"
    QString builder; // "direct"
    bool usable = false;
    QList<Control> controls; // of a real sealed probe; empty when not usable
    Text reason; // why it isn't usable
    Advice remedy; // about it; may be empty
    bool isRemedyInReason = false; // so who shows the reason has shown it
    QMap<ControlId, Advice> remedies; // by control: what would make it whole; only of those that are not

    bool operator==(const BackendReport &) const = default;
};

// How many sandboxes may wait for a run, and for how long.
struct WarmLimits
{
    int most = 4;
    qint64 mostBytes = 1024 * mebibyte; // memory limits of all that wait together
    std::chrono::milliseconds idle = std::chrono::minutes(5);
    std::function<bool()> memoryIsLow; // then none waits; empty: asks the system
};

class Backend
{
public:
    virtual ~Backend() = default;
    virtual QString name() const = 0; // Policy::backend
    virtual QString builder() const = 0; // who builds; empty while none was found to work
    enum class Use { Once, Many }; // one run, and then the program ends; or there is no telling
    // Gets ready in the background (starts the spawner); launch() waits for it. Never blocks.
    virtual void prepare(Use use) = 0;
    // Builds and verifies a sandbox, and makes it the run's: blocks until the report is there. A must control that can't be
    // verified is an error (Unavailable), and in a strict shape any control that is not verified or enforced. Nothing of the
    // person's ran.
    virtual Result<std::unique_ptr<SealedProcess>> launch(const SandboxShape &shape, const Assignment &assignment,
                                                          std::stop_token stop) = 0;
    // From now on sandboxes are built ahead: of shapes that are launched for a run that mayBeWarm, and of what expect() is
    // given. Each serves one run.
    virtual void keepWarm(const WarmLimits &) { }
    virtual void expect(const SandboxShape &) { }
    virtual int waiting() { return 0; } // how many there are
    // Launches a sealed probe with what runs are built with. Blocks.
    virtual BackendReport probe() = 0;
    // One report a builder, also of those that aren't used. Blocks.
    virtual QList<BackendReport> probeBuilders() { return {probe()}; }
    // Ends everything that it started; after it launch() fails. Thread-safe.
    virtual void shutdown() = 0;
};

// The backend for policies that name none: "native". Where the platform has none, each launch says so. libexec: the folder of
// Glovebox's inner programs; engineId: what it makes on this machine has that in its name.
std::unique_ptr<Backend> makePlatformBackend(const QString &libexec, const QString &engineId);

// Whom runs belong to on the host: the caller's own user, or for a root engine a dedicated unprivileged one. nullopt where
// the platform has no native backend.
std::optional<HostIdentity> runIdentity();

} // namespace glovebox
