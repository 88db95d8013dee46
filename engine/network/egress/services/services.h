// SPDX-License-Identifier: Apache-2.0
// How a run may ask for a connection. Each function serves one connection of the run to its end, on a thread of its own.
#pragma once

#include "engine/network/egress/relay.h"

#include <optional>

namespace glovebox::network {

constexpr std::uint16_t httpsPort = 443;

void serveHttpProxy(Stream run, Gate &gate);
void serveSocks(Stream run, Gate &gate);
void serveNames(Stream run, Gate &gate);
// The run connected to any address at all: to which, its socket says.
void serveTransparent(Stream run, Gate &gate);

// The answer to one question for a name; nothing: none is due.
std::optional<std::string> answerName(std::string_view message, Gate &gate);

// Requests of HTTP/1 to this target alone, which was allowed and dialled: the run believes that it speaks to the server itself.
void serveHttp(Stream &run, Dialled &dialled, const Target &target, Way way, Gate &gate);

// A connection was granted for this target and dialled: looks at what the run says first, and moves bytes.
void serveTunnel(Stream &run, Dialled &dialled, const Target &target, Way way, Gate &gate);

} // namespace glovebox::network
