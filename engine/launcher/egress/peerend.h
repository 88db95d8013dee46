// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

namespace glovebox::launcher {

// For poll(2), as POLLHUP: the peer sends nothing more, whether or not all that it sent has been read.
constexpr short endOfPeer = POLLRDHUP;

} // namespace glovebox::launcher
