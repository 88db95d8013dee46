// SPDX-License-Identifier: Apache-2.0
// The one form in which a host is compared: what a rule says and what a run asks for both come through here.
#pragma once

#include "engine/network/rules/address.h"

#include <expected>

namespace glovebox::network {

struct Host
{
    std::string text; // lower case, no trailing dot; an address in its canonical form, without brackets
    std::optional<Address> address; // nothing: a name

    bool operator==(const Host &) const = default;
};

enum class HostFault {
    Empty,
    TooLong, // more than 253 characters, or 63 in a label (RFC 1035)
    NotAscii,
    BadCharacter, // anything but letters, digits, hyphens and dots: spaces, NUL, CR, LF, %, _, @, /
    BadLabel, // an empty label; a hyphen at its start or end, or as its third and fourth character without "xn"
    NumericSpelling, // would be read as an address by some programs: 0177.0.0.1, 0x7f.1, 2130706433, 1.2.3
    BadAddress, // with a colon, and no V6 address; or one with a zone
    EmbeddedAddress, // a V6 spelling of a V4 address: only the V4 spelling is taken
};

// text: a name, a V4 address, or a V6 address with or without brackets. Never looks anything up.
std::expected<Host, HostFault> canonicalHost(std::string_view text);

} // namespace glovebox::network
