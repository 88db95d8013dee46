// SPDX-License-Identifier: Apache-2.0
#include "engine/network/protocols/http/firstwords.h"

#include "engine/network/protocols/http/httphead.h"

#include <algorithm>
#include <array>

namespace glovebox::network {

namespace {

// Many servers overlook empty lines before a request (RFC 9112 section 2.2), some of them blanks, too.
constexpr std::string_view overlooked = "\r\n \t\v\f";
constexpr std::string_view lineBlanks = " \t\v\f";
constexpr std::string_view versionCharacters = "0123456789.";
constexpr std::size_t emptyLinesMax = 56; // bytes, before what is taken for no request
constexpr std::size_t undecidedMax = std::size_t{8} * 1024; // of a first line; what servers take at most

constexpr std::array<std::string_view, 9> commonMethods{"GET ",     "HEAD ",  "POST ",  "PUT ",    "DELETE ",
                                                        "OPTIONS ", "PATCH ", "TRACE ", "CONNECT "};

// What no first line has, or its end.
bool isControl(char byte)
{
    return (static_cast<unsigned char>(byte) < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7f;
}

bool isLineEnd(char byte)
{
    return byte == '\r' || byte == '\n';
}

bool isInMethod(char byte)
{
    return isHttpToken({&byte, 1});
}

bool isNext(char byte, std::size_t matched)
{
    return sameIgnoringCase({&byte, 1}, httpName.substr(matched, 1));
}

// How many bytes at the front can be those of a request's first line, but for its end.
std::size_t likeARequestLine(std::string_view line)
{
    bool inMethod = true;
    for (std::size_t i = 0; i < std::min(line.size(), undecidedMax); ++i) {
        inMethod = inMethod && line[i] != ' ' && line[i] != '\t';
        if (inMethod ? i == httpMethodMax || !isInMethod(line[i]) : isControl(line[i]))
            return i;
    }
    return std::min(line.size(), undecidedMax);
}

} // namespace

// The verdict is that of the first byte which allows one, so that it doesn't depend on how many more are there.
std::optional<bool> looksLikeHttp(std::string_view bytes)
{
    const std::size_t start = bytes.find_first_not_of(overlooked);
    if (start > emptyLinesMax) // or there is nothing else
        return bytes.size() > emptyLinesMax ? std::optional(true) : std::nullopt;
    bytes.remove_prefix(start);
    for (const std::string_view method : commonMethods) {
        if (bytes.starts_with(method))
            return true;
    }
    const std::size_t size = likeARequestLine(bytes);
    if (!RequestLines().follow(bytes.substr(0, size)))
        return true;
    return size < bytes.size() || size == undecidedMax ? std::optional(false) : std::nullopt;
}

bool RequestLines::follow(std::string_view bytes)
{
    for (const char byte : bytes) {
        if (!(m_isPastFirst ? followLater(byte) : followFirst(byte)))
            return false;
        ++m_seen;
    }
    return true;
}

bool RequestLines::followFirst(char byte)
{
    m_hasBegun = m_hasBegun || !overlooked.contains(byte);
    m_isPastFirst = m_hasBegun && byte == '\n';
    // No beginning of the name is within it.
    m_matched = isNext(byte, m_matched) ? m_matched + 1 : isNext(byte, 0) ? 1 : 0;
    if (m_matched == httpName.size())
        return false;
    if (m_isPastFirst)
        m_matched = 0;
    return true;
}

// METHOD TARGET HTTP/1.1, blanks around them, and the line's end; a CR alone ends a line for some.
bool RequestLines::followLater(char byte)
{
    if (isLineEnd(byte)) {
        const bool isRequest = m_part == Part::Version;
        m_part = Part::Start;
        return !isRequest;
    }
    const bool isBlank = lineBlanks.contains(byte);
    switch (m_part) {
    case Part::Start:
        if (!isBlank)
            m_part = isInMethod(byte) ? Part::Method : Part::Other;
        break;
    case Part::Method:
        if (isBlank)
            m_part = Part::Blank;
        else if (!isInMethod(byte))
            m_part = Part::Other;
        break;
    case Part::Name:
        if (isNext(byte, m_matched)) {
            m_part = ++m_matched == httpName.size() ? Part::Version : Part::Name;
            break;
        }
        m_part = isBlank ? Part::Blank : Part::Target;
        break;
    case Part::Version:
        if (isBlank || versionCharacters.contains(byte))
            break;
        [[fallthrough]];
    case Part::Target:
    case Part::Blank:
        // Behind a version blanks may have come: what follows could be the real one.
        if (isBlank)
            m_part = Part::Blank;
        else
            m_part = m_part != Part::Target && isNext(byte, 0) ? Part::Name : Part::Target;
        m_matched = 1;
        break;
    case Part::Other:
        break;
    }
    return true;
}

} // namespace glovebox::network
