// SPDX-License-Identifier: Apache-2.0
// The mounts of this machine as the kernel lists them (proc(5), mountinfo).
#pragma once

#include "engine/launcher/mountinfo.h"

#include <memory>
#include <string_view>
#include <vector>

namespace glovebox::native {

using launcher::Mount;

// In the order of mounting; the same point may be there more than once. Empty when it can't be read. Any thread.
std::shared_ptr<const std::vector<Mount>> readMounts();

// Whether a path is the folder or lies in it; both absolute and plain.
bool isAtOrBelow(std::string_view path, std::string_view folder);

} // namespace glovebox::native
