// SPDX-License-Identifier: Apache-2.0
// A decision about changes of a run: what it is made about, and how its result is told.
#pragma once

#include "app/workbench/shell/context.h"

#include <atomic>
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
    bool isUndoOver = false; // something was applied, and others were applied after it
    std::optional<FolderDeed> underWay; // by any program

    bool operator==(const WaitingChanges &) const = default;
    static WaitingChanges of(Engine &engine, const QString &run); // blocks for the disk
};

// How far applying is, or undoing that, for the window; thread-safe.
class DeedProgress
{
public:
    explicit DeedProgress(QString ofRun)
        : run(std::move(ofRun))
    {
    }

    const QString run;

    // On the thread that does it.
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
// How far it is; empty: nobody knows yet.
QString progressOf(const AppliedUntilNow &now);
QString sentenceOf(FolderDeed deed, const Result<ApplyReport> &report);
// As a note of the window, where the changes aren't in sight any more.
void tellElsewhere(WorkbenchContext &context, const QString &run, const QString &sentence, bool isWhole);

} // namespace glovebox
