// SPDX-License-Identifier: Apache-2.0
// Bytes on the sockets and in the sealed memfds between engine, spawner and init: little-endian integers and
// length-prefixed strings. Both ends are always of one version (protocol.h), so there is no schema evolution.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace glovebox::launcher {

class Writer
{
public:
    template<typename T>
        requires(std::is_integral_v<T> || std::is_enum_v<T>)
    Writer &put(T value)
    {
        m_bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
        return *this;
    }
    Writer &put(std::string_view text)
    {
        put(static_cast<std::uint32_t>(text.size()));
        m_bytes.append(text);
        return *this;
    }
    template<typename T> Writer &put(const std::optional<T> &value)
    {
        return put(std::uint8_t(value.has_value())).put(value.value_or(T{}));
    }
    template<typename T> Writer &put(const std::vector<T> &list)
    {
        put(static_cast<std::uint32_t>(list.size()));
        for (const T &item : list)
            putItem(item);
        return *this;
    }

    const std::string &bytes() const { return m_bytes; }

private:
    void putItem(const std::string &item) { put(std::string_view(item)); }
    template<typename T> void putItem(const T &item) { item.write(*this); }

    std::string m_bytes;
};

// Every get() past the end gives an empty value and makes ok() false for good; check it once at the end.
class Reader
{
public:
    explicit Reader(std::string_view bytes)
        : m_rest(bytes)
    {
    }

    template<typename T>
        requires(std::is_integral_v<T> || std::is_enum_v<T>)
    void get(T &value)
    {
        value = T{};
        if (!take(sizeof value))
            return;
        m_taken.copy(reinterpret_cast<char *>(&value), sizeof value);
    }
    void get(std::string &text)
    {
        std::uint32_t size = 0;
        get(size);
        text.clear();
        if (take(size))
            text = m_taken;
    }
    // The same without a copy; valid as long as the bytes that are read.
    void get(std::string_view &text)
    {
        std::uint32_t size = 0;
        get(size);
        text = take(size) ? m_taken : std::string_view();
    }
    template<typename T> void get(std::optional<T> &value)
    {
        std::uint8_t isKnown = 0;
        get(isKnown);
        get(value.emplace());
        if (!isKnown || !m_ok)
            value.reset();
    }
    template<typename T> void get(std::vector<T> &list)
    {
        std::uint32_t size = 0;
        get(size);
        list.clear();
        while (m_ok && size-- > 0)
            getItem(list.emplace_back());
    }

    bool ok() const { return m_ok; }
    bool done() const { return m_ok && m_rest.empty(); }

private:
    void getItem(std::string &item) { get(item); }
    template<typename T> void getItem(T &item) { item.read(*this); }
    bool take(std::size_t size)
    {
        if (!m_ok || size > m_rest.size()) {
            m_ok = false;
            return false;
        }
        m_taken = m_rest.substr(0, size);
        m_rest.remove_prefix(size);
        return true;
    }

    std::string_view m_rest;
    std::string_view m_taken;
    bool m_ok = true;
};

} // namespace glovebox::launcher
