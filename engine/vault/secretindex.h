// SPDX-License-Identifier: Apache-2.0
// The index of secrets: a table beside the log, which is changed with the entry that says so. Never holds a value.
#pragma once

#include "engine/audit/audit.h"

namespace glovebox {

// A change to the index.
struct SecretEntry
{
    enum class Change { Added, Replaced, Edited, Renamed, Removed };
    Change change = Change::Added;
    Caller caller;
    // As it is to be: all of it when Added; store and slot when Replaced; note and limits when Edited. The name is the one it has now.
    SecretInfo secret;
    QString newName; // Renamed
    // What the change was decided on (not with Added): when it has another slot by now or, to be Edited, another note or other
    // limits, another program was there first, and nothing is changed (Busy).
    SecretInfo expected;

    bool operator==(const SecretEntry &) const = default;
};

// InvalidInput.
std::unexpected<Error> nameTaken(const QString &name);

// InvalidInput: the name is taken; NotFound: there is none of that name; Busy.
Entry toEntry(const SecretEntry &change);

// Counts one use of each, before they are lent to a run. No entry of its own: those of the run name them. secrets: as they were
// looked at; one that was changed since is not lent (Busy), and nothing is counted then.
Entry usesOf(const QList<SecretInfo> &secrets);
// Takes such a count back. Where nobody used one since, it was last used when it was before.
Entry noUsesOf(const QList<SecretInfo> &secrets);

// By name. Empty for a log of an older version, and where there is no log yet.
Result<QList<SecretInfo>> readSecrets(const QString &auditFile);

} // namespace glovebox
