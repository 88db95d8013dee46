// SPDX-License-Identifier: Apache-2.0
// The mounts of this machine as the kernel lists them (proc(5), mountinfo).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace glovebox::native {

struct Mount
{
    int id = 0;
    std::string device; // "8:1": of the file system, also where stat(2) gives a subvolume's
    std::string root; // what of the file system is seen at point
    std::string point;
    std::string type;
    std::string options; // of the file system, not of the mount
};

// In the order of mounting; the same point may be there more than once. Empty when it can't be read.
std::vector<Mount> readMounts();

// Whether a path is the folder or lies in it; both absolute and plain.
bool isAtOrBelow(const std::string &path, const std::string &folder);

} // namespace glovebox::native
