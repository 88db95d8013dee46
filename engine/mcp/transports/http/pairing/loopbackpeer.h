// SPDX-License-Identifier: Apache-2.0
// Whose program is at the other end of a TCP connection of this machine, by the kernel's table of sockets (proc_pid_net(5)).
#pragma once

#include <QByteArray>

#include <optional>

#include <sys/types.h>

namespace glovebox::mcp {

struct LoopbackPeer
{
    uid_t uid = 0; // of the user who made the socket
    QByteArray inode; // of the socket

    bool operator==(const LoopbackPeer &) const = default;
};

// Nothing: the table can't be read, or doesn't have it, as where the other end is closed already.
std::optional<LoopbackPeer> loopbackPeerOf(int socket);

// A process that has the socket open; several may. 0: none of this person's.
qint64 processOf(const LoopbackPeer &peer);

} // namespace glovebox::mcp
