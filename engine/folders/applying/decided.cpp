// SPDX-License-Identifier: Apache-2.0
// Order matters where this program may be killed: what is replaced is kept before the first file is touched, and forgotten after the
// notes say what waits. Whatever is found half done, doing the same again finishes it.
#include "decided.h"

#include "apply.h"
#include "replaced.h"
#include "steps.h"

#include "engine/folders/keeping.h"

#include <QDir>
#include <QFile>
#include <QScopeGuard>
#include <QSet>

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Leaves those that were chosen; rest: gets the others. Each is found by all that was shown of it.
Status choose(QList<KeptFolder> &all, PendingChanges &waiting, const QList<FolderChanges> &chosen,
              QList<QList<KeptChange>> &rest)
{
    qsizetype wanted = 0;
    for (const FolderChanges &folder : chosen)
        wanted += folder.changes.size();
    qsizetype found = 0;
    qsizetype taken = 0;
    for (qsizetype i = 0; i < all.size(); ++i) {
        FolderChanges &shown = waiting.folders[i];
        const auto folder = std::ranges::find(chosen, shown.path, &FolderChanges::path);
        QMultiHash<QByteArray, FolderChange> asked;
        for (const FolderChange &change : folder == chosen.end() ? QList<FolderChange>() : folder->changes)
            asked.insert(change.path, change);
        ChangeChoice choice(shown.changes);
        QSet<qsizetype> meant;
        for (qsizetype j = 0; j < shown.changes.size(); ++j) {
            if (asked.contains(shown.changes[j].path, shown.changes[j]))
                meant.insert(j);
        }
        for (const qsizetype j : std::as_const(meant))
            choice.choose(j, true);
        found += meant.size();
        taken += choice.count();
        shown.changes = choice.chosen();
        QList<KeptChange> mine;
        for (qsizetype j = 0; j < all[i].changes.size(); ++j)
            (choice.isChosen(j) ? mine : rest[i]).append(all[i].changes[j]);
        all[i].changes = mine;
    }
    waiting.folders.removeIf([](const FolderChanges &folder) { return folder.changes.isEmpty(); });
    if (found != wanted || wanted == 0)
        return fail(
            ErrorCode::InvalidInput,
            QT_TRANSLATE_NOOP("engine", "These changes no longer wait. Review the waiting ones, and choose again."));
    if (taken != found)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "Some of these changes need others: a new folder goes with what is new "
                                                "in it, a removed one with all that was. Choose those as well."));
    return {};
}

// Keeps what would be replaced. known: what an earlier try that was killed or stopped has kept.
Result<Steps> keepAll(const StagingPlace &place, const QString &run, const QList<KeptFolder> &all, const Steps &known,
                      Course &course)
{
    const QString folder = place.beforeNow(run);
    if (known.isEmpty()) {
        forgetSteps(place, folder);
        if (Status made = makePrivateFolder(folder); !made)
            return std::unexpected(made.error());
    } else {
        forgetContents(folder, known);
    }
    Steps steps = known.isEmpty() ? Steps(all.size()) : known;
    ApplyReport unused;
    for (qsizetype i = 0; i < all.size(); ++i) {
        const UniqueFd original = all[i].isWhole ? openOriginal(all[i].folder, unused) : UniqueFd();
        if (!original)
            continue;
        if (Status kept = keepReplaced(all[i], original.get(), contentsBefore(folder, i), course, steps[i]); !kept)
            return std::unexpected(kept.error());
    }
    if (Status noted = writeUndo(folder, steps); !noted)
        return std::unexpected(noted.error());
    syncFolder(folder);
    syncFolder(place.kept(run));
    return steps;
}

// Changes that were certainly never done, by key.
QSet<QByteArray> neverDoneOf(const QList<UndoStep> &steps, const StagedFolder &folder)
{
    ApplyReport unused;
    const UniqueFd original = steps.isEmpty() ? UniqueFd() : openOriginal(folder, unused);
    QSet<QByteArray> never;
    for (const UndoStep &step : original ? neverDone(steps, original.get()) : QList<UndoStep>())
        never.insert(keyFor(step.done));
    return never;
}

// What an applying that was killed never came to needs no undoing.
void forgetNeverDone(const StagingPlace &place, const QString &run, Steps steps, const QList<KeptFolder> &all)
{
    for (qsizetype i = 0; i < std::min(steps.size(), all.size()); ++i) {
        const QSet<QByteArray> never = neverDoneOf(steps[i], all[i].folder);
        steps[i].removeIf([&](const UndoStep &step) { return never.contains(keyFor(step.done)); });
    }
    if (std::ranges::all_of(steps, &QList<UndoStep>::isEmpty))
        forgetSteps(place, place.beforeNow(run));
    else
        noteSteps(place.beforeNow(run), steps);
}

