// SPDX-License-Identifier: Apache-2.0
#include "exitstatus.h"

#include "app/cli/terminal/console.h"

#include <algorithm>
#include <csignal>

namespace glovebox {

int exitStatus(const RunResult &result, int stoppedBy)
{
    switch (result.outcome) {
    case Outcome::Completed:
    case Outcome::Failed:
        return result.exitCode.value_or(result.outcome == Outcome::Completed ? 0 : 1);
    case Outcome::DiskLimit: // found when the code had ended by itself, it may have been content
        return std::max(result.exitCode.value_or(1), 1);
    case Outcome::Signalled:
        return ExitStatus::signalled + result.signal.value_or(SIGKILL);
    case Outcome::TimedOut:
    case Outcome::CpuLimit:
        return ExitStatus::timeOrCpu;
    case Outcome::OutOfMemory:
        return ExitStatus::memory;
    case Outcome::Cancelled:
        return ExitStatus::signalled + (stoppedBy == 0 ? SIGINT : stoppedBy);
    case Outcome::Rejected:
    case Outcome::Denied:
    case Outcome::SetupFailed:
    case Outcome::Interrupted:
        break;
    }
    return ExitStatus::notRun;
}

} // namespace glovebox
