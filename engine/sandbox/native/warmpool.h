// SPDX-License-Identifier: Apache-2.0
// Sandboxes that were built ahead: sealed and verified, the interpreter started and waiting in its driver, and nothing of the
// person inside. Each serves one run.
#pragma once

#include "sealedrun.h"

#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

namespace glovebox::native {

// A shape, and how a sandbox of it would be built on this machine now. A run takes one of exactly its own, or starts cold.
struct WarmShape
{
    SandboxShape shape;
    std::string plan; // encoded: with the mounts' identities, and who counts and bounds
    std::vector<std::string> watched; // files whose change makes what was started out of date
    std::string stamp; // of these, when the shape was looked at: stampOf()

    bool operator==(const WarmShape &) const = default;
};

// Device, inode, size and times of each, also of what isn't there.
std::string stampOf(const std::vector<std::string> &files);
// Whether the machine needs its memory for others: /proc/pressure/memory, else MemAvailable.
bool systemMemoryIsLow();

// take() and want() by any thread. One thread of its own builds, and throws away what is out of date, died, or waited too
// long, all of it when memory gets low.
class WarmPool
{
public:
    // Builds one and starts its program; blocks until that waits in its driver.
    using Build = std::function<Result<std::unique_ptr<SealedRun>>(const WarmShape &shape, std::stop_token stop)>;

    WarmPool(WarmLimits limits, Build build);
    ~WarmPool();
    // Kills what waits; nothing is built any more. Called once.
    void stop();

    // Null: none waits.
    std::unique_ptr<SealedRun> take(const WarmShape &shape);
    // Have one or two of these ready from now on; the last shapes that were wanted stay. later: not while a run that has just
    // been started needs the machine, but soon after runEnded(), or at once where none is left.
    void want(const WarmShape &shape, bool later);
    void runEnded();
    int waiting();

private:
    struct Spare
    {
        WarmShape shape;
        std::unique_ptr<SealedRun> run;
        std::chrono::steady_clock::time_point since;
    };
    using Spares = std::list<Spare>;

    void work(std::stop_token stop);
    bool mayUseMachine();
    void discardUnfit(bool memoryIsLow, Spares &discarded);
    bool fits(const WarmShape &shape, bool besideAll) const;
    std::optional<WarmShape> nextToBuild();
    void makeRoom(const WarmShape &shape, Spares &discarded);
    void waitForNews();
    void wake() const;

    const WarmLimits m_limits;
    const Build m_build;
    UniqueFd m_news;

    std::mutex m_mutex; // guards the rest
    Spares m_spares;
    std::list<WarmShape> m_wanted; // the latest last
    std::optional<std::chrono::steady_clock::time_point> m_notBefore;

    std::jthread m_thread; // last: joined first
};

} // namespace glovebox::native
