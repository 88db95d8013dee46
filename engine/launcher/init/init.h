// SPDX-License-Identifier: Apache-2.0
// PID 1 of a run, without any capability. Seals itself, reads everything back, reports, waits for Go (or first for Prepare),
// starts the program, reaps, and ends with it; the kernel then kills the rest of the namespace. It never becomes the program
// itself: a dumpable or unsealed PID 1 could be rewritten through /proc/1/mem and made to forge its reports.
#pragma once

#include "engine/launcher/plan.h"

namespace glovebox::launcher {

// Its descriptors: protocol.h (initReportFd and what is beside it); all others are closed. inheritedFilters: countFilters() before
// any was added.
[[noreturn]] void beInit(Plan plan, int inheritedFilters);

// The same where the spawner's program was executed once more, with initArgument: the plan is at initPlanFd. Returns the exit status
// where there is none, and reports that.
constexpr char initArgument[] = "init";
int beExecutedInit(char *argument);

} // namespace glovebox::launcher
