// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>

#include <optional>

#include <sys/types.h>

namespace glovebox {

// Who is at the other end of a unix socket, as the kernel says; nothing: it doesn't, as by POSIX.
struct Peer
{
    qint64 pid = 0; // 0: this system doesn't say
    uid_t uid = 0;

    bool operator==(const Peer &) const = default;
};
std::optional<Peer> peerOf(int socket);

} // namespace glovebox
