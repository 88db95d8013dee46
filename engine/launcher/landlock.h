// SPDX-License-Identifier: Apache-2.0
// Landlock: what this process and all that it starts may still reach of the file system, whatever the mounts allow, and of a network.
#pragma once

#include "plan.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace glovebox::launcher {

enum class Missing { Fail, Skip }; // a path that isn't there

// landlockAbi: the version that the kernel has; 0 if there is none, which is no failure here. Empty, or what failed.
// onlyPort: from landlockWithPorts on, TCP sockets connect to this port alone, and none can be bound; none: a network is no concern of it.
std::string applyLandlock(const std::vector<PathRule> &rules, Missing missing, int &landlockAbi,
                          std::optional<std::uint16_t> onlyPort = {});
constexpr int landlockWithPorts = 4; // Linux 6.7

// "EPERM" and the like, without the locale.
std::string errnoName(int error);

} // namespace glovebox::launcher
