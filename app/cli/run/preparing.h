// SPDX-License-Identifier: Apache-2.0
// From options to a request: reads what they name, and asks what has to be asked.
#pragma once

#include "app/cli/command.h"
#include "runoptions.h"
#include "sessionofrun.h"

namespace glovebox {

struct PreparedRun
{
    RunRequest request;
    SessionOfRun session;
    UniqueFd input; // none: the run's is empty
    bool isLockedTold = false; // why the secrets stay locked, which refuses the run
    bool hasTime = false; // options or a profile set its time limit, which else is the settings'
};

// The error is an exit status; the reason is told already.
std::expected<PreparedRun, int> prepareRun(Engine &engine, const RunOptions &options);

// The code that the options name.
Result<QByteArray> readCode(const RunOptions &options);
// Says why nothing runs, as --json wants it; returns ExitStatus::notRun.
int refuse(const RunOptions &options, Outcome outcome, const Error &error);

} // namespace glovebox
