// SPDX-License-Identifier: Apache-2.0
// Turns the stage at which building a sandbox failed into a sentence that says what to do.
#pragma once

#include "engine/base/base.h"

#include <string>

namespace glovebox::native {

// message: a whole Message::SetupError packet.
Error explainSetupError(const std::string &message);
// What this machine lacks for user namespaces, and the command that mends it.
Text userNamespaceRemedy();

} // namespace glovebox::native
