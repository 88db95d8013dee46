// SPDX-License-Identifier: Apache-2.0
// IP addresses, and which of them no allowed name may lead to.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glovebox::network {

struct Address
{
    enum class Family { V4, V6 };
    Family family = Family::V4;
    std::array<std::uint8_t, 16> bytes{}; // network order; V4 uses the first four, the rest is zero

    bool operator==(const Address &) const = default;
};

// Only "1.2.3.4" without leading zeros, and RFC 4291 text without brackets and zone: what inet_aton takes besides (decimal,
// octal, hexadecimal, short forms) is no address.
std::optional<Address> addressFromText(std::string_view text);
std::string toText(const Address &address); // canonical: RFC 5952 for V6

// Why an address isn't a place on the public internet (IANA's special-purpose registries, and addresses of cloud metadata).
enum class AddressKind {
    Public,
    Unspecified, // 0/8, ::
    Loopback,
    Private, // RFC 1918, fc00::/7
    LinkLocal,
    Metadata,
    Shared, // 100.64/10
    Multicast,
    Reserved, // what is routed nowhere, or to nobody in particular
    Embedded, // a V6 address that carries a V4 one: mapped, compatible, NAT64, 6to4, Teredo
};

AddressKind kindOf(const Address &address);

// Leads to this machine itself, without being its address in a network: 0.0.0.0, too, which the kernel takes for 127.0.0.1.
bool isOfThisMachine(const Address &address);

// Hops that packets of runs may take from such an address: more than a firewall's way to a container has, and fewer than systems
// give by themselves (64). Who listens there, and is out of the reach of runs, takes none that have so few left (RFC 5082).
inline constexpr int hopsOfRuns = 16;

} // namespace glovebox::network
