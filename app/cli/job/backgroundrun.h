// SPDX-License-Identifier: Apache-2.0
// `glovebox run --detach`: a process of its own takes the run, and this one goes as soon as the code has begun.
#pragma once

#include "app/cli/run/runoptions.h"

namespace glovebox {

// The word that starts the job's process; no person types it.
inline constexpr char jobWord[] = "run-job";

// arguments: what the options were read from. Starts the job's process and passes on what that says until the code has begun, or can't.
// Returns the exit status.
int startJob(const RunOptions &options, const Arguments &arguments);

// The job's own process, which startJob() starts.
int runJob(const Arguments &arguments);

} // namespace glovebox
