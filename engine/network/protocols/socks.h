// SPDX-License-Identifier: Apache-2.0
// SOCKS5 as a run speaks it (RFC 1928): no authentication; only CONNECT is to be granted.
#pragma once

#include "engine/network/protocols/parsed.h"
#include "engine/network/rules/host.h"

namespace glovebox::network {

struct SocksGreeting
{
    bool withoutPassword = false; // method 0 is offered

    bool operator==(const SocksGreeting &) const = default;
};

struct SocksRequest
{
    enum class Command : std::uint8_t { Connect = 1, Bind = 2, UdpAssociate = 3 };
    Command command = Command::Connect;
    Host host; // a name is to be resolved by us
    std::uint16_t port = 0;

    bool operator==(const SocksRequest &) const = default;
};

// Limits: 257 and 262 bytes. A host without a canonical form is malformed; so is port 0, if something is to be connected.
Parsed<SocksGreeting> parseSocksGreeting(std::string_view bytes);
Parsed<SocksRequest> parseSocksRequest(std::string_view bytes);

enum class SocksReply : std::uint8_t {
    Succeeded,
    Failed,
    NotAllowed,
    NetworkUnreachable,
    HostUnreachable,
    Refused,
    TimedOut, // "TTL expired", which is what clients take for it
    CommandNotSupported,
};

std::string socksMethodReply(bool accepted); // to the greeting: method 0, or none of those
std::string socksReply(SocksReply reply); // bound address 0.0.0.0:0: a run is told nothing of ours

} // namespace glovebox::network
