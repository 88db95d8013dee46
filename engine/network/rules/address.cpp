// SPDX-License-Identifier: Apache-2.0
// One table of ranges; the first that holds an address names its kind.
#include "engine/network/rules/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <span>

namespace glovebox::network {

namespace {

struct Range
{
    std::array<std::uint8_t, 16> start;
    int bits;
    AddressKind kind;
};

using Kind = AddressKind;

constexpr Range v4Ranges[] = {
    {{169, 254, 169, 254}, 32, Kind::Metadata}, // most clouds
    {{169, 254, 170, 2}, 32, Kind::Metadata}, // containers of AWS
    {{100, 100, 100, 200}, 32, Kind::Metadata}, // Alibaba
    {{168, 63, 129, 16}, 32, Kind::Metadata}, // Azure: looks public, is the host
    {{192, 0, 0, 192}, 32, Kind::Metadata}, // Oracle
    {{0}, 8, Kind::Unspecified}, // Linux takes 0.0.0.0 for loopback
    {{10}, 8, Kind::Private},
    {{100, 64}, 10, Kind::Shared},
    {{127}, 8, Kind::Loopback},
    {{169, 254}, 16, Kind::LinkLocal},
    {{172, 16}, 12, Kind::Private},
    {{192, 0, 0}, 24, Kind::Reserved},
    {{192, 88, 99}, 24, Kind::Embedded}, // relays of 6to4
    {{192, 168}, 16, Kind::Private},
    {{198, 18}, 15, Kind::Reserved}, // where a run's own names are
    {{224}, 4, Kind::Multicast},
    {{240}, 4, Kind::Reserved},
};

constexpr Range v6Ranges[] = {
    {{0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}, 128, Kind::Metadata}, // AWS
    {{}, 128, Kind::Unspecified},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, Kind::Loopback},
    {{}, 96, Kind::Embedded}, // ::1.2.3.4
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, Kind::Embedded}, // ::ffff:1.2.3.4
    {{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, Kind::Embedded}, // ::ffff:0:1.2.3.4 (RFC 2765)
    {{0, 0x64, 0xff, 0x9b}, 96, Kind::Embedded}, // NAT64
    {{0, 0x64, 0xff, 0x9b, 0, 1}, 48, Kind::Embedded}, // NAT64 of one's own (RFC 8215)
    {{0x20, 0x02}, 16, Kind::Embedded}, // 6to4
    {{0x20, 0x01}, 32, Kind::Embedded}, // Teredo
    {{0x20, 0x01}, 23, Kind::Reserved}, // other protocols' addresses
    {{0xfc}, 7, Kind::Private},
    {{0xfe, 0x80}, 10, Kind::LinkLocal},
    {{0xfe, 0xc0}, 10, Kind::Private}, // site-local, deprecated, still routed by some
    {{0xff}, 8, Kind::Multicast},
    {{0x20}, 3, Kind::Public},
    {{}, 0, Kind::Reserved}, // all that was never given to anybody
};

bool holds(const Range &range, const Address &address)
{
    const auto whole = static_cast<std::size_t>(range.bits / 8);
    if (!std::equal(range.start.begin(), range.start.begin() + static_cast<std::ptrdiff_t>(whole),
                    address.bytes.begin()))
        return false;
    if (range.bits % 8 == 0)
        return true;
    const int mask = 0xff << (8 - range.bits % 8) & 0xff;
    return (range.start[whole] & mask) == (address.bytes[whole] & mask);
}

AddressKind find(std::span<const Range> ranges, const Address &address)
{
    const auto range = std::ranges::find_if(ranges, [&](const Range &each) { return holds(each, address); });
    return range == ranges.end() ? Kind::Public : range->kind;
}

} // namespace

std::optional<Address> addressFromText(std::string_view text)
{
    if (text.size() >= INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos)
        return std::nullopt;
    const std::string terminated(text);
    Address address;
    if (text.find(':') == std::string_view::npos) {
        if (inet_pton(AF_INET, terminated.c_str(), address.bytes.data()) != 1)
            return std::nullopt;
        return address;
    }
    address.family = Address::Family::V6;
    if (inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) != 1)
        return std::nullopt;
    return address;
}

std::string toText(const Address &address)
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(address.family == Address::Family::V4 ? AF_INET : AF_INET6, address.bytes.data(), text.data(),
              text.size());
    return text.data();
}

AddressKind kindOf(const Address &address)
{
    return address.family == Address::Family::V4 ? find(v4Ranges, address) : find(v6Ranges, address);
}

bool isOfThisMachine(const Address &address)
{
    switch (kindOf(address)) {
    case AddressKind::Loopback:
    case AddressKind::Unspecified:
    case AddressKind::Embedded: // may carry 127.0.0.1
        return true;
    default:
        return false;
    }
}

} // namespace glovebox::network
