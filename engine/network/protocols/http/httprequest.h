// SPDX-License-Identifier: Apache-2.0
// The head of a run's request, and what is sent on of it. The host that was parsed here is the only one that the server sees.
#pragma once

#include "engine/network/protocols/http/httphead.h"
#include "engine/network/rules/host.h"

namespace glovebox::network {

enum class HttpListener {
    Proxy, // "GET http://host/path" and "CONNECT host:port"
    Transparent, // "GET /path" with a Host field
};

struct HttpRequest
{
    std::string method; // "CONNECT" asks for a tunnel
    // Of the URI; of the Host field at a transparent listener. Without text: HTTP/1.0 without that field, and the connection's own
    // host is meant.
    Host host;
    std::uint16_t port = 80; // 80 where none is written
    std::string target; // for the server: "/path?query", "*" for OPTIONS; empty with CONNECT
    int minorVersion = 1; // of HTTP/1
    std::vector<HttpField> fields; // those that may be sent on: none of one hop, of the body's framing, Host or Expect
    HttpBody body; // never UntilClose
    bool keepAlive = true; // as the client wishes
    bool wantsWebSocket = false; // to go on as one, after 101 (RFC 6455)
    bool expectsContinue = false; // it waits for httpContinue before it sends the body

    bool operator==(const HttpRequest &) const = default;

    bool isConnect() const { return method == "CONNECT"; }
    // Many a server that doesn't read a body takes it for the next request, of which nobody checked the host.
    bool isLastForServer() const { return !keepAlive || body.framing == HttpBody::Framing::Chunked || body.length > 0; }
};

// Refused besides what httphead.h does: user information in the URI, other schemes than http, a request for the other kind of
// listener, HTTP/1.1 without Host, two Host fields. With an absolute URI the Host field is not looked at (RFC 9112 section 3.2.2).
// Of all upgrades only that to a WebSocket is sent on: it is for one host, where later requests of h2c could be for any.
Parsed<HttpRequest> parseHttpRequest(std::string_view bytes, HttpListener listener, std::size_t searched = 0);

// The head for the server, in origin form; the body follows it as the client sent it. Not for CONNECT.
std::string httpHeadForServer(const HttpRequest &request);

// Complete answers of our own. They close the connection, but for 200 (to CONNECT) and httpContinue.
std::string
httpReply(int status,
          std::string_view sentence = {}); // 200, 400, 403, 502, 503, 504; sentence: ASCII or UTF-8, the body
constexpr std::string_view httpContinue = "HTTP/1.1 100 Continue\r\n\r\n";

} // namespace glovebox::network
