// SPDX-License-Identifier: Apache-2.0
#include "engine/network/protocols/http/firstwords.h"

#include "engine/network/protocols/http/httphead.h"

#include <algorithm>
#include <array>

namespace glovebox::network {

namespace {

// Many servers overlook empty lines before a request (RFC 9112 section 2.2), some of them blanks, too.
constexpr std::string_view overlooked = "\r\n \t\v\f";
constexpr std::string_view versionCharacters = "0123456789.";
constexpr std::size_t emptyLinesMax = 56; // bytes, before what is taken for no request
// Version 1 of the PROXY protocol, and the first line of version 2's signature after empty ones.
constexpr std::array<std::string_view, 2> proxyBegins{"PROXY ", std::string_view("\0\r\n", 3)};
constexpr std::array<std::string_view, 2> addressBegins{"http://", "https://"};
constexpr std::size_t wordMax = 16; // bytes that are kept of one
constexpr int wordsOfARequest = 3;
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

bool beginsAs(std::string_view word, std::string_view begin)
{
    return sameIgnoringCase(word.substr(0, begin.size()), begin);
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
        if (!(m_isPastFirst || followFirst(byte)) || !followWords(byte))
            return false;
        ++m_seen;
    }
    return true;
}

bool RequestLines::followFirst(char byte)
{
    if (m_begin.empty() && overlooked.contains(byte))
        return true;
    if (m_begin.size() < wordMax)
        m_begin += byte;
    // No beginning of the name is within it.
    m_matched = isNext(byte, m_matched) ? m_matched + 1 : isNext(byte, 0) ? 1 : 0;
    m_isPastFirst = byte == '\n';
    return m_matched < httpName.size()
           && std::ranges::none_of(proxyBegins, [&](std::string_view each) { return m_begin == each; });
}

// METHOD TARGET HTTP/1.1, whatever is before it in its line, or METHOD http://HOST/; a CR alone ends a line for some.
bool RequestLines::followWords(char byte)
{
    if (overlooked.contains(byte)) { // between words
        endWord();
        if (!isLineEnd(byte))
            return true;
        const bool isRequest = m_isVersion && m_words >= wordsOfARequest;
        m_words = 0;
        m_isVersion = false;
        return !isRequest;
    }
    if (m_word.size() < wordMax)
        m_word += byte;
    return m_words != 1 || std::ranges::none_of(addressBegins, [&](std::string_view each) {
               return sameIgnoringCase(m_word, each);
           });
}

void RequestLines::endWord()
{
    if (m_word.empty())
        return;
    // Some take "HTTP/ 1.1", too.
    const std::string_view number = beginsAs(m_word, httpName) ? std::string_view(m_word).substr(httpName.size())
                                    : m_isVersion              ? std::string_view(m_word)
                                                               : "no version";
    m_isVersion = number.find_first_not_of(versionCharacters) == std::string_view::npos;
    ++m_words;
    m_word.clear();
}

} // namespace glovebox::network
