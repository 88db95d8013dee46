// SPDX-License-Identifier: Apache-2.0
// Whose a connection of this machine is.
#pragma once

#include <optional>

namespace glovebox::network {

// The user who made a connection that a listener of 127.0.0.1 took. table: of /proc/net/tcp (proc_pid_net(5)), which is read from its begin.
// Nothing: the list doesn't have the other end, as it is closed already, or can't be read. By any thread.
std::optional<unsigned> userOfPeer(int table, int socket);

} // namespace glovebox::network
