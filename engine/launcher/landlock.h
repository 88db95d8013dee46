// SPDX-License-Identifier: Apache-2.0
// Landlock: what this process and all that it starts may still reach of the file system, whatever the mounts allow.
#pragma once

#include "plan.h"

#include <string>
#include <vector>

namespace glovebox::launcher {

enum class Missing { Fail, Skip }; // a path that isn't there

// landlockAbi: the version that the kernel has; 0 if there is none, which is no failure here. Empty, or what failed.
std::string applyLandlock(const std::vector<PathRule> &rules, Missing missing, int &landlockAbi);

// "EPERM" and the like, without the locale.
std::string errnoName(int error);

} // namespace glovebox::launcher
