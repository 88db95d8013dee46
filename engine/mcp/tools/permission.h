// SPDX-License-Identifier: Apache-2.0
// Whether a client may call a tool, as the person set it for all agents.
#pragma once

#include "tool.h"

namespace glovebox::mcp {

constexpr std::chrono::seconds patienceForPermission{45}; // clients give up after 60 s

// Whether a client is told of the tool. What nobody can read forbids no list: the call is refused.
bool isListed(const Tool &tool, const Result<AgentSwitches> &rules);

// What the person set, read where it matters.
using ReadSwitches = std::function<Result<AgentSwitches>()>;

// Blocks while the person is asked, at most patience, or until the call is to stop. An error is a sentence for the caller. A tool
// that starts a run, or decides later, is decided about then, on record.
Status permit(const Call &call, const Tool &tool, const ReadSwitches &readSwitches,
              std::chrono::milliseconds patience = patienceForPermission);

} // namespace glovebox::mcp
