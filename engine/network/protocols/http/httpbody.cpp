// SPDX-License-Identifier: Apache-2.0
// A small machine for what surrounds the chunks (RFC 9112 section 7.1); the data itself is passed over in one step.
#include "engine/network/protocols/http/httpbody.h"

#include <algorithm>
#include <limits>

namespace glovebox::network {

namespace {

constexpr int sizeDigitsMax = 15; // below 2^60, whatever they are
constexpr std::size_t extensionMax = 256; // bytes a chunk
constexpr std::size_t trailersMax = std::size_t{8} * 1024;

int hexValue(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool isText(char c)
{
    return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

} // namespace

HttpBodyFollower::HttpBodyFollower(const HttpBody &body)
    : m_framing(body.framing)
    , m_left(body.length)
{
    if (m_framing == HttpBody::Framing::None || (m_framing == HttpBody::Framing::Length && m_left == 0))
        m_state = ParseState::Done;
}

std::size_t HttpBodyFollower::follow(std::string_view bytes)
{
    std::size_t used = 0;
    while (m_state == ParseState::NeedMore && used < bytes.size()) {
        if (const std::uint64_t data = opaque(); data > 0) {
            const std::uint64_t now = std::min<std::uint64_t>(data, bytes.size() - used);
            skip(now);
            used += now;
        } else if (step(bytes[used])) {
            ++used;
        }
    }
    return used;
}

std::uint64_t HttpBodyFollower::opaque() const
{
    if (m_state != ParseState::NeedMore)
        return 0;
    if (m_framing == HttpBody::Framing::UntilClose)
        return std::numeric_limits<std::uint64_t>::max();
    return m_framing == HttpBody::Framing::Length || m_place == Place::Data ? m_left : 0;
}

void HttpBodyFollower::skip(std::uint64_t count)
{
    if (m_framing == HttpBody::Framing::UntilClose)
        return;
    m_left -= count;
    if (m_left > 0)
        return;
    if (m_framing == HttpBody::Framing::Length)
        m_state = ParseState::Done;
    else
        m_place = Place::DataCr;
}

bool HttpBodyFollower::step(char byte)
{
    switch (m_place) {
    case Place::Size:
        if (const int value = hexValue(byte); value >= 0) {
            m_left = m_left << 4 | static_cast<unsigned>(value);
            return ++m_digits <= sizeDigitsMax || refuse("a chunk of that size");
        }
        if (m_digits == 0)
            return refuse("a chunk without a size");
        m_place = byte == '\r' ? Place::SizeLf : byte == ';' ? Place::Extension : Place::Blanks;
        return byte == '\r' || byte == ';' || byte == ' ' || byte == '\t'
               || refuse("a chunk whose size is not a number");
    case Place::Blanks: // some servers fill the size up with them
        if (byte == '\r' || byte == ';')
            m_place = byte == '\r' ? Place::SizeLf : Place::Extension;
        else if (byte != ' ' && byte != '\t')
            return refuse("a chunk whose size is not a number");
        return ++m_extra <= extensionMax || refuse("a chunk with too much about it");
    case Place::Extension:
        if (byte == '\r')
            m_place = Place::SizeLf;
        else if (!isText(byte))
            return refuse("a control character in a chunk's extension");
        return ++m_extra <= extensionMax || refuse("a chunk with too much about it");
    case Place::SizeLf:
        m_place = m_left > 0 ? Place::Data : Place::TrailerStart;
        m_extra = 0;
        return byte == '\n' || refuse("a line that doesn't end in CR LF");
    case Place::DataCr:
        m_place = Place::DataLf;
        return byte == '\r' || refuse("a chunk longer than its size");
    case Place::DataLf:
        m_place = Place::Size;
        m_digits = 0;
        return byte == '\n' || refuse("a chunk longer than its size");
    case Place::TrailerStart:
        m_place = byte == '\r' ? Place::LastLf : Place::Trailer;
        if (byte == ' ' || byte == '\t')
            return refuse("a field that goes on in the next line");
        [[fallthrough]];
    case Place::Trailer:
        if (byte == '\r' && m_place == Place::Trailer)
            m_place = Place::TrailerLf;
        else if (byte != '\r' && !isText(byte))
            return refuse("a control character after the last chunk");
        return ++m_extra <= trailersMax || refuse("too much after the last chunk");
    case Place::TrailerLf:
        m_place = Place::TrailerStart;
        return byte == '\n' || refuse("a line that doesn't end in CR LF");
    case Place::LastLf:
        if (byte != '\n')
            return refuse("a line that doesn't end in CR LF");
        m_state = ParseState::Done;
        return true;
    case Place::Data:
        break;
    }
    return refuse("");
}

bool HttpBodyFollower::refuse(std::string_view fault)
{
    m_state = ParseState::Malformed;
    m_fault = fault;
    return false;
}

} // namespace glovebox::network
