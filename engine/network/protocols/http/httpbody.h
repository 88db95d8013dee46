// SPDX-License-Identifier: Apache-2.0
// Follows a body that passes by, to know where the next message starts; what belongs to it is sent on as it came.
#pragma once

#include "engine/network/protocols/http/httphead.h"

namespace glovebox::network {

class HttpBodyFollower
{
public:
    explicit HttpBodyFollower(const HttpBody &body);

    // bytes: what came next. How many of them belong to the body; fewer than all when it is done or malformed.
    std::size_t follow(std::string_view bytes);

    ParseState state() const { return m_state; } // Done at once without a body; never with UntilClose
    std::string_view fault() const { return m_fault; }

    // So many bytes follow in any case, without anything to look at: they may be spliced, and reported by skip().
    std::uint64_t opaque() const;
    void skip(std::uint64_t count); // <= opaque()

private:
    // Where in a chunked body the next byte is (RFC 9112 section 7.1).
    enum class Place {
        Size,
        Blanks,
        Extension,
        SizeLf,
        Data,
        DataCr,
        DataLf,
        TrailerStart,
        Trailer,
        TrailerLf,
        LastLf
    };

    bool step(char byte); // one byte of what surrounds the chunks
    bool refuse(std::string_view fault);

    HttpBody::Framing m_framing;
    ParseState m_state = ParseState::NeedMore;
    std::string_view m_fault;
    Place m_place = Place::Size;
    std::uint64_t m_left = 0; // of the length, or of this chunk
    int m_digits = 0; // of this chunk's size
    std::size_t m_extra = 0; // bytes after this chunk's size, or of trailers
};

} // namespace glovebox::network
