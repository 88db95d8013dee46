// SPDX-License-Identifier: Apache-2.0
#include "httpserver.h"

#include "engine/network/network.h"

#include <cerrno>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace glovebox::mcp {

Result<UniqueFd> listenOnLoopback(quint16 port)
{
    UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!keepRunsOut(listener)
        || ::bind(listener.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0
        || ::listen(listener.get(), 128) != 0)
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine",
                                      "Port %1 of 127.0.0.1 can't be listened on: %2. Name another port, or 0 "
                                      "for a free one."),
                    {QString::number(port), errnoText(errno)});
    return listener;
}

quint16 portOf(const UniqueFd &listener)
{
    sockaddr_in address{};
    socklen_t length = sizeof address;
    ::getsockname(listener.get(), reinterpret_cast<sockaddr *>(&address), &length);
    return ntohs(address.sin_port);
}

} // namespace glovebox::mcp
