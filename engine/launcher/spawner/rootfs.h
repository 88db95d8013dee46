// SPDX-License-Identifier: Apache-2.0
// Builds a run's root file system up from nothing, by the new mount API (Linux 5.12), and moves into it.
#pragma once

#include "engine/base/system/descriptor.h"
#include "engine/launcher/plan.h"
#include "engine/launcher/setuperror.h"

namespace glovebox::launcher {

// Reports a failed step and ends the process; error is an errno.
using GiveUp = void (*)(Stage stage, const std::string &subject, int error);

// What every run has for itself whatever its plan is, mounted nowhere yet. Made while a run's child waits for its plan.
struct OwnFileSystems
{
    UniqueFd root;
    UniqueFd proc;
    UniqueFd terminals; // devpts
    UniqueFd empty; // a folder without anything
    UniqueFd watched; // by FUSE; invalid where the machine gives none
    UniqueFd watchedServer; // the descriptor that answers for it
    std::string watchedProblem; // why there is none
};

// In new namespaces with CAP_SYS_ADMIN.
OwnFileSystems makeOwnFileSystems(GiveUp giveUp);
// Not ahead, but when the engine is about to answer for it: whoever looks at the descriptors of this process, as lsof(8) does, waits for
// the answer. Where a run is the person's own user, the person gets through.
void makeWatched(OwnFileSystems &own);

// There, too. Afterwards "/" is the new, read-only root, the old one is gone and the current folder is /work.
void buildRootFileSystem(const Plan &plan, OwnFileSystems own, GiveUp giveUp);

} // namespace glovebox::launcher
