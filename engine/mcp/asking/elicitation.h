// SPDX-License-Identifier: Apache-2.0
// A question of Glovebox's that a client puts to the person (elicitation/create): what is wanted as text, and the answers as a choice.
#pragma once

#include "engine/mcp/tools/tool.h"

namespace glovebox::mcp {

enum class Elicited {
    Nothing, // there is no question about this run that this client could put
    Answered, // the client has answered, or can't, or nobody needs an answer any more
    TimeOver, // the person hasn't answered; the question waits on
    // The client is to call again with the answer: the call has nothing to do but to return an error, which nobody sees. The question
    // waits on. Call::state() has "run" then.
    CallsAgain,
    Stopped, // nobody wants an answer any more
};

// Puts the question that the run, or the call, of this id waits for, and gives the answer to who asked. Blocks at most so long.
Elicited elicit(const Call &call, const QString &run, std::chrono::milliseconds longest);
// What a call returns at Elicited::CallsAgain.
std::unexpected<Error> callsAgain();

} // namespace glovebox::mcp
