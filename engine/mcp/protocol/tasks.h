// SPDX-License-Identifier: Apache-2.0
// The methods of tasks (revision 2025-11-25, "Tasks"): a call that is answered at once, and asked about until it is over.
#pragma once

#include "request.h"

#include "wire/message.h"

namespace glovebox::mcp {

// Starts a call of this tool, whose arguments are set, as a task. asked: the "task" of the params.
Answer<QJsonObject> startTask(Request &request, const Tool &tool, const QJsonValue &asked);

Answer<QJsonObject> getTask(Request &request);
Answer<QJsonObject> waitForTask(Request &request); // tasks/result
Answer<QJsonObject> listTasks(Request &request);
Answer<QJsonObject> cancelTask(Request &request);

} // namespace glovebox::mcp
