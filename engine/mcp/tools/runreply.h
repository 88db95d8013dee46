// SPDX-License-Identifier: Apache-2.0
// What the tools that deal with one run answer: the same object, with the same text for clients that only show text.
#pragma once

#include "engine/mcp/runs/seenrun.h"
#include "tool.h"

namespace glovebox::mcp {

// isError: nothing of the code ran. extra: further members, which the schema has to know (runSchema()).
ToolReply runReply(const SeenRun &run, const ShownOutput &output, const QJsonObject &extra = {});
// Pictures that the run left, if it is done: clients show them, and models look at them. Blocks for some seconds at most.
void addImages(ToolReply &reply, const SeenRun &run, const Engine &engine, const Call &call);
// Of a request that doesn't get as far as a run.
ToolReply refusalReply(Outcome outcome, const Error &error);

// The JSON Schema of what runReply() answers. extra: schemas of further members.
QJsonObject runSchema(const QJsonObject &extra = {});

constexpr QLatin1StringView stateNotStarted("not_started"); // of a run that was only asked about
QString stateName(RunState state); // "queued", "waiting_for_approval", ...
QJsonObject isolationOf(const SeenRun &run);

} // namespace glovebox::mcp
