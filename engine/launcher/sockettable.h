// SPDX-License-Identifier: Apache-2.0
// Whose a connection of this machine is, by the kernel's lists of sockets (proc_pid_net(5)).
#pragma once

#include <optional>

namespace glovebox::launcher {

// Of IPv4, and of sockets for both families, which a machine without IPv6 has not.
constexpr const char *socketTable = "/proc/self/net/tcp";
constexpr const char *socketTable6 = "/proc/self/net/tcp6";

// Two descriptors from this one on become these tables, where there is the second. False: the first can't be had.
bool openSocketTables(int first);

struct SocketOwner
{
    unsigned user = 0;
    unsigned long inode = 0;
};
// Who made the other end of a connection that a listener of 127.0.0.1 took. Nothing: that end is in no table, can't be read, or is closed
// already, which the tables show as root's. By any thread.
std::optional<SocketOwner> ownerOfPeer(int table, int table6, int socket);

} // namespace glovebox::launcher
