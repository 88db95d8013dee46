// SPDX-License-Identifier: Apache-2.0
// The methods of the protocol, a row each.
#pragma once

#include "wire/message.h"
#include "wire/revision.h"

namespace glovebox::mcp {

class Request;

struct Method
{
    const char *name;
    Revision from, to; // the revisions that have it
    bool isCall; // may take long: gets a thread
    Answer<QJsonObject> (*answer)(Request &request); // the result, in the shape of the request's revision
};

// Null: no revision has it, or this one hasn't.
const Method *findMethod(const QString &name, Revision revision);

} // namespace glovebox::mcp
