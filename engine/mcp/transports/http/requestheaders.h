// SPDX-License-Identifier: Apache-2.0
// What the head of a request of Streamable HTTP must say: that it is from this machine and not from a web page, and the same as
// its body. ("Security & Endpoint" and "Request Metadata" of the transport's page in the specification.)
#pragma once

#include "engine/mcp/protocol/wire/message.h"
#include "engine/network/network.h"

namespace glovebox::mcp {

// The last field of this name; nothing: there is none.
std::optional<QByteArray> fieldOf(const network::HttpRequest &request, std::string_view name);

// Whether a web page that was led here by its name server could have sent it: Host and Origin are of this machine.
bool isOfThisMachine(const network::HttpRequest &request);

// "Authorization: Bearer TOKEN"; empty: there is none.
QByteArray bearerToken(const network::HttpRequest &request);

// An answer as JSON or as a stream of events: the client takes both.
bool acceptsBoth(const network::HttpRequest &request);
bool isJson(const network::HttpRequest &request); // its body

// Of a revision without handshake, going by its head or its body.
bool isStateless(const network::HttpRequest &request, const MessageText &read);

// HeaderMismatch, where the head says something else than the body; nothing: they agree. For a request without handshake.
std::optional<ProtocolError> mismatch(const network::HttpRequest &request, const Message &message);

} // namespace glovebox::mcp
