// SPDX-License-Identifier: Apache-2.0
// run.scrubbed: the value of a secret that a run is lent stood in its code, and what is kept of the code is without it.
#pragma once

#include "engine/audit/body.h"
#include "engine/audit/entry.h"

namespace glovebox {

struct ScrubbedEntry
{
    QString run;
    CommittedBody
        code; // as it is kept from now on: not what the accepted entry commits to, and not byte for byte what runs
    QStringList secrets; // whose values stood in it
    QString firstLine; // as in AcceptedEntry, of what is kept

    bool operator==(const ScrubbedEntry &) const = default;
};

// The salt of the accepted entry's commitment goes, so that nobody can try values against that.
Entry toEntry(const ScrubbedEntry &scrubbed);

// No entry: the first line of code that is kept as it was written, of a run that was accepted without one.
Entry firstLineOf(const QString &run, const QString &firstLine);

} // namespace glovebox
