// SPDX-License-Identifier: Apache-2.0
// /proc/PID/mountinfo (proc(5)), for who looks at the machine's mounts and for who looks at a run's. No Qt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glovebox::launcher {

struct Mount
{
    int id = 0;
    std::string device; // "8:1": of the file system, also where stat(2) gives a subvolume's
    std::string root; // what of the file system is seen at point
    std::string point;
    std::string options; // of the mount: "ro,nosuid"
    std::string type;
    std::string superOptions; // of the file system
};

// The text up to the separator, which is taken away with it.
std::string_view takeWord(std::string_view &text, char separator);

// One a line, in the order of mounting; the same point may be there more than once. What a line lacks is empty.
std::vector<Mount> parseMountinfo(std::string_view text);

} // namespace glovebox::launcher
