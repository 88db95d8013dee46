// SPDX-License-Identifier: Apache-2.0
// How the engine starts the programs of its own that stand beside it.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace glovebox::launcher {

// In a session of its own, with /dev/null for the standard streams, descriptors as 3, 4, ... (each must have a number above
// those), the default signal mask and no environment. Safe in a program with threads. 0, or an errno.
int startProgram(std::vector<std::string> argv, const std::vector<int> &descriptors, pid_t &pid);
// As root it is told to become that user: "--user UID GID".
int startProgram(const std::string &path, uid_t uid, gid_t gid, const std::vector<int> &descriptors, pid_t &pid);

} // namespace glovebox::launcher
