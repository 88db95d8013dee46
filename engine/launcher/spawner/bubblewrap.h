// SPDX-License-Identifier: Apache-2.0
// The second builder: the system's bwrap (bubblewrap 0.8 or newer) makes namespaces and mounts from the same plan and starts
// glovebox-init as PID 1. For machines that let nothing else make user namespaces.
#pragma once

#include "builder.h"

namespace glovebox::launcher {

// Runs in a child of the spawner, which has all of the spawner's namespaces. Ends by executing bwrap, or by a SetupError and
// _exit(1). initProgram: the sealed copy. What bwrap has to say goes to the descriptor messages.
[[noreturn]] void execBubblewrap(const Plan &plan, const LaunchDescriptors &descriptors, int initProgram, int messages);

} // namespace glovebox::launcher
