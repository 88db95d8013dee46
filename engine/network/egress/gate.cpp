// SPDX-License-Identifier: Apache-2.0
#include "engine/network/egress/gate.h"

#include "engine/network/protocols/http/httpresponse.h"

#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace glovebox::network {

namespace {

using namespace std::chrono_literals;

constexpr auto connectPatience = 10s; // an address
constexpr auto dialPatience = 20s; // all of them
constexpr std::size_t mostAddresses = 16;

std::optional<Address> addressFrom(const sockaddr *from)
{
    Address address;
    if (from && from->sa_family == AF_INET) {
        std::memcpy(address.bytes.data(), &reinterpret_cast<const sockaddr_in *>(from)->sin_addr, 4);
        return address;
    }
    if (from && from->sa_family == AF_INET6) {
        address.family = Address::Family::V6;
        std::memcpy(address.bytes.data(), &reinterpret_cast<const sockaddr_in6 *>(from)->sin6_addr, 16);
        return address;
    }
    return std::nullopt;
}

// Asked each time, as they change: nothing: they can't be told, and then nobody goes anywhere by name.
std::optional<std::vector<Address>> ownAddresses()
{
    ifaddrs *list = nullptr;
    if (::getifaddrs(&list) != 0)
        return std::nullopt;
    std::vector<Address> own;
    for (const ifaddrs *each = list; each; each = each->ifa_next) {
        if (const auto address = addressFrom(each->ifa_addr))
            own.push_back(*address);
    }
    ::freeifaddrs(list);
    return own;
}

std::vector<Address> resolve(const Host &host)
{
    if (host.address)
        return {*host.address};
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_ADDRCONFIG;
    addrinfo *list = nullptr;
    if (::getaddrinfo(host.text.c_str(), nullptr, &hints, &list) != 0)
        return {};
    std::vector<Address> found;
    for (const addrinfo *each = list; each && found.size() < mostAddresses; each = each->ai_next) {
        const auto address = addressFrom(each->ai_addr);
        if (address && std::ranges::find(found, *address) == found.end())
            found.push_back(*address);
    }
    ::freeaddrinfo(list);
    return found;
}

UniqueFd connectTo(const Address &address, std::uint16_t port, Time deadline)
{
    sockaddr_storage storage{};
    socklen_t size = 0;
    if (address.family == Address::Family::V4) {
        auto &in = reinterpret_cast<sockaddr_in &>(storage);
        in.sin_family = AF_INET;
        in.sin_port = htons(port);
        std::memcpy(&in.sin_addr, address.bytes.data(), 4);
        size = sizeof in;
    } else {
        auto &in = reinterpret_cast<sockaddr_in6 &>(storage);
        in.sin6_family = AF_INET6;
        in.sin6_port = htons(port);
        std::memcpy(&in.sin6_addr, address.bytes.data(), 16);
        size = sizeof in;
    }
    UniqueFd socket(::socket(storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    // Of a V6 socket this is for mapped addresses, the only ones of V6 that lead to a V4 listener.
    if (!socket
        || (isOfThisMachine(address)
            && ::setsockopt(socket.get(), IPPROTO_IP, IP_TTL, &hopsOfRuns, sizeof hopsOfRuns) != 0))
        return {};
    if (::connect(socket.get(), reinterpret_cast<const sockaddr *>(&storage), size) == 0)
        return socket;
    if (errno != EINPROGRESS)
        return {};
    pollfd ready{socket.get(), POLLOUT, 0};
    int error = 0;
    socklen_t length = sizeof error;
    if (::poll(&ready, 1, pollTimeout(deadline)) != 1
        || ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0)
        return {};
    return socket;
}

// The first that answers; invalid: none does.
UniqueFd connectToAny(std::span<const Address> addresses, std::uint16_t port, Time end)
{
    for (const Address &address : addresses) {
        if (UniqueFd socket = connectTo(address, port, std::min(end, within(connectPatience))))
            return socket;
    }
    return {};
}

// RFC 6761: whoever is asked for these means himself.
bool isLocalName(const Host &host)
{
    return !host.address && (host.text == "localhost" || host.text.ends_with(".localhost"));
}

// The status of the proxy's answer to CONNECT; what follows it stays pending. 0: there was none.
int askProxy(Stream &server, const Target &target, Time end)
{
    const std::string place = authority(target);
    if (!server.send("CONNECT " + place + " HTTP/1.1\r\nHost: " + place + "\r\n\r\n", end))
        return 0;
    std::size_t searched = 0;
    for (;;) {
        const auto response = parseHttpResponse(server.pending, "CONNECT", searched);
        if (response.state == ParseState::Malformed)
            return 0;
        if (response.state == ParseState::Done) {
            server.pending.erase(0, response.used);
            searched = 0;
            if (!response.value.isInterim())
                return response.value.status;
            continue;
        }
        searched = server.pending.size();
        if (server.receive(end) != Stream::Got::Bytes)
            return 0;
    }
}

} // namespace

std::string authority(const Target &target)
{
    const bool v6 = target.host.address && target.host.address->family == Address::Family::V6;
    return (v6 ? '[' + target.host.text + ']' : target.host.text) + ':' + std::to_string(target.port);
}

bool Gate::allowsSomePort(const Host &host) const
{
    return std::ranges::any_of(ports, [&](std::uint16_t port) { return allow(rules, host, port) != nullptr; });
}

Target Gate::meant(const Host &host, std::uint16_t port) const
{
    return {(host.address ? names.nameOf(*host.address) : std::nullopt).value_or(host), port};
}

Dialled Gate::dial(Way way, const Target &target) const
{
    if (!allows(target) || budget.isSpent()) {
        const Reason reason = allows(target) ? Reason::BudgetSpent : Reason::NotOnTheList;
        reporter.refused(way, reason, target);
        return {{}, reason};
    }
    Reporter::Entry entry = reporter.opened(way, target);
    // The proxy's machine is not meant by an address of this one, and a proxy here would connect as any program of the person's.
    const bool isHere = target.host.address && isOfThisMachine(*target.host.address);
    Reached found = proxy && !isHere ? reachThrough(*proxy, target) : reach(target);
    if (found.server) {
        reporter.reached(entry);
    } else {
        entry.attempt.fault = std::move(found.fault);
        reporter.ended(entry, found.reason);
    }
    return {std::move(found.server), found.reason, std::move(entry)};
}

Gate::Reached Gate::reach(const Target &target) const
{
    const auto own = ownAddresses();
    std::vector<Address> found = resolve(target.host);
    if (found.empty() || !own)
        return {{}, Reason::NotResolved, {}};
    std::erase_if(found, [&](const Address &address) { return !mayDial(rules, address, target.port, *own); });
    if (found.empty())
        return {{}, Reason::PrivateAddress, {}};
    if (UniqueFd socket = connectToAny(found, target.port, within(dialPatience)))
        return {Stream(std::move(socket)), Reason::None, {}};
    return {{}, Reason::NotReached, {}};
}

// Where a name leads to, only the proxy knows: an address is held to the rules, a name to the list.
Gate::Reached Gate::reachThrough(const Target &proxy, const Target &target)
{
    if (isLocalName(target.host))
        return {{}, Reason::PrivateAddress, {}};
    const Time end = within(dialPatience);
    Stream server(connectToAny(resolve(proxy.host), proxy.port, end));
    if (!server)
        return {{}, Reason::ProxyNotReached, {}};
    const int status = askProxy(server, target, end);
    if (status >= 200 && status < 300)
        return {std::move(server), Reason::None, {}};
    return {{}, Reason::ProxyRefused, status == 0 ? "no answer" : "HTTP " + std::to_string(status)};
}

} // namespace glovebox::network
