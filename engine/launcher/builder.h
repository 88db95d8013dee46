// SPDX-License-Identifier: Apache-2.0
// The direct builder: turns the child of clone3(2) into glovebox-init in a root file system of its own.
#pragma once

#include "plan.h"

namespace glovebox::launcher {

struct BuildDescriptors
{
    int plan = -1;
    int report = -1;
    int standardInput = -1;
    int standardOutput = -1;
    int standardError = -1;
    int channel = -1; // -1: the plan has none
    int initProgram = -1;
};

// The namespaces of every run, for clone3.
unsigned long long runNamespaces();

// Runs in the child, as PID 1 of the new namespaces with all capabilities in the new user namespace; uid and gid are those of
// the spawner. Ends by executing glovebox-init without any capability, or by a SetupError on the report socket and _exit(1).
[[noreturn]] void buildAndExec(const Plan &plan, const BuildDescriptors &descriptors, unsigned uid, unsigned gid);

} // namespace glovebox::launcher
