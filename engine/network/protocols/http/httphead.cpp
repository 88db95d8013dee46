// SPDX-License-Identifier: Apache-2.0
// The head is looked through once, byte by byte, for its end and for what must not be in it; then cut into lines.
#include "engine/network/protocols/http/httphead.h"

#include <algorithm>
#include <charconv>

namespace glovebox::network {

namespace {

constexpr std::string_view lineEnd = "\r\n";
constexpr std::string_view headEnd = "\r\n\r\n";
constexpr std::size_t lengthDigitsMax = 18; // below 2^63, whatever they are

char toLower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

bool isTokenCharacter(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && isBlank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && isBlank(text.back()))
        text.remove_suffix(1);
    return text;
}

// Where the head ends, or 0 while it doesn't.
std::expected<std::size_t, Malformed> findEnd(std::string_view bytes, std::size_t searched)
{
    const std::size_t end = std::min(bytes.size(), httpHeadMax);
    for (std::size_t i = std::min(searched, end); i < end; ++i) {
        const char byte = bytes[i];
        const bool afterCr = i > 0 && bytes[i - 1] == '\r';
        if (afterCr != (byte == '\n'))
            return std::unexpected(Malformed{"a line that doesn't end in CR LF"});
        if ((static_cast<unsigned char>(byte) < 0x20 && byte != '\t' && byte != '\r' && byte != '\n') || byte == 0x7f)
            return std::unexpected(Malformed{"a control character in the head"});
        if (byte == '\n' && bytes.substr(0, i + 1).ends_with(headEnd))
            return i + 1;
    }
    if (end == httpHeadMax)
        return std::unexpected(Malformed{"a head of more than 32 KB"});
    return 0;
}

} // namespace

bool sameIgnoringCase(std::string_view a, std::string_view b)
{
    return std::ranges::equal(a, b, {}, toLower, toLower);
}

bool isHttpToken(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, isTokenCharacter);
}

std::size_t HttpHead::count(std::string_view name) const
{
    return static_cast<std::size_t>(
        std::ranges::count_if(fields, [&](const HttpField &each) { return sameIgnoringCase(each.name, name); }));
}

std::vector<std::string_view> HttpHead::tokens(std::string_view name) const
{
    std::vector<std::string_view> found;
    for (const HttpField &field : fields) {
        if (!sameIgnoringCase(field.name, name))
            continue;
        std::string_view rest = field.value;
        while (!rest.empty()) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            if (const std::string_view token = trimmed(rest.substr(0, comma)); !token.empty())
                found.push_back(token);
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    }
    return found;
}

bool HttpHead::hasToken(std::string_view name, std::string_view token) const
{
    return std::ranges::any_of(tokens(name), [&](std::string_view each) { return sameIgnoringCase(each, token); });
}

Parsed<HttpHead> parseHttpHead(std::string_view bytes, std::size_t searched)
{
    const auto end = findEnd(bytes, searched);
    if (!end)
        return end.error();
    if (*end == 0)
        return {};
    std::string_view rest = bytes.substr(0, *end - lineEnd.size()); // each line with its end
    const auto takeLine = [&] {
        const std::size_t size = rest.find(lineEnd);
        const std::string_view line = rest.substr(0, size);
        rest.remove_prefix(size + lineEnd.size());
        return line;
    };
    HttpHead head;
    head.firstLine = takeLine();
    while (!rest.empty()) {
        const std::string_view line = takeLine();
        const std::size_t colon = line.find(':');
        // No token has a blank. One before the colon (RFC 9112 section 5.1), or in front, where it would make this a part of the
        // line before (section 5.2, obs-fold), was read in different ways by proxies and servers.
        if (colon == std::string_view::npos || !isHttpToken(line.substr(0, colon)))
            return Malformed{"a line of the head that is not a field"};
        if (head.fields.size() == httpFieldsMax)
            return Malformed{"more than 128 fields"};
        head.fields.push_back({std::string(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1)))});
    }
    return done(std::move(head), *end);
}

std::expected<HttpBody, std::string_view> httpBody(const HttpHead &head)
{
    const std::size_t codings = head.count("Transfer-Encoding");
    HttpBody body{HttpBody::Framing::UntilClose, 0};
    for (const HttpField &field : head.fields) {
        if (!sameIgnoringCase(field.name, "Content-Length"))
            continue;
        if (codings > 0)
            return std::unexpected("Content-Length and Transfer-Encoding together");
        const char *const end = field.value.data() + field.value.size();
        std::uint64_t length = 0;
        const auto [stop, error] = std::from_chars(field.value.data(), end, length);
        if (error != std::errc{} || stop != end || field.value.size() > lengthDigitsMax)
            return std::unexpected("a Content-Length that is not a number");
        if (body.framing == HttpBody::Framing::Length && body.length != length)
            return std::unexpected("two Content-Lengths");
        body = {HttpBody::Framing::Length, length};
    }
    if (codings == 0)
        return body;
    const auto field = std::ranges::find_if(
        head.fields, [](const HttpField &each) { return sameIgnoringCase(each.name, "Transfer-Encoding"); });
    if (codings > 1 || !sameIgnoringCase(field->value, "chunked"))
        return std::unexpected("a Transfer-Encoding other than chunked");
    return HttpBody{HttpBody::Framing::Chunked, 0};
}

} // namespace glovebox::network
