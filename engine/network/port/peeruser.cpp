// SPDX-License-Identifier: Apache-2.0
#include "engine/network/port/peeruser.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace glovebox::network {

namespace {

constexpr int tableLooks = 3; // lines that come and go meanwhile may hide one

std::optional<sockaddr_in> endOf(int socket, int (*name)(int, sockaddr *, socklen_t *))
{
    sockaddr_in address{};
    socklen_t size = sizeof address;
    const bool isKnown = name(socket, reinterpret_cast<sockaddr *>(&address), &size) == 0;
    return isKnown && address.sin_family == AF_INET ? std::optional(address) : std::nullopt;
}

// As the kernel prints both ends of a socket: numbers of 32 bits as they are in memory, ports as people write them.
std::string endsInTable(const sockaddr_in &local, const sockaddr_in &remote)
{
    char text[64];
    std::snprintf(text, sizeof text, " %08X:%04X %08X:%04X ", local.sin_addr.s_addr, ntohs(local.sin_port),
                  remote.sin_addr.s_addr, ntohs(remote.sin_port));
    return text;
}

std::optional<unsigned> userIn(int table, const std::string &ends)
{
    std::string lines;
    char piece[16 * 1024];
    off_t offset = 0;
    for (ssize_t count = 0; (count = ::pread(table, piece, sizeof piece, offset)) > 0; offset += count) {
        lines.append(piece, static_cast<std::size_t>(count));
        const std::size_t at = lines.find(ends);
        const std::size_t end = at == std::string::npos ? at : lines.find('\n', at);
        if (end != std::string::npos) {
            unsigned user = 0; // after state, queues, timer and retransmissions
            const std::string rest = lines.substr(at + ends.size(), end - at - ends.size());
            return std::sscanf(rest.c_str(), "%*x %*x:%*x %*x:%*x %*x %u", &user) == 1 ? std::optional(user)
                                                                                       : std::nullopt;
        }
        if (at == std::string::npos)
            lines.erase(0, lines.rfind('\n') + 1);
    }
    return std::nullopt;
}

} // namespace

std::optional<unsigned> userOfPeer(int table, int socket)
{
    const auto local = endOf(socket, ::getsockname), remote = endOf(socket, ::getpeername);
    std::optional<unsigned> user;
    for (int look = 0; local && remote && !user && look < tableLooks; ++look)
        user = userIn(table, endsInTable(*remote, *local)); // the other end has them the other way round
    return user;
}

} // namespace glovebox::network
