// SPDX-License-Identifier: Apache-2.0
// tool.called: a run calls a tool of one of the person's servers. Written before the call is passed on; how it ended is among the
// run's events.
#pragma once

#include "engine/audit/entry.h"

namespace glovebox {

struct CalledEntry
{
    QString run;
    QString tool;
    QByteArray digest; // SHA-256 of the arguments, without the values of secrets
    qint64 bytes = 0; // of the arguments

    bool operator==(const CalledEntry &) const = default;
};

Entry toEntry(const CalledEntry &called);

} // namespace glovebox
