// SPDX-License-Identifier: Apache-2.0
// A name of letters, digits and hyphens, or an address that every program reads the same way.
#include "engine/network/rules/host.h"

#include <algorithm>

namespace glovebox::network {

namespace {

constexpr std::size_t longestName = 253;
constexpr std::size_t longestLabel = 63;

// Own ones: the C library's depend on the locale.
bool isHostDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isHexDigit(char c)
{
    return isHostDigit(c) || (c >= 'a' && c <= 'f');
}

bool isLowerLdh(char c)
{
    return isHostDigit(c) || (c >= 'a' && c <= 'z') || c == '-';
}

char lowered(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// A number as the last label makes inet_aton and browsers (WHATWG URL, "ends in a number") read an address.
bool isNumber(std::string_view label)
{
    return std::ranges::all_of(label, isHostDigit)
           || (label.starts_with("0x") && std::ranges::all_of(label.substr(2), isHexDigit));
}

std::optional<HostFault> faultOf(std::string_view label)
{
    if (label.empty() || label.front() == '-' || label.back() == '-')
        return HostFault::BadLabel;
    if (label.size() > longestLabel)
        return HostFault::TooLong;
    if (label.size() >= 4 && label.substr(2, 2) == "--" && (!label.starts_with("xn") || label.size() == 4))
        return HostFault::BadLabel;
    return std::nullopt;
}

std::expected<Host, HostFault> v6Host(std::string_view text)
{
    const std::optional<Address> address = addressFromText(text);
    if (!address || address->family != Address::Family::V6)
        return std::unexpected(HostFault::BadAddress);
    if (kindOf(*address) == AddressKind::Embedded)
        return std::unexpected(HostFault::EmbeddedAddress);
    return Host{toText(*address), address};
}

} // namespace

std::expected<Host, HostFault> canonicalHost(std::string_view text)
{
    if (text.empty())
        return std::unexpected(HostFault::Empty);
    if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) > 0x7f; }))
        return std::unexpected(HostFault::NotAscii);
    if (text.front() == '[') {
        if (text.size() < 2 || text.back() != ']')
            return std::unexpected(HostFault::BadAddress);
        return v6Host(text.substr(1, text.size() - 2));
    }
    if (text.find(':') != std::string_view::npos)
        return v6Host(text);

    if (const std::optional<Address> address = addressFromText(text))
        return Host{toText(*address), address};
    std::string name(text);
    std::ranges::transform(name, name.begin(), lowered);
    if (!std::ranges::all_of(name, [](char c) { return isLowerLdh(c) || c == '.'; }))
        return std::unexpected(HostFault::BadCharacter);
    if (name.back() == '.') // the root's; it names the same host
        name.pop_back();
    if (name.size() > longestName)
        return std::unexpected(HostFault::TooLong);
    std::string_view rest = name;
    while (true) {
        const std::size_t dot = rest.find('.');
        const std::string_view label = rest.substr(0, dot);
        if (const auto fault = faultOf(label))
            return std::unexpected(*fault);
        if (dot == std::string_view::npos) {
            if (isNumber(label))
                return std::unexpected(HostFault::NumericSpelling);
            return Host{name, std::nullopt};
        }
        rest.remove_prefix(dot + 1);
    }
}

} // namespace glovebox::network
