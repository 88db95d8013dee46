// SPDX-License-Identifier: Apache-2.0
// Bytes on the sockets and in the sealed memfds between engine, spawner and init: little-endian integers and
// length-prefixed strings. Both ends are always of one version (protocol.h), so there is no schema evolution.
#pragma once

#include "engine/base/enumnames.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace glovebox::launcher {

template<typename T>
concept Scalar = std::is_integral_v<T> || std::is_enum_v<T>;

struct AnyArchive
{
    void operator()(const auto &...) { }
};

// A struct that names its fields once, for both directions:
//
//   static void fields(auto &self, auto &archive) { archive(self.kind, self.target); }
template<typename T>
concept Record = requires(T &record, AnyArchive &archive) { T::fields(record, archive); };

class Writer
{
public:
    virtual ~Writer() = default;

    template<Scalar T> Writer &put(T value)
    {
        append({reinterpret_cast<const char *>(&value), sizeof value});
        return *this;
    }
    Writer &put(std::string_view text)
    {
        put(static_cast<std::uint32_t>(text.size()));
        append(text);
        return *this;
    }
    template<typename T> Writer &put(const std::optional<T> &value)
    {
        put(std::uint8_t(value.has_value()));
        return value ? put(*value) : *this;
    }
    template<Record T> Writer &put(const T &record)
    {
        T::fields(record, *this);
        return *this;
    }
    template<typename T> Writer &put(const std::vector<T> &list)
    {
        put(static_cast<std::uint32_t>(list.size()));
        return putAll(list);
    }
    template<typename T, std::size_t count> Writer &put(const std::array<T, count> &list) { return putAll(list); }

    void operator()(const auto &...fields) { (put(fields), ...); }

    const std::string &bytes() const { return m_bytes; }

private:
    virtual void append(std::string_view bytes) { m_bytes.append(bytes); }
    Writer &putAll(const auto &list)
    {
        for (const auto &item : list)
            put(item);
        return *this;
    }

    std::string m_bytes;
};

// Every get() past the end, and of an enum with names a value that has none, gives an empty value and makes ok() false for
// good; check it once at the end.
class Reader
{
public:
    explicit Reader(std::string_view bytes)
        : m_rest(bytes)
    {
    }

    template<Scalar T> void get(T &value)
    {
        value = T{};
        if (!take(sizeof value))
            return;
        T taken{};
        m_taken.copy(reinterpret_cast<char *>(&taken), sizeof taken);
        if constexpr (NamedEnum<T>) {
            if (enumName(taken).empty()) {
                m_ok = false;
                return;
            }
        }
        value = taken;
    }
    void get(std::string &text)
    {
        std::string_view taken;
        get(taken);
        text = taken;
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
        m_ok = m_ok && isKnown <= 1;
        value.reset();
        if (isKnown && m_ok)
            get(value.emplace());
        if (!m_ok)
            value.reset();
    }
    template<Record T> void get(T &record) { T::fields(record, *this); }
    template<typename T> void get(std::vector<T> &list)
    {
        std::uint32_t size = 0;
        get(size);
        list.clear();
        while (m_ok && size-- > 0)
            get(list.emplace_back());
    }
    template<typename T, std::size_t count> void get(std::array<T, count> &list)
    {
        for (T &item : list)
            get(item);
    }

    void operator()(auto &...fields) { (get(fields), ...); }

    bool ok() const { return m_ok; }
    bool done() const { return m_ok && m_rest.empty(); }

private:
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
