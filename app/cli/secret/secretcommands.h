// SPDX-License-Identifier: Apache-2.0
// What the files of `glovebox secret ...` share.
#pragma once

#include "app/cli/command.h"

namespace glovebox {

// set, edit, rename, remove
std::vector<std::unique_ptr<Command>> makeSecretChangeCommands();

std::unique_ptr<Command> makePassphraseCommand();

// As sayFailure(), but 130 when the person cancelled.
int sayTrouble(const Error &error);

} // namespace glovebox
