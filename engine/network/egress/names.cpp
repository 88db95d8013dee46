// SPDX-License-Identifier: Apache-2.0
#include "engine/network/egress/names.h"

namespace glovebox::network {

bool Names::isOurs(const Address &address)
{
    return address.family == Address::Family::V4 && address.bytes[0] == 198 && (address.bytes[1] & 0xfe) == 18;
}

std::optional<Address> Names::addressOf(const Host &name)
{
    const std::scoped_lock lock(m_mutex);
    auto place = m_places.find(name.text);
    if (place == m_places.end()) {
        if (m_names.size() >= most)
            return std::nullopt;
        place = m_places.emplace(name.text, m_names.size()).first;
        m_names.push_back(name);
    }
    const std::size_t number = place->second + 1;
    Address address;
    address.bytes = {198, 18, static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number & 0xff)};
    return address;
}

std::optional<Host> Names::nameOf(const Address &address) const
{
    if (!isOurs(address) || address.bytes[1] != 18)
        return std::nullopt;
    const std::size_t number = std::size_t{address.bytes[2]} << 8 | address.bytes[3];
    const std::scoped_lock lock(m_mutex);
    if (number == 0 || number > m_names.size())
        return std::nullopt;
    return m_names[number - 1];
}

} // namespace glovebox::network
