// SPDX-License-Identifier: Apache-2.0
// Packages that one client is having installed. An installation goes on while its call has to answer; the same call again waits for it.
#pragma once

#include "engine/engine.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

namespace glovebox::mcp {

// What the person may be asked about, and whose it is.
struct WantedInstallation
{
    QByteArray call; // the same for calls that want the same, whatever became of the session meanwhile
    PackageWish wish;
    QString session; // id of the one that gets them; empty: a run does
    QString before; // SetPackages::before

    bool operator==(const WantedInstallation &) const = default;
};

// Whether the person refused that already, in settings or for good. Nobody is asked.
Status checkInstallation(Engine &engine, const WantedInstallation &wanted);

// What an installation does now.
struct InstallationStep
{
    QString line;
    QString question; // ApprovalRequest::run of what the person is asked meanwhile; empty: nothing

    bool operator==(const InstallationStep &) const = default;
};
using TellStep = std::function<void(const InstallationStep &step)>;

// Fetches, asks the person where nobody granted it, installs, and gives the packages to the session. Blocks for all of that; told is called
// with what goes on. PermissionDenied says what the person would have to allow. An error: nothing was installed, and the session is
// as it was.
Result<InstalledPackages> installOnWord(Engine &engine, const WantedInstallation &wanted, const std::stop_token &stop,
                                        const TellStep &told);

// One that goes on, or has ended. Thread-safe.
class Installation
{
public:
    Installation(Engine &engine, const WantedInstallation &wanted);

    const WantedInstallation &wanted() const { return m_wanted; }
    InstallationStep step() const;
    std::optional<Result<InstalledPackages>> result() const; // nothing: it goes on
    // Until it has ended, the step is another one, the time has come, or a stop.
    void waitForChange(const InstallationStep &seen, std::chrono::steady_clock::time_point until,
                       const std::stop_token &stop);
    void cancel() { m_thread.request_stop(); }

private:
    const WantedInstallation m_wanted;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    InstallationStep m_step;
    std::optional<Result<InstalledPackages>> m_result;
    std::jthread m_thread; // ends before what it uses
};

// Thread-safe. Must not outlive the engine that start() was given.
class Installations
{
public:
    // The one that this call began, whose result nobody has got yet; null: there is none.
    std::shared_ptr<Installation> find(const QByteArray &call);
    // Busy: too many go on.
    Result<std::shared_ptr<Installation>> start(Engine &engine, const WantedInstallation &wanted);
    // Its answer was given.
    void drop(const std::shared_ptr<Installation> &installation);
    // Cancels all of them, and waits for that. No call may be waiting for one.
    void close();

private:
    static constexpr std::size_t most = 4;

    std::mutex m_mutex;
    std::vector<std::shared_ptr<Installation>> m_all;
};

} // namespace glovebox::mcp