// After applying: what was refused, or not come to, needs no undoing, unless an earlier try did it. False: nothing can be undone.
bool forgetUndone(const StagingPlace &place, const QString &run, Steps steps, const Steps &known,
                  const QList<KeptFolder> &left)
{
    const QString now = place.beforeNow(run);
    bool isAny = false;
    for (qsizetype i = 0; i < steps.size(); ++i) {
        QSet<QByteArray> refused;
        for (const KeptChange &kept : left[i].changes)
            refused.insert(keyFor(kept));
        const QSet<QByteArray> never = neverDoneOf(known.value(i), left[i].folder);
        for (const UndoStep &step : known.value(i)) {
            if (!never.contains(keyFor(step.done)))
                refused.remove(keyFor(step.done));
        }
        steps[i].removeIf([&](const UndoStep &step) { return refused.contains(keyFor(step.done)); });
        isAny = isAny || !steps[i].isEmpty();
    }
    if (!isAny) {
        forgetSteps(place, now);
        return false;
    }
    noteSteps(now, steps); // else all of them stay, and what was never done is found as it was
    return true;
}

// How much there is to do.
AppliedUntilNow sizeOf(const QList<KeptFolder> &all)
{
    AppliedUntilNow size;
    for (const KeptFolder &kept : all) {
        size.allChanges += kept.changes.size();
        for (const KeptChange &each : kept.changes)
            size.allBytes += each.digest.isEmpty() ? 0 : each.change.bytes;
    }
    return size;
}

// By an earlier try.
QList<KeptChange> doneBy(const QList<UndoStep> &steps)
{
    QList<KeptChange> done;
    for (const UndoStep &step : steps)
        done.append(step.done);
    return done;
}

std::unexpected<Error> stoppedBefore()
{
    return fail(ErrorCode::Cancelled, QT_TRANSLATE_NOOP("engine", "Stopped. Nothing was applied: the changes wait."));
}

} // namespace

Result<ApplyReport> applyKept(const StagingPlace &place, const QString &run, const Pending &pending,
                              const Staging::Begin &begin, const ChosenChanges &chosen, const ApplyProgress &progress)
{
    const auto lock = place.hold(run);
    if (!lock)
        return std::unexpected(lock.error());
    if (place.isHalfUndone(run))
        return restMustBeUndone(run);
    // Of an undoing that was killed when all was done: beside the steps of this one it would look half done.
    QFile::remove(place.undoing(run));
    const QString folder = place.kept(run);
    auto all = readManifest(folder);
    if (!all)
        return all.error().code == ErrorCode::NotFound ? nothingWaits(run) : std::unexpected(all.error());
    auto waiting = pending();
    if (!waiting)
        return std::unexpected(waiting.error());
    const auto withheld = readWithheld(folder);
    if (!withheld)
        return std::unexpected(withheld.error());
    QList<QList<KeptChange>> rest(all->size());
    if (const Status is = chosen ? choose(*all, *waiting, *chosen, rest) : Status(); !is)
        return std::unexpected(is.error());
    Course course(progress, sizeOf(*all));
    for (const KeptFolder &kept : *all) {
        const Status sound = checkContents(kept, course.asking());
        if (course.isStopped())
            return stoppedBefore();
        if (!sound)
            return std::unexpected(sound.error());
    }
    const bool wasCutShort = place.isHalfApplied(run);
    const auto known = wasCutShort ? readUndo(place.beforeNow(run)) : Steps();
    Course nobodyWaits;
    const Status isSound =
        known ? checkAllReplaced(place.beforeNow(run), *known, nobodyWaits) : std::unexpected(known.error());
    if (!isSound)
        return std::unexpected(isSound.error());
    const auto withdraw = [&] {
        if (wasCutShort)
            noteSteps(place.beforeNow(run), *known); // else what was never done is found as it was
        else
            forgetSteps(place, place.beforeNow(run));
    };
    auto steps = keepAll(place, run, *all, *known, course);
    if (course.isStopped()) {
        withdraw();
        return stoppedBefore();
    }
    const Status hasRoom = steps ? checkRoom(*all) : std::unexpected(steps.error());
    if (!hasRoom) {
        withdraw();
        return std::unexpected(hasRoom.error());
    }
    const auto temporary = noteTemporary(place.applying(run), place.undoing(run));
    const Status begun = !temporary ? std::unexpected(temporary.error()) : begin ? begin(*waiting) : Status();
    if (!begun) {
        withdraw();
        if (!wasCutShort)
            QFile::remove(place.applying(run));
        return std::unexpected(begun.error());
    }
    const bool wasStopped = wasCutShort && place.isStopped(run);
    QFile::remove(place.stopped(run)); // from here on a kill leaves it half done
    const auto withRest = [&] {
        QList<KeptFolder> both = *all;
        for (qsizetype i = 0; i < both.size(); ++i) {
            both[i].changes += rest[i];
            sortChanges(both[i].changes);
        }
        return both;
    };
    if (wasCutShort)
        removeTemporariesOf(withRest(), *known, *temporary);
    // What was applied before: it may have closed a folder in which changes still wait, or wait again. Where that note can't be read, the
    // folder stays closed, and each of these changes is refused with the reason.
    const Steps applied = readUndo(place.before(run)).value_or(Steps());
    ApplyReport report;
    for (qsizetype i = 0; i < all->size(); ++i) {
        KeptFolder &kept = (*all)[i];
        if (kept.isWhole && kept.changes.isEmpty())
            continue;
        report.isStopped = report.isStopped || course.isStopped();
        const UniqueFd original = report.isStopped ? UniqueFd() : openOriginal(kept.folder, report);
        if (!original)
            continue;
        if (!kept.isWhole) {
            report.refused.append(
                Text(QT_TRANSLATE_NOOP("engine", "The copy of %1 was too large, too deep or too private to compare. "
                                                 "Nothing of it was applied. Found changes are in %2."),
                     {kept.folder.hostPath, kept.folder.copy}));
            continue;
        }
        FolderChanges shown = kept.shown();
        const QMap<QString, QString> hidden = hide(shown, *withheld);
        addReport(report,
                  applyChanges(kept, original.get(), openFolderOf(kept.folder.copy).get(), *temporary, course,
                               {doneBy(applied.value(i)) + doneBy(known->value(i)), wasCutShort && !wasStopped}),
                  hidden);
    }
    const QList<KeptFolder> left = withRest();
    if (const Status noted = writeManifest(folder, left); !noted) {
        report.refused.append(noted.error().message); // so all wait, as where Glovebox is killed here
        return report;
    }
    const bool isUndoable = forgetUndone(place, run, *std::move(steps), *known, *all);
    const bool isLeft = report.isStopped || (wasStopped && !isNothing(left)); // then undoing covers all parts
    if (isUndoable && (isLeft || !settle(place, run))) {
        static_cast<void>(replaceFile(place.stopped(run), {})); // else it looks as if Glovebox was killed here
        return report;
    }
    if (isUndoable)
        forgetReplaced(place, run);
    QFile::remove(place.applying(run));
    if (isNothing(left) && place.undoFolder(run).isEmpty()) {
        if (Status removed = place.throwAway(run); !removed)
            report.refused.append(removed.error().message);
    }
    return report;
}

