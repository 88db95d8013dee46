// SPDX-License-Identifier: Apache-2.0
// run.accepted: what was asked for, by whom, and under which policy.
#pragma once

#include "engine/audit/body.h"
#include "engine/audit/entry.h"
#include "engine/policy/policy.h"

#include <optional>
#include <vector>

namespace glovebox {

struct AcceptedEntry
{
    QString run;
    Caller caller;
    QString language;
    QString session; // empty: none
    bool isStateful = false; // in its interpreter that stays
    bool isParallel = false; // in a copy of it
    bool isDetached = false; // a job
    bool getsPackages = false; // code of Glovebox, which fetches, builds or installs them
    Policy policy;
    CommittedBody code;
    std::vector<SecretGrant> secrets; // by name; a value is in no entry
    QStringList variables; // names of its environment that the person set; a value is in no entry
    QString interpreter; // that the person chose; empty: the usual one
    std::optional<Terminal> terminal; // that its streams were; of its kind nothing is kept
    QString packages; // id of those that it was lent; empty: none
    QString firstLine; // for the history's list; at most 200 characters; kept in a column, not in the entry

    bool operator==(const AcceptedEntry &) const = default;
};

Entry toEntry(const AcceptedEntry &accepted);

} // namespace glovebox
