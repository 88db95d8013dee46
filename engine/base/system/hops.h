// SPDX-License-Identifier: Apache-2.0
// How far packets have come, by what is left of the hops that they may take.
#pragma once

namespace glovebox {

// Connections whose packets have fewer hops left never reach this listener (IPv4). False: with errno; POSIX can't tell them: ENOTSUP.
bool refuseFewerHops(int listener, int fewest);

} // namespace glovebox
