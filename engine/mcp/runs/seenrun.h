// SPDX-License-Identifier: Apache-2.0
// What is known of a run at one moment, wherever it is: alive, done and in memory, or on record only.
#pragma once

#include "clientruns.h"
#include "shownoutput.h"

namespace glovebox::mcp {

struct SeenRun
{
    QString id; // empty: it never got onto the record
    RunState state = RunState::Done;
    int queuePosition = 0;
    QString language;
    Policy policy; // that it was asked to run with
    QStringList secrets; // names that it asked for
    QByteArray code; // not of a run on record only: codeOf()
    std::shared_ptr<const RunResult> result; // null: it isn't done
    QList<Control> controls;
    QList<EgressAttempt> egress;
    QList<RunEvent> events;
    OutputSource output;

    bool isDone() const { return result != nullptr; }
};

// followed outlives what is returned.
SeenRun seen(const FollowedRun &followed);
// A run of this client's, in memory or from the log. NotFound: it is none of the client's; with the errors of the log and the store.
Result<SeenRun> seenRun(const Engine &engine, const ClientRuns &runs, const QString &id);
// The code that is on record for it; of a run that was lent secrets without their values.
Result<QByteArray> recordedCode(const Engine &engine, const QString &id);

// NotFound, with a sentence for whoever asked for a run that is none of theirs.
std::unexpected<Error> noSuchRun(const QString &id);

} // namespace glovebox::mcp
