// SPDX-License-Identifier: Apache-2.0
// What the folders that a run is granted need before it, while it runs and after it.
#pragma once

#include "engine/run/pipeline.h"

#include "engine/folders/folders.h"

#include <atomic>
#include <condition_variable>
#include <thread>
#include <vector>

namespace glovebox {

// Used by the run's thread.
class GrantedFolders
{
public:
    // Looks at each folder of the policy, and at how it is now. Blocks.
    Status open(const RunRequest &request, const Rooms &rooms, LiveRun &run, std::stop_token stop);
    // For the sandbox.
    const QList<OpenedFolder> &shown() const { return m_shown; }
    // When every process of the run is gone: tells by events and in the result what it did to them.
    void close(const Rooms &rooms, LiveRun &run, RunResult &result, const Withhold &withhold);

private:
    friend class FolderGuard;
    Result<OpenedFolder> copyOf(const OpenedFolder &original, const FolderGrant &grant, const RunRequest &request,
                                const Rooms &rooms, LiveRun &run, std::stop_token stop);
    void tellSensitive(const OpenedFolder &folder, const SensitiveFiles &before, LiveRun &run) const;

    struct Writable
    {
        qsizetype index; // of m_shown
        std::optional<SensitiveFiles> before; // not of copies
    };
    QList<OpenedFolder> m_shown;
    std::vector<Writable> m_writable;
    bool m_hasCopies = false;
};

// Ends a run that fills the disk through a folder that it may write to: the size of what is in them is looked at again and
// again on a thread of its own. An approximation, as the tmpfs that bounds everything else can't lie behind a folder of the
// host's.
class FolderGuard
{
public:
    FolderGuard(const GrantedFolders &folders, SealedProcess &process, const Limits &limits, LiveRun &run);
    // True: the run was killed for it.
    bool tripped() const { return m_tripped; }

private:
    void watch(std::stop_token stop);

    struct Size
    {
        qint64 bytes = 0;
        qint64 entries = 0;
    };
    std::optional<Size> measure() const; // nullopt: too much to count

    std::vector<UniqueFd> m_folders;
    SealedProcess &m_process;
    Size m_most;
    std::atomic<bool> m_tripped = false;
    std::mutex m_mutex;
    std::condition_variable_any m_wait;
    std::jthread m_thread; // the last member: it ends first
};

} // namespace glovebox
