// SPDX-License-Identifier: Apache-2.0
// A decision about changes of a run: what it is made about, and how its result is told.
#pragma once

#include "app/workbench/shell/context.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace glovebox {

// Other programs decide about changes, too.
struct WaitingChanges
{
    Result<PendingChanges> pending;
    qint64 undoable = 0;
    bool isHalfUndone = false;
    std::optional<FolderDeed> underWay; // Apply or Undo, by any program

    bool operator==(const WaitingChanges &) const = default;
    static WaitingChanges of(Engine &engine, const QString &run); // blocks for the disk
};

// How far applying is, for the window; thread-safe.
class Applying
{
public:
    explicit Applying(QString ofRun)
        : run(std::move(ofRun))
    {
    }

    const QString run;

    // On the thread that applies.
    bool goesOn(const AppliedUntilNow &now);
    AppliedUntilNow now() const;
    void stop() { m_isStopped = true; } // before the next file
    bool isStopped() const { return m_isStopped; }

private:
    mutable std::mutex m_mutex;
    AppliedUntilNow m_now;
    std::atomic<bool> m_isStopped = false;
};

// What a person reads above the list, and whether something in it needs a look. isBrief: where there is little room.
std::pair<QString, bool> waitingWords(const QList<FolderChanges> &folders, bool isCutShort, bool isBrief = false);
// Where there is a list of few rows, or none.
QString briefWords(const PendingChanges &pending, bool hasList);
// done: the sentence that says how many changes it was.
QString sentenceOf(const Result<ApplyReport> &report, const std::function<QString(int)> &done);
// As a note of the window, where the changes aren't in sight any more.
void tellElsewhere(WorkbenchContext &context, const QString &run, const QString &sentence, bool isWhole);

} // namespace glovebox
