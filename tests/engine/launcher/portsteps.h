// SPDX-License-Identifier: Apache-2.0
// Which step of its sealing a glovebox-port of tests leaves out: told by the port that is to be opened.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

inline constexpr std::uint16_t firstPortOfSteps = 60000;
inline constexpr std::array<std::string_view, 9> portSteps{"filter", "privileges", "dumpable", "limits", "descriptors",
                                                           "user",   "groups",     "landlock", "kernel"};
