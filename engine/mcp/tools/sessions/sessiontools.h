// SPDX-License-Identifier: Apache-2.0
// What tools that are about a session share.
#pragma once

#include "engine/mcp/tools/tool.h"

namespace glovebox::mcp {

// The one that the argument "session" names, by its whole id. NotFound, with the same sentence, also for somebody else's.
Result<Session> sessionFrom(const Engine &engine, const Call &call);
QJsonObject sessionArgument(const QString &description);

} // namespace glovebox::mcp
