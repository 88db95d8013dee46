// SPDX-License-Identifier: Apache-2.0
#include "listeners.h"

#include "engine/launcher/packet.h"
#include "engine/launcher/protocol.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace glovebox::launcher {

namespace {

constexpr int backlog = 128;
constexpr std::uint16_t firstFreePort = 1024;
constexpr std::size_t atOnce = 8; // descriptors in a packet

std::string failed(const std::string &what, int error)
{
    return what + ": " + ::strerrordesc_np(error);
}

// `ip route add local default dev lo`: whatever is dialled arrives here. Error 0 is the kernel's word that it is done.
int routeFamilyHere(int netlink, unsigned char family, unsigned loopback)
{
    struct
    {
        nlmsghdr header;
        rtmsg route;
        rtattr attribute;
        unsigned device;
    } request{};
    request.header.nlmsg_len = sizeof request;
    request.header.nlmsg_type = RTM_NEWROUTE;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;
    request.route.rtm_family = family;
    request.route.rtm_table = RT_TABLE_LOCAL;
    request.route.rtm_protocol = RTPROT_BOOT;
    request.route.rtm_scope = family == AF_INET ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE;
    request.route.rtm_type = RTN_LOCAL;
    request.attribute.rta_type = RTA_OIF;
    request.attribute.rta_len = RTA_LENGTH(sizeof request.device);
    request.device = loopback;
    if (::send(netlink, &request, sizeof request, 0) != static_cast<ssize_t>(sizeof request))
        return errno;
    struct
    {
        nlmsghdr header;
        nlmsgerr error;
        std::array<char, 256> rest;
    } answer{};
    if (::recv(netlink, &answer, sizeof answer, 0) < static_cast<ssize_t>(sizeof answer.header + sizeof(int))
        || answer.header.nlmsg_type != NLMSG_ERROR)
        return EPROTO;
    return -answer.error.error;
}

bool isInternet6Here()
{
    return bool(UniqueFd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)));
}

UniqueFd open(const InnerListener &wanted)
{
    const int type = (wanted.datagram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC;
    sockaddr_storage storage{};
    socklen_t size = sizeof(sockaddr_in);
    UniqueFd socket(wanted.everywhere ? ::socket(AF_INET6, type, 0) : -1);
    if (socket) {
        // Of both families.
        const int off = 0;
        ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
        auto &in = reinterpret_cast<sockaddr_in6 &>(storage);
        in.sin6_family = AF_INET6;
        in.sin6_port = htons(wanted.port);
        size = sizeof in;
    } else {
        socket.reset(::socket(AF_INET, type, 0));
        auto &in = reinterpret_cast<sockaddr_in &>(storage);
        in.sin_family = AF_INET;
        in.sin_port = htons(wanted.port);
        in.sin_addr.s_addr = htonl(wanted.everywhere ? INADDR_ANY : INADDR_LOOPBACK);
    }
    if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr *>(&storage), size) < 0
        || (!wanted.datagram && ::listen(socket.get(), backlog) < 0))
        return {};
    return socket;
}

} // namespace

std::string routeEverythingHere()
{
    const UniqueFd netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    const unsigned loopback = ::if_nametoindex("lo");
    if (!netlink || loopback == 0)
        return failed("netlink", errno);
    if (const int error = routeFamilyHere(netlink.get(), AF_INET, loopback))
        return failed("route of all addresses", error);
    if (const int error = isInternet6Here() ? routeFamilyHere(netlink.get(), AF_INET6, loopback) : 0)
        return failed("route of all IPv6 addresses", error);
    return {};
}

std::string openListeners(const Plan &plan, bool withPrivilege, int report)
{
    std::vector<UniqueFd> sockets;
    std::string places;
    const auto send = [&] {
        std::vector<int> list;
        list.reserve(sockets.size());
        for (const UniqueFd &socket : sockets)
            list.push_back(socket.get());
        const int error =
            sendPacket(report, Writer().put(Message::Listeners).put(std::string_view(places)).bytes(), list);
        sockets.clear();
        places.clear();
        return error;
    };
    for (std::size_t i = 0; i < plan.listeners.size(); ++i) {
        const InnerListener &wanted = plan.listeners[i];
        if (!withPrivilege && (wanted.everywhere || wanted.port < firstFreePort))
            continue;
        UniqueFd socket = open(wanted);
        if (!socket)
            return failed("port " + std::to_string(wanted.port), errno);
        sockets.push_back(std::move(socket));
        places.push_back(static_cast<char>(i));
        if (const int error = sockets.size() == atOnce ? send() : 0)
            return failed("send", error);
    }
    if (const int error = sockets.empty() ? 0 : send())
        return failed("send", error);
    return {};
}

std::string openConnectors(const Plan &plan, int report)
{
    const bool hasInternet6 = plan.connectors > 0 && isInternet6Here();
    for (std::uint64_t made = 0; made < plan.connectors;) {
        std::vector<UniqueFd> sockets;
        for (; made < plan.connectors && sockets.size() < atOnce; ++made) {
            sockets.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
            if (sockets.back() && hasInternet6)
                sockets.emplace_back(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
            if (!sockets.back())
                return failed("connectors", errno);
        }
        if (const int error = sendPacket(report, Writer().put(Message::Connectors).bytes(), numbers(sockets)))
            return failed("send", error);
    }
    return {};
}

} // namespace glovebox::launcher
