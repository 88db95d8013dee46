// SPDX-License-Identifier: Apache-2.0
// Turns the stage at which building a sandbox failed into a sentence that says what to do.
#pragma once

#include "engine/base/base.h"
#include "engine/launcher/setuperror.h"

namespace glovebox::native {

Error explainSetupError(const launcher::SetupError &failure);

} // namespace glovebox::native
