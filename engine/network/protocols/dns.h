// SPDX-License-Identifier: Apache-2.0
// A run's questions for names, and our answers (RFC 1035). Nothing of a question ever leaves the machine.
#pragma once

#include "engine/network/protocols/parsed.h"
#include "engine/network/rules/host.h"

namespace glovebox::network {

constexpr std::size_t dnsQueryMax = 512; // bytes; over TCP, too

constexpr std::size_t dnsFrameHead = 2; // bytes of a length before each message over TCP
constexpr std::size_t dnsFrameMax = dnsFrameHead + dnsQueryMax;

enum class DnsCode : std::uint8_t {
    NoError = 0, // without an address: there is no data of that type
    FormatError = 1,
    ServerFailure = 2,
    NoSuchName = 3,
    NotImplemented = 4,
    Refused = 5,
};

struct DnsQuery
{
    static constexpr std::uint16_t typeA = 1;
    static constexpr std::uint16_t typeAaaa = 28;

    std::uint16_t id = 0;
    std::uint16_t kept = 0; // flags that the answer repeats: opcode, recursion desired
    DnsCode verdict =
        DnsCode::NoError; // else the answer to give: FormatError, or NotImplemented (opcode or class), without an event
    std::string
        asked; // the name as text, with escapes for what isn't printable ("a\.b", "\000"), at most 1,010 characters
    std::optional<Host> name; // nothing: not a name that a rule could be about, such as _ldap._tcp or 127.0.0.1
    std::uint16_t type = 0;
    std::string question; // as sent: the answer repeats it, with the case of its letters (draft-vixie-dnsext-dns0x20)

    bool operator==(const DnsQuery &) const = default;
};

// message: one whole datagram, or the value of parseDnsFrame(). Nothing: no header, or itself an answer; it gets no reply, or two
// servers could be made to talk to each other. One question is understood, of class IN, without compression; EDNS is ignored.
std::optional<DnsQuery> parseDnsQuery(std::string_view message);

// The name that stands behind the header, as DnsQuery::asked, however wrong the rest of the message is. Empty: none can be read there,
// or the root's.
std::string askedName(std::string_view message);

// A message within a TCP connection (RFC 1035 section 4.2.2); the view is into bytes. More than dnsQueryMax is malformed.
Parsed<std::string_view> parseDnsFrame(std::string_view bytes);

// address: V4, only with NoError. The result has at most 512 bytes.
std::string dnsAnswer(const DnsQuery &query, DnsCode code, const std::optional<Address> &address = {},
                      std::uint32_t seconds = 0);
std::string dnsFrame(std::string_view message);

} // namespace glovebox::network
