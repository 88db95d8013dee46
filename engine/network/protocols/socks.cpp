// SPDX-License-Identifier: Apache-2.0
// Each message says its own length within its first five bytes; they are judged in their order.
#include "engine/network/protocols/socks.h"

#include "engine/network/protocols/bytereader.h"

#include <algorithm>

namespace glovebox::network {

namespace {

constexpr std::uint8_t version = 5;

// What an address is, in its first byte.
constexpr std::uint8_t v4Type = 1;
constexpr std::uint8_t nameType = 3;
constexpr std::uint8_t v6Type = 4;

Address addressFromBytes(Address::Family family, std::string_view bytes)
{
    Address address{family, {}};
    std::ranges::transform(bytes, address.bytes.begin(), [](char byte) { return static_cast<std::uint8_t>(byte); });
    return address;
}

} // namespace

Parsed<SocksGreeting> parseSocksGreeting(std::string_view bytes)
{
    ByteReader reader(bytes);
    if (reader.u8() != version && !reader.failed())
        return Malformed{"not SOCKS5"};
    const std::size_t count = reader.u8();
    if (count == 0 && !reader.failed())
        return Malformed{"no SOCKS method offered"};
    const std::string_view methods = reader.take(count);
    if (reader.failed())
        return {};
    return done(SocksGreeting{methods.find('\0') != std::string_view::npos}, reader.used());
}

Parsed<SocksRequest> parseSocksRequest(std::string_view bytes)
{
    ByteReader reader(bytes);
    if (reader.u8() != version && !reader.failed())
        return Malformed{"not a request of SOCKS5"};
    const std::uint8_t number = reader.u8();
    if (reader.failed())
        return {};
    if (number < 1 || number > 3)
        return Malformed{"unknown SOCKS command"};
    if (reader.u8() != 0 && !reader.failed())
        return Malformed{"reserved byte of SOCKS in use"};
    const std::uint8_t type = reader.u8();
    if (reader.failed())
        return {};
    const auto command = static_cast<SocksRequest::Command>(number);

    std::string hostText;
    switch (type) {
    case v4Type:
        hostText = toText(addressFromBytes(Address::Family::V4, reader.take(4)));
        break;
    case v6Type:
        hostText = toText(addressFromBytes(Address::Family::V6, reader.take(16)));
        break;
    case nameType:
        hostText = reader.take(reader.u8());
        break;
    default:
        return Malformed{"unknown SOCKS address type"};
    }
    const std::uint16_t port = reader.u16();
    if (reader.failed())
        return {};
    auto host = canonicalHost(hostText);
    if (!host)
        return Malformed{"no valid host"};
    if (port == 0 && command == SocksRequest::Command::Connect)
        return Malformed{"port 0"};
    return done(SocksRequest{command, *std::move(host), port}, reader.used());
}

std::string socksMethodReply(bool accepted)
{
    return {static_cast<char>(version), accepted ? '\0' : '\xff'};
}

std::string socksReply(SocksReply reply)
{
    std::string bytes(10, '\0');
    bytes[0] = static_cast<char>(version);
    bytes[1] = static_cast<char>(reply);
    bytes[3] = static_cast<char>(v4Type);
    return bytes;
}

} // namespace glovebox::network
