// SPDX-License-Identifier: Apache-2.0
// `glovebox doctor --attack`: ten attacks on the sandbox of this machine, for a person to watch.
#pragma once

namespace glovebox {

// Prints each as it is made, or one JSON object in the end. Returns the exit status: 0 only if all held.
int showAttacks(bool json);

} // namespace glovebox
