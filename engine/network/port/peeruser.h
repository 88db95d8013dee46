// SPDX-License-Identifier: Apache-2.0
// Whose a connection of this machine is.
#pragma once

#include <optional>

namespace glovebox::network {

// Two descriptors from this one on become the kernel's lists of connections (proc_pid_net(5)): of IPv4, and of sockets for both families;
// where the machine has no IPv6, the second isn't there. False: the first can't be had.
bool openConnectionTables(int first);

// The user who made a connection that a listener of 127.0.0.1 took. Nothing: the other end is in no list, can't be read, or is closed
// already, which the lists show as root's. By any thread.
std::optional<unsigned> userOfPeer(int firstTable, int socket);

} // namespace glovebox::network
