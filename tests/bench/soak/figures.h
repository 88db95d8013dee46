// SPDX-License-Identifier: Apache-2.0
// What an engine occupies while nothing runs, and whether that stays the same however many runs there were.
#pragma once

#include <QList>
#include <QString>

#include <optional>
#include <string>

namespace glovebox::soak {

struct Figures
{
    qint64 runs = 0; // before it was looked
    double seconds = 0;
    qint64 heapBytes = 0; // that malloc has handed out in this process
    qint64 residentBytes = 0; // of this process
    qint64 spawnerBytes = 0; // resident, of the spawner
    qint64 descriptors = 0; // of this process
    qint64 spawnerDescriptors = 0;
    qint64 threads = 0; // of this process
    qint64 processes = 0; // below this one: the spawner, what waits warm, and what ought to be gone
    std::optional<qint64> cgroups; // with the engine's id in their path; none where the machine has no cgroups
    qint64 mounts = 0; // that this process and the spawner see
    qint64 files = 0; // below the home; with this user's folder of copies
    qint64 walBytes = 0; // the part of the log that isn't in the database yet
    qint64 logBytes = 0; // the database: grows with every run, by the same
};

// home: with the folders data, config and run of the engine of this id.
Figures look(const QString &home, const QString &engineId);

void printHeading();
void print(const Figures &figures);
// A sentence for each figure that isn't flat, by all looks of a soak in their order, the last one after its last run.
QList<std::string> whatGrew(const QList<Figures> &looks);

} // namespace glovebox::soak
