// SPDX-License-Identifier: Apache-2.0
// Whether what a client says to a server of an unknown kind is a request of HTTP, of whatever version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glovebox::network {

constexpr std::string_view httpName = "HTTP/"; // in any case, since some servers take it so

// Nothing while the bytes may still become a request, which is told within 8 KiB. Whoever doesn't wait for the answer, or goes on
// after "no", uses RequestLines.
std::optional<bool> looksLikeHttp(std::string_view bytes);

// Follows what a client says to such a server while it is passed on. In the first line, which a server surely reads, the name of the
// protocol is enough; some servers skip lines that they don't understand, so that the ends of request lines are looked for after it.
// HTTP/0.9 has no such end, and names another host by an address. The PROXY protocol forges whose connection this is, and a server
// that knows it takes a request or a TLS hello right after it.
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
    bool followWords(char byte);
    void endWord();

    bool m_isPastFirst;
    std::string m_begin; // of the first line; empty ones before it are overlooked
    std::size_t m_matched = 0; // bytes of "HTTP/" in it
    int m_words = 0; // of this line, before the one that is there
    std::string m_word; // the begin of that one
    bool m_isVersion = false; // the word before it, or several, were "HTTP/1.1"
    std::uint64_t m_seen = 0;
};

} // namespace glovebox::network
