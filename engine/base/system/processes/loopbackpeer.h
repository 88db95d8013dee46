// SPDX-License-Identifier: Apache-2.0
// Whose program is at the other end of a TCP connection of this machine.
#pragma once

#include <QByteArray>

#include <optional>

#include <sys/types.h>

namespace glovebox {

struct LoopbackPeer
{
    uid_t uid = 0; // of the user who made the socket
    QByteArray inode; // of the socket

    bool operator==(const LoopbackPeer &) const = default;
};

// Nothing: the system doesn't say, as by POSIX, or doesn't know, as where the other end is closed already.
std::optional<LoopbackPeer> loopbackPeerOf(int socket);

// A process that has the socket open; several may. 0: none of this person's.
qint64 processOf(const LoopbackPeer &peer);

} // namespace glovebox
