// SPDX-License-Identifier: Apache-2.0
// Ends a run that fills the disk through a folder that it may write to.
#pragma once

#include "grantedfolders.h"

#include <atomic>
#include <condition_variable>
#include <thread>

namespace glovebox {

// The size of what is in the folders is looked at again and again on a thread of its own: an approximation, as the tmpfs that
// bounds everything else can't lie behind a folder of the host's.
class FolderGuard
{
public:
    // Measures the folders as they are before the run: blocks for a fifth of a second where there are 200,000 entries, and as long
    // as the folders' file systems do. When it is stopped the run is over anyway.
    FolderGuard(const GrantedFolders &folders, const Limits &limits, const std::stop_token &stop);

    // What the bound is worth; nullopt for a run that may write to no folder.
    std::optional<Control> control() const;
    // From now on; process outlives the guard.
    void watch(SealedProcess &process);
    // True: the run was killed for what it wrote.
    bool tripped() const { return m_tripped; }

private:
    std::optional<TreeSize> measure(const std::stop_token &stop) const; // nullopt: too much to count
    void look(SealedProcess &process, const std::stop_token &stop);

    std::vector<UniqueFd> m_folders;
    const qint64 m_diskBytes;
    std::optional<TreeSize> m_most; // nullopt: what there is can't be counted again and again
    std::atomic<bool> m_tripped = false;
    std::mutex m_mutex;
    std::condition_variable_any m_wait;
    std::jthread m_thread; // the last member: it ends first
};

} // namespace glovebox
