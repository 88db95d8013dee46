// SPDX-License-Identifier: Apache-2.0
// One sandbox of the native backend: verified, made a run's own, started, gone.
#pragma once

#include "answering.h"
#include "mounts/placewatch.h"
#include "probe/innerlisteners.h"
#include "spawnerlink.h"

#include "engine/launcher/protocol.h"
#include "engine/sandbox/sandbox.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace glovebox::native {

struct SealedRunParts
{
    std::shared_ptr<SpawnerLink> spawner;
    std::uint64_t id = 0;
    UniqueFd report;
    UniqueFd standardInput;
    UniqueFd standardOutput;
    UniqueFd standardError;
    UniqueFd channel; // invalid when there is no driver
};

// Facts that were found out while the sandbox was built.
struct Verification
{
    std::chrono::microseconds
        setupCpu{}; // not the person's, and taken off the usage; with what the program used before it was the run's
    std::vector<launcher::Finding> inside; // read back by init
    std::vector<launcher::Finding> outside; // by the spawner
    UniqueFd scratch; // O_PATH of /work, in its tmpfs
    UniqueFd home; // O_PATH of the home folder there
    std::vector<UniqueFd> copies; // folders there, for copies
    std::uint64_t process = 0; // above all of the run, on this machine
    CallListener listener;
    PlaceWatch watch;
    std::string watchProblem; // why nobody watches
    InnerListeners listeners;
    std::vector<UniqueFd> connectors;
    UniqueFd terminal; // the outer side of the run's, if it has one
};

class SealedRun final : public SealedProcess
{
public:
    explicit SealedRun(SealedRunParts parts)
        : m_parts(std::move(parts))
    {
    }
    ~SealedRun() override;

    // A terminal takes the place of the pipes. False: no descriptor was left for that.
    bool useVerified(Verification found);
    // Starts the program ahead of its run. Blocks until it waits in its driver, which says so by one byte.
    Status prepare(std::stop_token stop);
    void builtAhead() { m_isWarm = true; }
    // A sandbox that waits sends nothing; only its end can be read.
    bool isWaiting() const;
    // Has the spawner read its limits back once more, since they may have been changed while it waited; assign() judges.
    // Blocks. False: it didn't answer any more.
    bool readAgain(std::stop_token stop);
    // Makes it the run's own. Unavailable when its controls are less than the shape demands.
    Status assign(const SandboxShape &shape, const Assignment &assignment);
    // Called when nobody needs it any more.
    void onEnd(std::function<void()> ended) { m_onEnd = std::move(ended); }

    const QList<Control> &controls() const override { return m_controls; }
    bool isWarm() const override { return m_isWarm; }
    std::vector<UniqueFd> takeListeners() override { return std::move(m_found.listeners.sockets); }
    std::vector<Connector> takeConnectors() override
    {
        return m_found.listeners.connectors(std::exchange(m_found.connectors, {}));
    }
    std::vector<UniqueFd> takeCopies() override { return std::move(m_found.copies); }
    UniqueFd takeWorkspace() override { return std::move(m_found.scratch); }
    UniqueFd takeHome() override { return std::move(m_found.home); }
    int workspace() const override { return m_found.scratch.get(); }
    qint64 hostProcess() const override { return static_cast<qint64>(m_found.process); }
    UniqueFd takeChannel() override { return std::move(m_parts.channel); }
    UniqueFd takeStdin() override { return std::move(m_parts.standardInput); }
    UniqueFd takeStdout() override { return std::move(m_parts.standardOutput); }
    UniqueFd takeStderr() override { return std::move(m_parts.standardError); }
    Status start() override;
    void resize(const Terminal &size) override;
    void interrupt() override;
    Status pause() override;
    Status resume() override;
    void kill() override;
    int eventDescriptor() const override;
    QList<RunEvent> takeEvents(int max) override;
    int reportDescriptor() const override { return m_parts.report.get(); }
    std::optional<SandboxEnd> takeEnd() override;
    bool hasProgramEnded() const override { return m_status.has_value(); }
    std::chrono::microseconds m_mainCpu{0}; // of the process that m_status is of

private:
    void take(const std::string &message);
    void takeGone(launcher::Reader &in);
    bool isDiskFull() const;

    SealedRunParts m_parts;
    Verification m_found;
    bool m_isWarm = false;
    bool m_isPaused = false; // since the latest pause()
    bool m_isAssigned = false; // init has read Go; before that nothing of the code runs
    std::function<void()> m_onEnd;

    Answering m_answering; // with the listener
    UniqueFd m_events; // readable when that or the watch has something; invalid: there is no watch

    QList<Control> m_controls;
    UniqueFd m_assignment;
    std::chrono::milliseconds m_wall{};
    std::optional<std::chrono::milliseconds> m_cpu; // limit
    std::optional<int> m_status; // wait status of the program
    SandboxEnd m_end;
    bool m_gone = false;
    std::atomic<bool> m_killed = false; // by us
};

// Unavailable, by an errno, with the way out.
std::unexpected<Error> noDescriptors(int error = errno);

// Sealed, verified, and nobody's yet; `plan` is an encoded launcher::Plan. Blocks until verified, at most 20 s. Errors:
// Cancelled, TimedOut, Unsupported and Unavailable; nothing of the run is left after any of them.
Result<std::unique_ptr<SealedRun>> launchSealed(std::shared_ptr<SpawnerLink> spawner, const std::string &plan,
                                                bool hasChannel, std::stop_token stop);

} // namespace glovebox::native
