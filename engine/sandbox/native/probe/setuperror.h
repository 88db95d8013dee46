// SPDX-License-Identifier: Apache-2.0
// Turns the stage at which building a sandbox failed into a sentence that says what to do.
#pragma once

#include "engine/base/base.h"

#include <string>

namespace glovebox::native {

// message: a whole Message::SetupError packet.
Error explainSetupError(const std::string &message);

} // namespace glovebox::native
