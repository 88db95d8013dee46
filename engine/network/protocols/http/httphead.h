// SPDX-License-Identifier: Apache-2.0
// What heads of requests and responses have in common (RFC 9112): lines, fields, and where the body ends. Read without mercy:
// whatever two programs could read in two ways is malformed, so that no request can hide in another one.
#pragma once

#include "engine/network/protocols/parsed.h"

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace glovebox::network {

constexpr std::size_t httpHeadMax = std::size_t{32} * 1024; // bytes, first line and the empty one included
constexpr std::size_t httpFieldsMax = 128;
constexpr std::size_t httpMethodMax = 32;

struct HttpField
{
    std::string name; // as sent
    std::string value; // without blanks around it

    bool operator==(const HttpField &) const = default;
};

// How the end of a body is known.
struct HttpBody
{
    enum class Framing { None, Length, Chunked, UntilClose };
    Framing framing = Framing::None;
    std::uint64_t length = 0; // with Length: bytes; 0 if that was written

    bool operator==(const HttpBody &) const = default;
};

struct HttpHead
{
    std::string_view firstLine; // into the bytes
    std::vector<HttpField> fields;

    bool operator==(const HttpHead &) const = default;

    // Names and tokens without regard to case.
    std::size_t count(std::string_view name) const;
    std::vector<std::string_view> tokens(std::string_view name) const; // of a field that is a list, from all its lines
    bool hasToken(std::string_view name, std::string_view token) const;
};

bool sameIgnoringCase(std::string_view a, std::string_view b); // of ASCII letters
bool isHttpToken(std::string_view text); // RFC 9110 section 5.6.2

// searched: so many bytes at the front have been here before, with the answer NeedMore; they aren't searched again.
Parsed<HttpHead> parseHttpHead(std::string_view bytes, std::size_t searched = 0);

// What Content-Length and Transfer-Encoding say together; UntilClose if neither is there. The fault is of static storage.
std::expected<HttpBody, std::string_view> httpBody(const HttpHead &head);

} // namespace glovebox::network
