// SPDX-License-Identifier: Apache-2.0
// Which responses have a body, and how it ends (RFC 9112 section 6.3).
#include "engine/network/protocols/http/httpresponse.h"

#include <algorithm>

namespace glovebox::network {

namespace {

constexpr std::string_view versionStart = "HTTP/1.";

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

} // namespace

Parsed<HttpResponse> parseHttpResponse(std::string_view bytes, std::string_view method, std::size_t searched)
{
    if (bytes.substr(0, versionStart.size()) != versionStart.substr(0, bytes.size()))
        return Malformed{"not an HTTP/1 response"};
    const Parsed<HttpHead> head = parseHttpHead(bytes, searched);
    if (head.state == ParseState::NeedMore)
        return {};
    if (head.state == ParseState::Malformed)
        return Malformed{head.fault};

    // "HTTP/1.1 200", with or without a blank and a reason.
    const std::string_view line = head.value.firstLine.substr(versionStart.size());
    const bool wellFormed = line.size() >= 5 && (line[0] == '0' || line[0] == '1') && line[1] == ' '
                            && std::ranges::all_of(line.substr(2, 3), isDigit) && (line.size() == 5 || line[5] == ' ');
    if (!wellFormed || line[2] < '1' || line[2] > '5')
        return Malformed{"a malformed status line"};
    HttpResponse response;
    response.status = (line[2] - '0') * 100 + (line[3] - '0') * 10 + (line[4] - '0');
    const auto body = httpBody(head.value);
    if (!body)
        return Malformed{body.error()};
    if (body->framing == HttpBody::Framing::Chunked && line[0] == '0')
        return Malformed{"chunks in HTTP/1.0"};
    const bool bodiless = method == "HEAD" || response.status < 200 || response.status == 204 || response.status == 304;
    if (!bodiless)
        response.body = *body;
    response.keepAlive = response.body.framing != HttpBody::Framing::UntilClose
                         && (line[0] == '1' ? !head.value.hasToken("Connection", "close")
                                            : head.value.hasToken("Connection", "keep-alive"));
    return done(response, head.used);
}

} // namespace glovebox::network
