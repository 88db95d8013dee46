// SPDX-License-Identifier: Apache-2.0
// From what was observed at the end of a run to its outcome and the sentence that says why.
#pragma once

#include "live/pump.h"

namespace glovebox {

struct Ending
{
    Outcome outcome = Outcome::Interrupted;
    Text reason;

    bool operator==(const Ending &) const = default;
};

// The ending of one run: what is found first stays. Used by the run's thread.
class FirstEnding
{
public:
    void set(Ending ending)
    {
        if (!m_ending)
            m_ending = std::move(ending);
    }
    Ending value() const { return m_ending.value_or(Ending()); }

private:
    std::optional<Ending> m_ending;
};

// Pure. cancelReason is the sentence for a cancelled run. foldersFull: FolderGuard::finish(). copiesBytes: of folders, in its memory.
// workspaceBytes: of its files in memory beside them; none: limits.diskBytes.
Ending endingOf(const PumpEnd &end, const Limits &limits, const Text &cancelReason,
                const Result<bool> &foldersFull = false, qint64 copiesBytes = 0,
                std::optional<qint64> workspaceBytes = {});

// Pure. Of a sandbox that wasn't built: a folder that the person may not read, or files that don't fit, are the request's fault, and all
// else is this machine's.
Outcome notLaunched(const Error &error);

// What is said of a run that was cancelled before its code began.
RunEvent codeNotRun();

// Pure. Whether the run came up against its limit of processes.
std::optional<RunEvent> processesEvent(const SandboxEnd &end, const Limits &limits);
// Pure. Whether no space was left at the end of a run that ended as if all were well. filesBytes: of its files.
std::optional<RunEvent> diskEvent(const SandboxEnd &end, qint64 filesBytes);

} // namespace glovebox
