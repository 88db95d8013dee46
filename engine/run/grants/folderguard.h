// SPDX-License-Identifier: Apache-2.0
// Ends a run that fills the disk through a folder that it may write to.
#pragma once

#include "grantedfolders.h"

#include <thread>

namespace glovebox {

// A copy in the run's own memory is bounded by the kernel, with the run's other files. Behind any other folder is a file system of
// the host's, so that glovebox-opener has to look how much there is: an approximation.
class FolderGuard
{
public:
    explicit FolderGuard(const Limits &limits)
        : m_limits(limits)
    {
    }

    // The folders as they are before the run, which outlive this. Blocks; an error says that they can't be measured now.
    Status measure(GrantedFolders &folders);
    // Says what the bound is worth; nullopt for a run that may write to no folder. sandbox: the controls of its sandbox.
    std::optional<Control> control(const QList<Control> &sandbox) const;
    // From now on; process outlives the guard.
    void watch(SealedProcess &process);
    // A last look, when every process of the run is gone. True: more was added than may be. An error: nobody knows; Unavailable: nobody
    // looked any more, and the run was killed where it still worked.
    Result<bool> finish();

private:
    const Limits m_limits;
    GrantedFolders *m_folders = nullptr; // null: nothing to look at
    bool m_hasCopiesInMemory = false;
    bool m_isCountable = false;
    Result<bool> m_over = false; // the thread's, until it has ended
    std::jthread m_thread; // the last member: it ends first
};

} // namespace glovebox
