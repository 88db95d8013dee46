// SPDX-License-Identifier: Apache-2.0
// Whether what a client says to a server of an unknown kind is a request of HTTP, of whatever version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace glovebox::network {

constexpr std::string_view httpName = "HTTP/"; // in any case, since some servers take it so

// Nothing while the bytes may still become a request, which is told within 8 KiB. Whoever doesn't wait for the answer, or goes on
// after "no", uses RequestLines.
std::optional<bool> looksLikeHttp(std::string_view bytes);

// Follows what a client says to such a server while it is passed on. In the first line, which a server surely reads, the name of the
// protocol is enough; some servers skip lines that they don't understand, so that whole request lines are looked for after it.
class RequestLines
{
public:
    enum class Begin { AtFirstLine, AtLaterLine };
    explicit RequestLines(Begin begin = Begin::AtFirstLine)
        : m_isPastFirst(begin == Begin::AtLaterLine)
    {
    }

    // bytes: what comes next. False: with these there is a request line; the server must not get them.
    bool follow(std::string_view bytes);
    bool isPastFirst() const { return m_isPastFirst; }
    std::uint64_t seen() const { return m_seen; } // bytes

private:
    bool followFirst(char byte);
    bool followLater(char byte);

    enum class Part { Start, Method, Target, Blank, Name, Version, Other };
    Part m_part = Part::Start; // of a later line
    bool m_isPastFirst;
    bool m_hasBegun = false; // the first line; empty ones are overlooked
    std::size_t m_matched = 0; // bytes of "HTTP/"
    std::uint64_t m_seen = 0;
};

} // namespace glovebox::network
