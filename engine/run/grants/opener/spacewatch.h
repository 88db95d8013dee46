// SPDX-License-Identifier: Apache-2.0
// Looks at how much a run adds to folders that it may write to.
#pragma once

#include "engine/base/base.h"
#include "engine/folders/folders.h"

#include <chrono>
#include <vector>

#include <sys/types.h>

namespace glovebox::opener {

// The kernel bounds what is in a file system, not in a folder of it. So the free space is looked at all the time, which costs
// nearly nothing, and what is in the folders whenever that space shrinks, else five times a second at most.
class SpaceWatch
{
public:
    // Measures the folders, readable, as they are before the run. Blocks for a fifth of a second where there are 200,000 entries.
    SpaceWatch(std::vector<UniqueFd> folders, TreeSize mostAdded);

    // False: the folders hold too much to be counted repeatedly, and only what the run's processes write is seen.
    bool isCountable() const { return m_before.has_value(); }
    // From now on what the processes below this one hold is seen also where it is in no folder any more.
    void follow(pid_t init);
    // Until there is something to read from the channel: false. True: more was added than may be.
    bool waitUntilOver(int channel);
    bool isOver(); // a look now

private:
    using Clock = std::chrono::steady_clock;
    std::optional<TreeSize> measure(FileSystems *fileSystems = nullptr) const;
    std::optional<TreeSize> withClosed(const std::optional<TreeSize> &seen) const;
    TreeSize freeRoom() const;
    bool isRunning() const;
    bool isTooMuch(const TreeSize &added) const;
    bool hasTooMuch();
    bool hasTooMuchClosely();
    bool isMoreGone() const;

    std::vector<UniqueFd> m_folders;
    FileSystems m_fileSystems; // all that they lie on, or that are mounted below them
    const TreeSize m_mostAdded;
    std::optional<TreeSize> m_before;
    std::optional<TreeSize> m_beforeClosely; // with what is closed
    // As long as no more than that goes from what was free then, the run can't have added too much, wherever.
    TreeSize m_freeThen;
    TreeSize m_mayGo;
    TreeSize m_freeAtLook;
    qint64 m_left = 0; // bytes, at the last look
    Clock::duration m_lookTime{}; // that it took
    pid_t m_init = 0;
    QByteArray m_initStart; // the number alone may be another one's when the run is over
};

} // namespace glovebox::opener
