// SPDX-License-Identifier: Apache-2.0
// Puts originals back, and says what can be put back.
#include "decided.h"

#include "apply.h"
#include "replaced.h"
#include "steps.h"

#include "engine/folders/keeping.h"

#include <QDir>
#include <QFile>
#include <QSet>

#include <algorithm>

namespace glovebox {

namespace {

std::unexpected<Error> nothingToUndo(const StagingPlace &place, const QString &run)
{
    const QStringList runs =
        QDir(place.kept()).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name | QDir::Reversed);
    for (const QString &other : runs) {
        if (other != run && !place.undoFolder(other).isEmpty())
            return fail(ErrorCode::NotFound,
                        Text(QT_TRANSLATE_NOOP("engine", "No changes of a run %1 can be undone. Only those that were "
                                                         "applied last can: glovebox changes undo %2"),
                             {run, other}));
    }
    return fail(ErrorCode::NotFound,
                Text(QT_TRANSLATE_NOOP("engine", "No changes of a run %1 can be undone. Only those that were applied "
                                                 "last can, and there are none."),
                     {run}));
}

// How much there is to put back.
AppliedUntilNow sizeOf(const Steps &steps)
{
    AppliedUntilNow size;
    for (const QList<UndoStep> &mine : steps) {
        size.allChanges += mine.size();
        for (const UndoStep &step : mine)
            size.allBytes += step.back.digest.isEmpty() ? 0 : step.back.change.bytes;
    }
    return size;
}

} // namespace

Result<PendingChanges> undoableOf(const StagingPlace &place, const QString &run)
{
    const QString folder = isId(run) ? place.undoFolder(run) : QString();
    if (folder.isEmpty())
        return nothingToUndo(place, run);
    const auto all = readManifest(place.kept(run));
    const auto steps = readUndo(folder);
    const auto withheld = readWithheld(place.kept(run));
    if (!all || !steps || !withheld)
        return std::unexpected(!all ? all.error() : !steps ? steps.error() : withheld.error());
    PendingChanges changes{.run = run};
    for (qsizetype i = 0; i < std::min(all->size(), steps->size()); ++i) {
        FolderChanges shown{.hostPath = all->at(i).folder.hostPath, .path = all->at(i).folder.path};
        for (const UndoStep &step : steps->at(i))
            shown.changes.append(step.done.change);
        hide(shown, *withheld);
        if (!shown.changes.isEmpty())
            changes.folders.append(shown);
    }
    changes.isCutShort = place.isHalfUndone(run) && place.isFree(run);
    changes.underWay = place.underWay(run);
    return changes;
}

Result<ApplyReport> undoKept(const StagingPlace &place, const QString &run, const Staging::Begin &begin,
                             const ApplyProgress &progress)
{
    const auto lock = place.hold(run);
    if (!lock)
        return lock.error().code == ErrorCode::NotFound ? nothingToUndo(place, run) : std::unexpected(lock.error());
    const auto undoable = undoableOf(place, run);
    if (!undoable)
        return std::unexpected(undoable.error());
    const QString folder = place.undoFolder(run);
    const bool wasCutShort = place.isHalfUndone(run);
    auto all = readManifest(place.kept(run));
    auto steps = readUndo(folder);
    const auto withheld = readWithheld(place.kept(run));
    if (!all || !steps || !withheld)
        return std::unexpected(!all ? all.error() : !steps ? steps.error() : withheld.error());
    Course course(progress, sizeOf(*steps));
    const Status sound = checkAllReplaced(folder, *steps, course);
    if (!course.goesOn())
        return fail(ErrorCode::Cancelled, QT_TRANSLATE_NOOP("engine", "Stopped. Nothing was undone."));
    if (!sound)
        return std::unexpected(sound.error());
    if (folder != place.beforeNow(run))
        forgetSteps(place,
                    place.beforeNow(run)); // of an applying that never began, which "undoing" would make to count
    const auto temporary = noteTemporary(place.undoing(run), place.applying(run));
    const Status begun = !temporary ? std::unexpected(temporary.error()) : begin ? begin(*undoable) : Status();
    if (!begun) {
        if (!wasCutShort)
            QFile::remove(place.undoing(run));
        return std::unexpected(begun.error());
    }
    if (wasCutShort || place.isHalfApplied(run))
        removeTemporariesOf(*all, *steps, *temporary);
    QFile::remove(place.stopped(run));
    ApplyReport report;
    for (qsizetype i = 0; i < std::min(all->size(), steps->size()); ++i) {
        KeptFolder &kept = (*all)[i];
        QList<UndoStep> &mine = (*steps)[i];
        report.isStopped = report.isStopped || (course.isStopped() && !mine.isEmpty());
        const bool isLeftAlone = mine.isEmpty() || report.isStopped;
        const UniqueFd original = isLeftAlone ? UniqueFd() : openOriginal(kept.folder, report);
        if (!original)
            continue;
        KeptFolder done{.folder = kept.folder, .changes = {}};
        for (const UndoStep &step : std::as_const(mine))
            done.changes.append(step.done);
        FolderChanges shown = done.shown();
        const QMap<QString, QString> hidden = hide(shown, *withheld);
        const PutBack result =
            putBack(mine, kept.folder, original.get(), contentsBefore(folder, i), *temporary, course);
        addReport(report, result.report, hidden);
        mine = result.left;
        const UniqueFd contents = openFolderOf(kept.folder.copy);
        QSet<QByteArray> waitAgain;
        for (const KeptChange &waiting : result.waiting)
            waitAgain.insert(keyFor(waiting));
        kept.changes.removeIf([&](const KeptChange &each) { return waitAgain.contains(keyFor(each)); });
        for (const KeptChange &waiting : result.waiting) {
            if (waiting.digest.isEmpty() || openContent(contents.get(), waiting)) // else thrown away meanwhile
                kept.changes.append(waiting);
        }
        sortChanges(kept.changes);
    }
    if (const Status noted = writeManifest(place.kept(run), *all); !noted) {
        report.refused.append(
            noted.error().message); // so the rest of undoing is left, as where Glovebox is killed here
        return report;
    }
    const bool isLeft = std::ranges::any_of(*steps, [](const QList<UndoStep> &mine) { return !mine.isEmpty(); });
    QFile::remove(place.applying(run));
    if (isLeft)
        static_cast<void>(writeUndo(folder, *steps));
    else
        forgetSteps(place, folder);
    if (isLeft && folder == place.beforeNow(run) && !settle(place, run))
        return report;
    QFile::remove(place.undoing(run));
    if (isNothing(*all) && place.undoFolder(run).isEmpty()) {
        if (const Status removed = place.throwAway(run); !removed)
            report.refused.append(removed.error().message);
    }
    return report;
}

} // namespace glovebox
