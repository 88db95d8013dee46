// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

#include <sys/socket.h>
#include <unistd.h>

namespace glovebox {

std::optional<Peer> peerOf(int socket)
{
#if defined(SO_PEERCRED)
    ucred credentials{};
    socklen_t length = sizeof credentials;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0)
        return {};
    return Peer{credentials.pid, credentials.uid};
#else
    uid_t user = 0;
    gid_t group = 0;
    if (::getpeereid(socket, &user, &group) != 0)
        return {};
    return Peer{0, user};
#endif
}

} // namespace glovebox
