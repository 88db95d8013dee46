// SPDX-License-Identifier: Apache-2.0
// The sessions of this machine as the page shows them, read in the background.
#pragma once

#include "engine/engine.h"

#include <QHash>

namespace glovebox {

struct ShownJob
{
    Job job;
    QList<JobPort> ports; // that are open
    bool answers = true; // its process; else nobody knows its ports

    bool operator==(const ShownJob &) const = default;
};

struct ShownSession
{
    Session session; // of a damaged one: its id alone
    std::optional<Error> damage; // why it can't be read
    bool isBusy = false;
    QString user; // "by Codex": where the run in it comes from; empty: not known
    qint64 busySince = 0; // microseconds; 0: not known
    QList<ShownJob> jobs; // that run, the oldest first
    bool isShared = false; // other sessions may have the same stored bytes
    bool wasFull = false; // the last run in it was stopped by the limit of its disk
    QString owner; // the agent's name that it belongs to; empty: the person's own
    QHash<QString, QString>
        runners; // "from the workbench": of the runs that left its snapshots, as far as the log's latest runs say

    bool operator==(const ShownSession &) const = default;
};

struct SessionStock
{
    QList<ShownSession> sessions; // newest use first; damaged ones at the end
    std::optional<Error> error; // they can't be listed

    bool operator==(const SessionStock &) const = default;
};

// Blocks for the disk.
SessionStock readSessions(Engine &engine);

} // namespace glovebox
