// SPDX-License-Identifier: Apache-2.0
// run.finished: how a run ended; and run.interrupted, by which recovery closes a run whose engine died.
#pragma once

#include "engine/audit/body.h"
#include "engine/audit/entry.h"
#include "engine/policy/policy.h"

#include <QJsonArray>

namespace glovebox {

struct FinishedEntry
{
    QString run;
    Outcome outcome = Outcome::SetupFailed;
    Text reason;
    std::optional<int> exitCode;
    std::optional<int> signal;
    Usage usage;
    QList<Control> controls;
    QJsonArray egress;
    QList<RunEvent> events;
    CommittedBody out;
    CommittedBody err;
    QJsonArray artifacts; // [{"path","sha256","size","media_type"}]; of a withheld one sha256 is null
    QList<CommittedBody> artifactBodies; // of those, in their order: digest and size alone

    bool operator==(const FinishedEntry &) const = default;
};

Entry toEntry(const FinishedEntry &finished);

// engine: the one that accepted the run.
Entry interruptedEntry(const QString &run, const QString &engine);

} // namespace glovebox