// Changes that can't be read any more can be thrown away all the same. Where something can be undone, it still can, without what is thrown
// away.
Status discardKept(const StagingPlace &place, const QString &run, const Pending &pending, const Staging::Begin &begin)
{
    const auto lock = place.hold(run);
    if (!lock)
        return std::unexpected(lock.error());
    const auto waiting = pending();
    if (!waiting && (waiting.error().code == ErrorCode::NotFound || waiting.error().code == ErrorCode::Busy))
        return std::unexpected(waiting.error());
    if (const Status begun = begin ? begin(waiting.value_or(PendingChanges{.run = run})) : Status(); !begun)
        return begun;
    const auto forget = qScopeGuard([note = place.discarding(run)] { QFile::remove(note); });
    if (QFile note(place.discarding(run)); !note.open(QIODevice::WriteOnly))
        note.remove(); // without it, nobody is told
    auto all = readManifest(place.kept(run));
    if (!all || place.undoFolder(run).isEmpty())
        return place.throwAway(run);
    if (place.isHalfApplied(run)) {
        const auto steps = readUndo(place.beforeNow(run));
        if (const auto temporary = noteTemporary(place.applying(run), place.undoing(run)))
            removeTemporariesOf(*all, steps.value_or(Steps()), *temporary);
        if (steps)
            forgetNeverDone(place, run, *steps, *all);
        if (place.undoFolder(run).isEmpty())
            return place.throwAway(run);
    }
    const bool isHalfApplied = place.isHalfApplied(run);
    QList<KeptFolder> nothing = *all;
    for (KeptFolder &kept : nothing) {
        kept.changes.clear();
        kept.isWhole = true;
    }
    if (const Status noted = writeManifest(place.kept(run), nothing); !noted)
        return noted;
    for (const KeptFolder &kept : std::as_const(*all)) {
        for (const KeptChange &change : kept.changes)
            QFile::remove(kept.folder.copy + u'/' + QString::number(change.number));
    }
    if (isHalfApplied && !settle(place, run))
        return {};
    QFile::remove(place.applying(run));
    QFile::remove(place.stopped(run));
    return {};
}

void forgetReplaced(const StagingPlace &place, const QString &exceptRun)
{
    const QStringList runs = QDir(place.kept()).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString &run : runs) {
        if (run == exceptRun || place.undoFolder(run).isEmpty())
            continue;
        const auto lock = place.hold(run);
        if (!lock)
            continue; // its changes are decided about at the moment
        if (place.isHalfUndone(run))
            continue; // the rest of it has to be undone
        forgetSteps(place, place.before(run));
        const auto all = readManifest(place.kept(run));
        if (all && isNothing(*all))
            static_cast<void>(place.throwAway(run));
    }
}

} // namespace glovebox
