// SPDX-License-Identifier: Apache-2.0
// subscriptions/listen (revision 2026-07-28, "Subscriptions"): a request that stays open, and on which the client is told of changes.
#pragma once

#include "engine/mcp/protocol/request.h"

namespace glovebox::mcp {

constexpr int listenersMax = 8; // of a client at once: each has a thread

// Returns when the client ends it, or goes.
Answer<QJsonObject> listen(Request &request);

} // namespace glovebox::mcp
