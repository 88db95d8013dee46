// SPDX-License-Identifier: Apache-2.0
// What glovebox-spawner and glovebox-init are told to build for one run.
#pragma once

#include "warmpool.h"

#include "engine/launcher/plan.h"
#include "engine/sandbox/sandbox.h"

namespace glovebox::native {

// Everything but who counts and bounds the whole tree; errors are the person's to mend (a folder that can't be mounted).
// granted: Assignment::granted, of a sandbox that is built for its run.
Result<launcher::Plan> planFor(const SandboxShape &shape, const Assignment &assignment);
void planForBubblewrap(const QString &program, launcher::Plan &plan);
// What a leaf counts and bounds for all processes together. Without one, each process is bounded by itself, memory that none
// of them has is refused, and a watchdog looks at all of them now and then.
// The share of the processors is bounded by how many there are for it, where the leaf can't: boundsCpuShare.
void planTreeLimits(const SandboxShape &shape, launcher::LeafKind leaf, bool boundsCpuShare, launcher::Plan &plan);

// The shape as a sandbox of it would be built on this machine now.
WarmShape warmShape(const SandboxShape &shape, const launcher::Plan &plan);

} // namespace glovebox::native
