// SPDX-License-Identifier: Apache-2.0
// Waits for a run on behalf of a call, and tells the client meanwhile how far the run is.
#pragma once

#include "tool.h"

namespace glovebox::mcp {

enum class Followed {
    Done,
    Enough, // as many bytes of output are there as the call wants
    TimeOver, // the call has to answer, and the run goes on
    CallsAgain, // the client puts a question to the person, and calls again with the answer; see Elicited
    Stopped, // nobody wants an answer any more
};

// Until the run is done, and no longer than so long.
Followed follow(const FollowedRun &followed, const Call &call, std::chrono::milliseconds longest);
// The same as long as a call may take. wanted: bytes of output behind cursor that are enough; 0: only the end is.
Followed follow(const FollowedRun &followed, const Call &call, qint64 cursor, qint64 wanted);

} // namespace glovebox::mcp
