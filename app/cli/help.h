// SPDX-License-Identifier: Apache-2.0
// What `glovebox help` prints: commands in groups and options in columns, for the width of the terminal.
#pragma once

#include "command.h"

namespace glovebox {

// COLUMNS, else those of the terminal on standard output, else 80; between 40 and 100.
int helpWidth();

// All commands, in groups.
QString overviewOf(const std::vector<Command> &commands, int width);

} // namespace glovebox
