// SPDX-License-Identifier: Apache-2.0
// The direct builder: turns the child of clone3(2) into PID 1 in a root file system of its own (init/init.h). And what it shares
// with the other builder (bubblewrap.h).
#pragma once

#include "engine/base/system/descriptor.h"
#include "engine/launcher/plan.h"
#include "engine/launcher/setuperror.h"

namespace glovebox::launcher {

// Descriptors of a launch, in the order of LaunchDescriptor (protocol.h).
using LaunchDescriptors = std::vector<UniqueFd>;

// The namespaces of every run, for clone3.
unsigned long long runNamespaces();

// In the child, as PID 1 of the new namespaces with all capabilities in the new user namespace. Does what needs no plan, waits on
// its socket for a packet with a launch's descriptors, builds, and goes on as init without any capability: by itself, which saves
// half a millisecond, or as initProgram (sealedCopy()), where that isn't -1. Reports a failed stage as a SetupError, and ends. uid
// and gid are those of the spawner.
[[noreturn]] void buildWhenTold(int orders, int initProgram, unsigned uid, unsigned gid);

// For both builders, in the child.

// Reports a failed stage on the report socket, and ends. error: an errno, or 0 when there is none.
[[noreturn]] void giveUp(Stage stage, const std::string &subject, int error);
// What comes first: reports go to this socket, signals are as a program expects them, and the run is the first to go when the
// machine runs out of memory.
void beginChild(int report);

// Puts each where PID 1 looks for it (protocol.h), open over exec: the standard ones from that number on. messages: what becomes
// descriptor 2 meanwhile; -1: nothing.
void arrangeDescriptors(const LaunchDescriptors &launch, int standard, int messages = -1);

} // namespace glovebox::launcher
