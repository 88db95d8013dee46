// SPDX-License-Identifier: Apache-2.0
// What the files of `glovebox secret ...` share.
#pragma once

#include "app/cli/command.h"

namespace glovebox {

// set, edit, rename, remove
std::vector<Command> secretChangeCommands();

Command passphraseCommand();

// As sayFailure(), but 130 when the person cancelled.
int sayTrouble(const Error &error);

} // namespace glovebox
