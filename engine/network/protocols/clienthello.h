// SPDX-License-Identifier: Apache-2.0
// The name that a TLS client asks for, before anything is encrypted (RFC 8446 section 4.1.2, RFC 6066 section 3).
#pragma once

#include "engine/network/protocols/parsed.h"
#include "engine/network/rules/host.h"

namespace glovebox::network {

constexpr std::size_t clientHelloMax = std::size_t{16} * 1024; // bytes as sent; post-quantum hellos have about 2 kB
constexpr int clientHelloRecordsMax = 64; // a hello in crumbs would be looked through again with each

// Of the record layer (RFC 8446 section 5.1) and of a handshake's messages (section 4).
constexpr char tlsHandshake = 22; // types of records
constexpr char tlsAlert = 21;
constexpr char tlsVersion = 3; // the major one, in a record's second byte
constexpr char tlsClientHello = 1; // type of a message
constexpr char tlsWarning = 1; // level of an alert
constexpr std::size_t tlsRecordHeader = 5; // bytes
constexpr std::size_t tlsMessageHeader = 4;

struct ClientHello
{
    std::optional<Host> serverName; // the outer one; nothing: none was sent

    bool operator==(const ClientHello &) const = default;
};

// Whether some server may take what a client says first for a TLS handshake: Java's takes a hello in records of any version, Go's
// also a warning before it. At least one byte; of fewer than six, whether it may become one.
bool looksLikeTls(std::string_view bytes);

// bytes: what the client sent so far; the hello may be spread over several records. Anything that isn't TLS is malformed at its
// first wrong byte. So is a server name that is there twice, an address, or no host. An encrypted hello's inner name can't be
// seen; browsers send that extension at random (GREASE), so it alone is no fault.
Parsed<ClientHello> parseClientHello(std::string_view bytes);

} // namespace glovebox::network
