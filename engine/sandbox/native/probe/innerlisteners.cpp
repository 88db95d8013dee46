// SPDX-License-Identifier: Apache-2.0
#include "innerlisteners.h"

#include <netinet/in.h>
#include <sys/socket.h>

namespace glovebox::native {

namespace {

constexpr std::size_t mostListeners = 128;

// Of the network that a socket is in; never used again while the machine is up. 0: unknown.
std::uint64_t networkOf(const UniqueFd &socket)
{
    std::uint64_t cookie = 0;
    socklen_t size = sizeof cookie;
    return ::getsockopt(socket.get(), SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

int optionOf(const UniqueFd &socket, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    return ::getsockopt(socket.get(), SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

bool isAsWanted(const UniqueFd &socket, const InnerSocket &wanted)
{
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    const int type = optionOf(socket, SO_TYPE);
    const int listens = optionOf(socket, SO_ACCEPTCONN);
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr *>(&storage), &size) != 0 || listens < 0)
        return false;
    const auto port = storage.ss_family == AF_INET ? reinterpret_cast<const sockaddr_in &>(storage).sin_port
                                                   : reinterpret_cast<const sockaddr_in6 &>(storage).sin6_port;
    return ntohs(port) == wanted.port && type == (wanted.datagram ? SOCK_DGRAM : SOCK_STREAM)
           && (listens != 0) != wanted.datagram;
}

} // namespace

bool InnerListeners::add(launcher::Reader &in, std::vector<UniqueFd> &descriptors)
{
    std::string places;
    in.get(places);
    if (!in.done() || places.size() != descriptors.size())
        return false;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto place = static_cast<unsigned char>(places[i]);
        if (place >= mostListeners)
            return false;
        if (place >= sockets.size())
            sockets.resize(place + std::size_t{1});
        sockets[place] = std::move(descriptors[i]);
    }
    return true;
}

launcher::Finding InnerListeners::check(const QList<InnerSocket> &wanted)
{
    using State = launcher::Finding::State;
    launcher::Finding finding{ControlId::EgressListeners, State::Missing, {}};
    const UniqueFd outside(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const std::uint64_t ours = networkOf(outside);
    if (networkCookie == 0 || ours == 0 || networkCookie == ours) {
        finding.detail = "the run's network can't be told from this machine's";
        return finding;
    }
    sockets.resize(static_cast<std::size_t>(wanted.size()));
    int there = 0;
    for (std::size_t i = 0; i < sockets.size(); ++i) {
        const InnerSocket &socket = wanted.at(static_cast<qsizetype>(i));
        if (!sockets[i])
            continue;
        if (networkOf(sockets[i]) != networkCookie || !isAsWanted(sockets[i], socket)) {
            finding.detail = "port " + std::to_string(socket.port) + " is not in the run's network";
            return finding;
        }
        ++there;
    }
    finding.state = there == wanted.size() ? State::AsPlanned : there > 0 ? State::Weaker : State::Missing;
    finding.detail = finding.state == State::AsPlanned
                         ? std::to_string(there) + " sockets, all in the run's own network"
                         : "only for programs that use a proxy: this builder can't have low ports and routes";
    return finding;
}

std::vector<Connector> InnerListeners::connectors(std::vector<UniqueFd> descriptors) const
{
    const UniqueFd outside(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    std::vector<Connector> all;
    for (UniqueFd &descriptor : descriptors) {
        const int family = optionOf(descriptor, SO_DOMAIN);
        if (networkCookie == 0 || networkCookie == networkOf(outside) || networkOf(descriptor) != networkCookie
            || optionOf(descriptor, SO_PROTOCOL) != IPPROTO_TCP || optionOf(descriptor, SO_ACCEPTCONN) != 0)
            return {};
        if (family == AF_INET)
            all.push_back({.internet = std::move(descriptor), .internet6 = {}});
        else if (family == AF_INET6 && !all.empty() && !all.back().internet6)
            all.back().internet6 = std::move(descriptor);
        else
            return {};
    }
    return all;
}

QList<InnerSocket> InnerListeners::those(const QList<InnerSocket> &wanted) const
{
    QList<InnerSocket> there;
    for (std::size_t i = 0; i < sockets.size() && i < static_cast<std::size_t>(wanted.size()); ++i) {
        if (sockets[i])
            there.append(wanted.at(static_cast<qsizetype>(i)));
    }
    return there;
}

} // namespace glovebox::native
