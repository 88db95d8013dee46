// SPDX-License-Identifier: Apache-2.0
// What the folders that a run is granted need before it, while it runs and after it.
#pragma once

#include "folderopener.h"

#include "engine/run/live/liverun.h"
#include "engine/run/rooms.h"

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
    // Those that the run may write to, readable, and invalid where that can't be had. The caller owns them.
    std::vector<UniqueFd> openWritable() const;
    // When every process of the run is gone: tells by events and in the result what it did to them.
    void close(const Rooms &rooms, LiveRun &run, RunResult &result, const Withhold &withhold);

private:
    Result<OpenedFolder> copyOf(const OpenedFolder &original, const FolderGrant &grant, const RunRequest &request,
                                const Rooms &rooms, LiveRun &run, FolderOpener &opener);
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

} // namespace glovebox
