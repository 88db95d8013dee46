// SPDX-License-Identifier: Apache-2.0
// The methods of tasks, a call that is answered before it is over, and asked about until it is: of revision 2025-11-25 ("Tasks"), and of
// the extension that took their place (github.com/modelcontextprotocol/ext-tasks).
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

// Of the extension. Nothing: the client has too many tasks, and gets the call's own answer.
std::optional<QJsonObject> becomeTask(Request &request, const Tool &tool, const std::shared_ptr<FollowedRun> &run);
Answer<QJsonObject> showTask(Request &request); // tasks/get
Answer<QJsonObject> updateTask(Request &request);
Answer<QJsonObject> endTask(Request &request); // tasks/cancel

// The error of a client that didn't declare the extension with its request.
Answer<void> checkTasksAreKnown(const Request &request);
// A task as tasks/get and notifications have it: with its result where it is over. Blocks for some seconds at most.
Answer<QJsonObject> detailedTask(Request &request, const Task &task);

} // namespace glovebox::mcp
