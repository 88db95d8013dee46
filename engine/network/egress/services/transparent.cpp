// SPDX-License-Identifier: Apache-2.0
// Connections of programs that know nothing of proxies: every address leads to us, and the one that was dialled says to whom.
#include "engine/network/egress/services/services.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

namespace glovebox::network {

namespace {

struct Place
{
    Address address;
    std::uint16_t port = 0;
};

// What the run dialled.
std::optional<Place> placeOf(const Stream &run)
{
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    if (::getsockname(run.socket(), reinterpret_cast<sockaddr *>(&storage), &size) != 0)
        return std::nullopt;
    Place place;
    if (storage.ss_family == AF_INET) {
        const auto &in = reinterpret_cast<const sockaddr_in &>(storage);
        std::memcpy(place.address.bytes.data(), &in.sin_addr, 4);
        place.port = ntohs(in.sin_port);
        return place;
    }
    const auto &in = reinterpret_cast<const sockaddr_in6 &>(storage);
    place.port = ntohs(in.sin6_port);
    if (IN6_IS_ADDR_V4MAPPED(&in.sin6_addr)) {
        std::memcpy(place.address.bytes.data(), in.sin6_addr.s6_addr + 12, 4);
    } else {
        place.address.family = Address::Family::V6;
        std::memcpy(place.address.bytes.data(), in.sin6_addr.s6_addr, 16);
    }
    return place;
}

} // namespace

void serveTransparent(Stream run, Gate &gate)
{
    const auto place = placeOf(run);
    if (!place)
        return;
    const Target target = gate.meant({toText(place->address), place->address}, place->port);
    if (target.host.address && Names::isOurs(place->address)) {
        gate.reporter.refused(Way::Direct, Reason::UnknownAddress, target);
        return;
    }
    if (!gate.allows(target) && kindOf(place->address) == AddressKind::Loopback)
        return; // meant for the run itself
    Dialled dialled = gate.dial(Way::Direct, target);
    if (dialled.server)
        serveTunnel(run, dialled, target, Way::Direct, gate);
}

} // namespace glovebox::network
