// SPDX-License-Identifier: Apache-2.0
// What a person can do on this machine, with its distribution's own commands.
#pragma once

#include "engine/base/base.h"

#include <string>

namespace glovebox::native {

// "sudo apt install bubblewrap" or as the distribution does it.
QString installCommand(const QString &package);
// What this machine lacks for user namespaces, and the command that mends it.
Text userNamespaceRemedy();
// Why bwrap can't be used. stage: "bwrap-missing", "bwrap-foreign", "bwrap-setuid", or "bwrap" with its last words.
Error explainBubblewrap(const std::string &stage, const std::string &subject, const Text &detail);

} // namespace glovebox::native
