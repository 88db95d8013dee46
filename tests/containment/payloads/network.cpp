// SPDX-License-Identifier: Apache-2.0
#include "attack.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace attack {
namespace {

// HOST PORT...: TCP and UDP to each, with the token.
void connectTo(Words words)
{
    for (int i = 0; i + 1 < words.count; i += 2) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<unsigned short>(words.number(i + 1)));
        ::inet_pton(AF_INET, words.at(i), &address.sin_addr);
        const auto *where = reinterpret_cast<const sockaddr *>(&address);
        const int stream = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        ::connect(stream, where, sizeof address);
        ::usleep(20'000);
        ::send(stream, token, std::strlen(token), MSG_NOSIGNAL);
        const int datagram = ::socket(AF_INET, SOCK_DGRAM, 0);
        ::sendto(datagram, token, std::strlen(token), MSG_DONTWAIT, where, sizeof address);
    }
}

// A path, or @name for an abstract one: stream, then datagram, then a datagram from one end of a pair.
void connectLocally(Words words)
{
    for (int i = 0; i < words.count; ++i) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, words.at(i), sizeof address.sun_path - 1);
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(address.sun_path)
                                                 + (words.at(i)[0] == '@' ? 0 : 1));
        if (words.at(i)[0] == '@')
            address.sun_path[0] = '\0';
        const auto *where = reinterpret_cast<const sockaddr *>(&address);
        ::connect(::socket(AF_UNIX, SOCK_STREAM, 0), where, size);
        ::connect(::socket(AF_UNIX, SOCK_SEQPACKET, 0), where, size);
        ::sendto(::socket(AF_UNIX, SOCK_DGRAM, 0), token, std::strlen(token), MSG_DONTWAIT, where, size);
        for (int type : {SOCK_DGRAM, SOCK_STREAM}) {
            int pair[2] = {-1, -1};
            ::socketpair(AF_UNIX, type, 0, pair);
            ::sendto(pair[0], token, std::strlen(token), MSG_DONTWAIT | MSG_NOSIGNAL, where, size);
            ::connect(pair[1], where, size);
        }
    }
}

// Whatever a shell can do.
void runCommands(Words words)
{
    for (int i = 0; i < words.count; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::execl("/bin/sh", "sh", "-c", words.at(i), nullptr);
            ::_exit(127);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
    }
}

// The host counts the sockets that stay open.
void openRareSockets(Words)
{
    ::socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    ::socket(AF_ALG, SOCK_SEQPACKET, 0);
    ::socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
    ::socket(AF_VSOCK, SOCK_STREAM, 0);
    ::socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
    ::socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP);
    ::socket(AF_INET, SOCK_STREAM, 262 /* MPTCP */);
    ::socket(AF_INET, SOCK_STREAM, 132 /* SCTP */);
    for (int family = 3; family < 64; ++family) {
        if (family != AF_INET6)
            ::socket(family, SOCK_DGRAM, 0);
    }
    int pair[2];
    ::socketpair(30 /* AF_TIPC */, SOCK_STREAM, 0, pair);
}

} // namespace

const Deed networkDeeds[] = {
    {"connect", connectTo},    {"connect-locally", connectLocally},
    {"commands", runCommands}, {"rare-sockets", openRareSockets},
    {nullptr, nullptr},
};

} // namespace attack
