// SPDX-License-Identifier: Apache-2.0
// What glovebox-toolhost and the engine say to each other. No Qt.
#pragma once

#include <cstdint>

namespace glovebox::launcher {

constexpr int toolHostChannel = 3; // a stream; its end ends the server and all that it started
constexpr int toolHostInput = 4; // becomes the server's standard input
constexpr int toolHostOutput = 5; // and its standard output

// On the channel, once: why there is no server any more.
struct ToolHostReport
{
    std::int32_t notStarted = 0; // an errno of execve(2) or chdir(2); 0: the server was started
    std::int32_t waitStatus = 0; // of wait(2), of one that was
};

} // namespace glovebox::launcher
