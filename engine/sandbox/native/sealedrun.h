// SPDX-License-Identifier: Apache-2.0
// One run in the native sandbox, from Verified to Gone.
#pragma once

#include "calllistener.h"
#include "spawnerlink.h"

#include "engine/launcher/protocol.h"
#include "engine/sandbox/sandbox.h"

#include <atomic>
#include <chrono>
#include <string>

namespace glovebox::native {

struct SealedRunParts
{
    std::shared_ptr<SpawnerLink> spawner;
    std::uint64_t id = 0;
    UniqueFd report;
    UniqueFd standardInput;
    UniqueFd standardOutput;
    UniqueFd standardError;
    UniqueFd channel; // invalid when there is no job
    UniqueFd assignment;
    std::string job;
    std::chrono::milliseconds wall{};
    std::optional<std::chrono::milliseconds> cpu; // limit
};

class SealedRun final : public SealedProcess
{
public:
    explicit SealedRun(SealedRunParts parts)
        : m_parts(std::move(parts))
    {
    }
    ~SealedRun() override;

    // setupCpu is not the person's and is taken off the usage.
    void verified(QList<Control> controls, std::chrono::microseconds setupCpu, CallListener listener)
    {
        m_controls = std::move(controls);
        m_setupCpu = setupCpu;
        m_listener = std::move(listener);
    }

    const QList<Control> &controls() const override { return m_controls; }
    UniqueFd takeStdin() override { return std::move(m_parts.standardInput); }
    UniqueFd takeStdout() override { return std::move(m_parts.standardOutput); }
    UniqueFd takeStderr() override { return std::move(m_parts.standardError); }
    Status start() override;
    void interrupt() override;
    void kill() override;
    int eventDescriptor() const override { return m_listener.descriptor(); }
    QList<RunEvent> takeEvents(int max) override { return m_listener.answer(max); }
    int reportDescriptor() const override { return m_parts.report.get(); }
    std::optional<SandboxEnd> takeEnd() override;

private:
    void take(const std::string &message);

    SealedRunParts m_parts;
    QList<Control> m_controls;
    CallListener m_listener;
    std::chrono::microseconds m_setupCpu{};
    std::optional<int> m_status; // wait status of the program
    SandboxEnd m_end;
    std::atomic<bool> m_killed = false;
    bool m_gone = false;
};

} // namespace glovebox::native
