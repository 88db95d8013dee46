// SPDX-License-Identifier: Apache-2.0
// Asks systemd for a cgroup of our own: a transient scope with Delegate=yes, of the user's manager or, for root, the system's
// (systemd.io/CGROUP_DELEGATION). It ends with the last process in it.
#pragma once

#include "engine/base/base.h"

#include <sys/types.h>

#include <string>

namespace glovebox::native {

// name ends in ".scope". Blocks until the process is in it, 2 s at most; returns its folder. Unavailable where systemd doesn't
// run, doesn't answer, or Glovebox was built without it.
Result<std::string> startScope(const std::string &name, pid_t process);

} // namespace glovebox::native
