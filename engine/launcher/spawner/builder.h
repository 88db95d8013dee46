// SPDX-License-Identifier: Apache-2.0
// The direct builder: turns the child of clone3(2) into PID 1 in a root file system of its own (init/init.h). And what it shares
// with the other builder (bubblewrap.h).
#pragma once

#include "engine/base/system/descriptor.h"
#include "engine/launcher/plan.h"
#include "engine/launcher/setuperror.h"

namespace glovebox::launcher {

struct BuildDescriptors
{
    // Of a Launch (protocol.h).
    explicit BuildDescriptors(const std::vector<UniqueFd> &launch);

    int plan = -1;
    int report = -1;
    int standardInput = -1;
    int standardOutput = -1;
    int standardError = -1;
    int channel = -1; // -1: the plan has none
};

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

struct DescriptorPlace
{
    int source; // -1: none
    int target;
};
// Puts each source at its target, open over exec. Targets are below 64.
void arrangeDescriptors(std::vector<DescriptorPlace> places);

} // namespace glovebox::launcher
