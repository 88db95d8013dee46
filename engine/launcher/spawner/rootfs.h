// SPDX-License-Identifier: Apache-2.0
// Builds a run's root file system up from nothing, by the new mount API (Linux 5.12), and moves into it.
#pragma once

#include "engine/launcher/plan.h"
#include "engine/launcher/setuperror.h"

namespace glovebox::launcher {

// Reports a failed step and ends the process; error is an errno.
using GiveUp = void (*)(Stage stage, const std::string &subject, int error);

// In new user and mount namespaces with CAP_SYS_ADMIN. Afterwards "/" is the new, read-only root, the old one is gone and the
// current folder is /work.
void buildRootFileSystem(const Plan &plan, GiveUp giveUp);

} // namespace glovebox::launcher
