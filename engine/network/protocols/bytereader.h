// SPDX-License-Identifier: Apache-2.0
// Takes numbers and pieces from the front of bytes, big-endian; past their end it gives nothing and remembers so.
#pragma once

#include <cstdint>
#include <string_view>

namespace glovebox::network {

class ByteReader
{
public:
    explicit ByteReader(std::string_view bytes)
        : m_bytes(bytes)
    {
    }

    std::string_view take(std::size_t count)
    {
        if (m_failed || count > m_bytes.size() - m_at) {
            m_failed = true;
            return {};
        }
        m_at += count;
        return m_bytes.substr(m_at - count, count);
    }

    std::uint32_t number(int width)
    {
        std::uint32_t value = 0;
        for (const char byte : take(static_cast<std::size_t>(width)))
            value = value << 8 | static_cast<unsigned char>(byte);
        return value;
    }

    std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
    std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }

    bool failed() const { return m_failed; }
    bool atEnd() const { return m_at == m_bytes.size(); }
    std::size_t used() const { return m_at; }

private:
    std::string_view m_bytes;
    std::size_t m_at = 0;
    bool m_failed = false;
};

} // namespace glovebox::network
