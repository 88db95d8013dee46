// SPDX-License-Identifier: Apache-2.0
// What a spawner does once, before it forks anything.
#pragma once

#include "engine/launcher/packet.h"

namespace glovebox::launcher {

// Says Hello, becomes whom the engine names, and says Prepared or why not. Returns glovebox-init, open, for bwrap: whom the
// spawner becomes may have no way to it. An invalid descriptor: there is nothing that it could serve.
UniqueFd prepare(int controlSocket);

} // namespace glovebox::launcher
