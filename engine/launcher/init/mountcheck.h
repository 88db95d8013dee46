// SPDX-License-Identifier: Apache-2.0
// Compares what the kernel says is mounted with what was planned.
#pragma once

#include "engine/launcher/plan.h"

#include <string>

namespace glovebox::launcher {

// mountinfo as in proc(5). Empty when it holds exactly the planned mounts with the planned type, flags and identity (device
// and inode of the mount point); else the first difference.
std::string checkMounts(const Plan &plan, const std::string &mountinfo);

// Whether the plan's watched file system is mounted, and each link that leads into it is there.
bool isWatched(const Plan &plan);

} // namespace glovebox::launcher
