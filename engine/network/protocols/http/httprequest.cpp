// SPDX-License-Identifier: Apache-2.0
// Reading a request head, and writing it anew.
#include "engine/network/protocols/http/httprequest.h"

#include "engine/network/rules/rules.h"

#include <algorithm>
#include <array>

namespace glovebox::network {

namespace {

constexpr std::uint16_t defaultPort = 80;
constexpr std::string_view scheme = "http://";

// Of one hop (RFC 9110 section 7.6.1), or written anew by us.
constexpr std::array notSentOn{"Connection",
                               "Proxy-Connection",
                               "Keep-Alive",
                               "Proxy-Authorization",
                               "Proxy-Authenticate",
                               "TE",
                               "Upgrade",
                               "HTTP2-Settings",
                               "Transfer-Encoding",
                               "Content-Length",
                               "Host",
                               "Expect"};

// Whatever isn't HTTP, such as a TLS hello, shows in its first bytes.
bool canBeginARequest(std::string_view bytes)
{
    const std::string_view method = bytes.substr(0, std::min(bytes.find(' '), httpMethodMax + 1));
    return method.size() <= httpMethodMax && (method.empty() ? !bytes.starts_with(' ') : isHttpToken(method));
}

bool isOneOf(std::string_view name, std::span<const std::string_view> names)
{
    return std::ranges::any_of(names, [&](std::string_view each) { return sameIgnoringCase(each, name); });
}

// HOST or HOST:PORT; nothing if there is anything else, such as user information.
std::optional<Rule> authorityFromText(std::string_view text)
{
    auto rule = ruleAsWritten(text);
    if (!rule || rule->wildcard)
        return std::nullopt;
    return *std::move(rule);
}

struct Target
{
    std::string_view authority; // empty: the Host field's
    std::string path;
};

std::expected<Target, Malformed> readTarget(std::string_view method, std::string_view text, HttpListener listener)
{
    const bool proxy = listener == HttpListener::Proxy;
    if (text.find('#') != std::string_view::npos)
        return std::unexpected(Malformed{"a fragment in the address"});
    if (method == "CONNECT") {
        if (!proxy)
            return std::unexpected(Malformed{"CONNECT without a proxy"});
        return Target{text, {}};
    }
    if (!proxy) {
        if (!text.starts_with('/') && !(method == "OPTIONS" && text == "*"))
            return std::unexpected(Malformed{"a request to a proxy where none is"});
        return Target{{}, std::string(text)};
    }
    if (!sameIgnoringCase(text.substr(0, scheme.size()), scheme))
        return std::unexpected(Malformed{"no http:// address in a request to the proxy"});
    text.remove_prefix(scheme.size());
    const std::size_t end = std::min(text.find_first_of("/?"), text.size());
    std::string path(text.substr(end));
    if (path.empty() && method == "OPTIONS")
        path = "*"; // RFC 9112 section 3.2.4
    else if (!path.starts_with('/'))
        path.insert(0, 1, '/');
    return Target{text.substr(0, end), std::move(path)};
}

// The first line and what the host is; fields and body are left.
std::expected<HttpRequest, Malformed> readFirstLine(const HttpHead &head, HttpListener listener)
{
    const std::string_view line = head.firstLine;
    const std::size_t first = line.find(' ');
    const std::size_t second = line.rfind(' ');
    if (first == std::string_view::npos || first == second
        || line.substr(first + 1, second - first - 1).find_first_of(" \t") != std::string_view::npos)
        return std::unexpected(Malformed{"a request line of other than three parts"});
    HttpRequest request;
    request.method = line.substr(0, first);
    const std::string_view version = line.substr(second + 1);
    if (version != "HTTP/1.1" && version != "HTTP/1.0")
        return std::unexpected(Malformed{"another version than HTTP/1"});
    request.minorVersion = version.back() - '0';

    auto target = readTarget(request.method, line.substr(first + 1, second - first - 1), listener);
    if (!target)
        return std::unexpected(target.error());
    request.target = std::move(target->path);
    const std::size_t hosts = head.count("Host");
    if (hosts > 1)
        return std::unexpected(Malformed{"two Host fields"});
    if (hosts == 0 && request.minorVersion == 1)
        return std::unexpected(Malformed{"no Host field"});
    if (hosts == 0 && listener == HttpListener::Transparent)
        return request;
    if (listener == HttpListener::Transparent)
        target->authority = std::ranges::find_if(head.fields, [](const HttpField &each) {
                                return sameIgnoringCase(each.name, "Host");
                            })->value;
    auto authority = authorityFromText(target->authority);
    if (!authority)
        return std::unexpected(Malformed{"no valid host in the request"});
    if (request.isConnect() && !authority->port)
        return std::unexpected(Malformed{"CONNECT without a port"});
    request.host = std::move(authority->host);
    request.port = authority->port.value_or(defaultPort);
    return request;
}

constexpr std::pair<int, std::string_view> statusReasons[] = {
    {200, "Connection established"}, {400, "Bad Request"},     {403, "Forbidden"}, {502, "Bad Gateway"},
    {503, "Service Unavailable"},    {504, "Gateway Timeout"},
};

} // namespace

Parsed<HttpRequest> parseHttpRequest(std::string_view bytes, HttpListener listener, std::size_t searched)
{
    if (!canBeginARequest(bytes))
        return Malformed{"not HTTP"};
    const Parsed<HttpHead> head = parseHttpHead(bytes, searched);
    if (head.state == ParseState::NeedMore)
        return {};
    if (head.state == ParseState::Malformed)
        return Malformed{head.fault};
    auto request = readFirstLine(head.value, listener);
    if (!request)
        return request.error();
    const auto body = httpBody(head.value);
    if (!body)
        return Malformed{body.error()};
    if (body->framing == HttpBody::Framing::Chunked && request->minorVersion == 0)
        return Malformed{"chunks in HTTP/1.0"};
    if (body->framing != HttpBody::Framing::UntilClose)
        request->body = *body;
    if (request->isConnect() && request->body != HttpBody{})
        return Malformed{"a body with CONNECT"};

    const auto expectations = head.value.tokens("Expect");
    if (!std::ranges::all_of(expectations, [](auto each) { return sameIgnoringCase(each, "100-continue"); }))
        return Malformed{"an unknown Expect field"};
    request->expectsContinue =
        !expectations.empty() && request->minorVersion == 1 && request->body.framing != HttpBody::Framing::None;
    request->keepAlive = request->minorVersion == 1 && !head.value.hasToken("Connection", "close")
                         && !head.value.hasToken("Proxy-Connection", "close");
    const auto upgrades = head.value.tokens("Upgrade");
    request->wantsWebSocket = request->method == "GET" && request->keepAlive && request->body == HttpBody{}
                              && head.value.hasToken("Connection", "upgrade") && upgrades.size() == 1
                              && sameIgnoringCase(upgrades.front(), "websocket");
    std::vector<std::string_view> ofThisHop = head.value.tokens("Connection");
    ofThisHop.insert(ofThisHop.end(), notSentOn.begin(), notSentOn.end());
    for (const HttpField &field : head.value.fields) {
        if (!isOneOf(field.name, ofThisHop))
            request->fields.push_back(field);
    }
    return done(*std::move(request), head.used);
}

std::string httpHeadForServer(const HttpRequest &request)
{
    const Rule authority{request.host, false,
                         request.port == defaultPort ? std::nullopt : std::optional<std::uint16_t>(request.port)};
    std::string bytes = request.method + ' ' + request.target + " HTTP/1." + std::to_string(request.minorVersion)
                        + "\r\nHost: " + toText(authority) + "\r\n";
    for (const HttpField &field : request.fields)
        bytes += field.name + ": " + field.value + "\r\n";
    if (request.body.framing == HttpBody::Framing::Chunked)
        bytes += "Transfer-Encoding: chunked\r\n";
    if (request.body.framing == HttpBody::Framing::Length)
        bytes += "Content-Length: " + std::to_string(request.body.length) + "\r\n";
    if (request.wantsWebSocket)
        bytes += "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    if (request.isLastForServer())
        bytes += "Connection: close\r\n";
    return bytes + "\r\n";
}

std::string httpReply(int status, std::string_view sentence)
{
    const auto *known = std::ranges::find(statusReasons, status, [](const auto &reason) { return reason.first; });
    std::string bytes = "HTTP/1.1 " + std::to_string(status) + ' '
                        + std::string(known == std::end(statusReasons) ? std::string_view() : known->second) + "\r\n";
    if (status != 200)
        bytes += "Content-Type: text/plain; charset=utf-8\r\nContent-Length: " + std::to_string(sentence.size())
                 + "\r\nConnection: close\r\n";
    bytes += "\r\n";
    if (status != 200)
        bytes += sentence;
    return bytes;
}

} // namespace glovebox::network
