// SPDX-License-Identifier: Apache-2.0
// Order matters where this program may be killed: what is replaced is kept before the first file is touched, and forgotten after the
// notes say what waits. Whatever is found half done, doing the same again finishes it.
#include "decided.h"

#include "apply.h"
#include "replaced.h"

#include "engine/folders/keeping.h"

#include <QDir>
#include <QFile>
#include <QSet>

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Steps = QList<QList<UndoStep>>;

bool isNothing(const QList<KeptFolder> &all)
{
    return std::ranges::all_of(all, [](const KeptFolder &kept) { return kept.isWhole && kept.changes.isEmpty(); });
}

QString contentsBefore(const QString &folder, qsizetype index)
{
    return folder + u'/' + QString::number(index);
}

std::unexpected<Error> nothingToUndo(const QString &run)
{
    return fail(
        ErrorCode::NotFound,
        Text(QT_TRANSLATE_NOOP("engine", "Nothing that was applied of a run %1 can be undone. \"glovebox changes "
                                         "list\" lists the runs with changes."),
             {run}));
}

// The steps first: whoever is killed then leaves contents that nobody needs, and never steps without contents.
void forgetSteps(const StagingPlace &place, const QString &folder)
{
    QFile::remove(place.stepsIn(folder));
    static_cast<void>(removeTree(folder));
}

// From now on this applying can be undone, and nothing older.
void settle(const StagingPlace &place, const QString &run)
{
    forgetSteps(place, place.before(run));
    ::rename(QFile::encodeName(place.beforeNow(run)).constData(), QFile::encodeName(place.before(run)).constData());
}

// A name for what is being written, noted while it may be there. other: the note of who may have been killed at something else.
Result<QByteArray> noteTemporary(const QString &path, const QString &other)
{
    QFile before(other);
    QFile note(path);
    QByteArray known = note.open(QIODevice::ReadWrite) ? note.readAll() : QByteArray();
    const bool isNew = known.isEmpty();
    if (isNew && before.open(QIODevice::ReadOnly))
        known = before.readAll();
    if (known.isEmpty())
        known = ".glovebox-" + newId(Clock::system()).toLatin1();
    if (!note.isOpen() || (isNew && (note.write(known) != known.size() || !note.flush())))
        return fail(ErrorCode::Io,
                    Text(QT_TRANSLATE_NOOP("engine", "The file %1 can't be written: %2. Check the free space."),
                         {note.fileName(), note.errorString()}));
    return known;
}

// Still the one that was copied; else it is refused.
UniqueFd openOriginal(const StagedFolder &folder, ApplyReport &report)
{
    UniqueFd original = openFolderOf(folder.hostPath);
    struct stat info = {};
    if (original && ::fstat(original.get(), &info) == 0 && info.st_dev == folder.device && info.st_ino == folder.inode)
        return original;
    report.refused.append(
        Text(QT_TRANSLATE_NOOP("engine", "%1 is no longer the folder that was copied."), {folder.hostPath}));
    return {};
}

// Nobody gets to know by a refusal what is withheld.
void addReport(ApplyReport &all, const ApplyReport &part, const QMap<QString, QString> &hidden)
{
    all.applied += part.applied;
    for (Text refusal : part.refused) {
        for (QString &arg : refusal.args)
            arg = hidden.value(arg, arg);
        all.refused.append(refusal);
    }
}

// Removes the files that a killed try left beside the places of changes.
void removeTemporariesOf(const QList<KeptFolder> &all, const Steps &steps, const QByteArray &temporary)
{
    ApplyReport unused;
    for (qsizetype i = 0; i < all.size(); ++i) {
        QList<KeptChange> places = all[i].changes;
        for (const UndoStep &step : steps.value(i))
            places.append(step.done);
        const UniqueFd original = places.isEmpty() ? UniqueFd() : openOriginal(all[i].folder, unused);
        if (original)
            removeTemporaries(original.get(), places, temporary);
    }
}

Status checkAllReplaced(const QString &folder, const Steps &steps)
{
    for (qsizetype i = 0; i < steps.size(); ++i) {
        if (const Status sound = checkReplaced(steps[i], contentsBefore(folder, i)); !sound)
            return sound;
    }
    return {};
}

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

// Keeps what would be replaced. known: what an earlier try that was killed has kept.
Result<Steps> keepAll(const StagingPlace &place, const QString &run, const QList<KeptFolder> &all, const Steps &known)
{
    const QString folder = place.beforeNow(run);
    if (known.isEmpty()) {
        forgetSteps(place, folder);
        if (Status made = makePrivateFolder(folder); !made)
            return std::unexpected(made.error());
    }
    Steps steps = known.isEmpty() ? Steps(all.size()) : known;
    ApplyReport unused;
    for (qsizetype i = 0; i < all.size(); ++i) {
        const UniqueFd original = all[i].isWhole ? openOriginal(all[i].folder, unused) : UniqueFd();
        if (!original)
            continue;
        if (Status kept = keepReplaced(all[i], original.get(), contentsBefore(folder, i), steps[i]); !kept)
            return std::unexpected(kept.error());
    }
    if (Status noted = writeUndo(folder, steps); !noted)
        return std::unexpected(noted.error());
    syncFolder(folder);
    syncFolder(place.kept(run));
    return steps;
}

// The removal at a path, and what takes its place there, are two.
QByteArray keyFor(const KeptChange &kept)
{
    return QByteArray::number(int(kept.change.kind)) + kept.change.path;
}

// After applying: what was refused needs no undoing, unless an earlier try did it.
void settleSteps(const StagingPlace &place, const QString &run, Steps steps, const Steps &known,
                 const QList<KeptFolder> &left)
{
    bool isAny = false;
    for (qsizetype i = 0; i < steps.size(); ++i) {
        QSet<QByteArray> refused;
        for (const KeptChange &kept : left[i].changes)
            refused.insert(keyFor(kept));
        for (const UndoStep &step : known.value(i))
            refused.remove(keyFor(step.done));
        steps[i].removeIf([&](const UndoStep &step) { return refused.contains(keyFor(step.done)); });
        isAny = isAny || !steps[i].isEmpty();
    }
    const QString now = place.beforeNow(run);
    if (!isAny)
        return forgetSteps(place, now);
    static_cast<void>(writeUndo(now, steps)); // else all of them stay, and what was never done is found as it was
    settle(place, run);
    forgetReplaced(place, run);
}

} // namespace

Result<ApplyReport> applyKept(const StagingPlace &place, const QString &run, const Pending &pending,
                              const Staging::Begin &begin, const ChosenChanges &chosen)
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
    for (const KeptFolder &kept : *all) {
        if (const Status sound = checkContents(kept); !sound)
            return std::unexpected(sound.error());
    }
    const bool wasCutShort = place.isHalfApplied(run);
    const auto known = wasCutShort ? readUndo(place.beforeNow(run)) : Steps();
    const Status isSound = known ? checkAllReplaced(place.beforeNow(run), *known) : std::unexpected(known.error());
    if (!isSound)
        return std::unexpected(isSound.error());
    const auto withdraw = [&] {
        if (!wasCutShort)
            forgetSteps(place, place.beforeNow(run));
    };
    auto steps = keepAll(place, run, *all, *known);
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
    ApplyReport report;
    for (KeptFolder &kept : *all) {
        if (kept.isWhole && kept.changes.isEmpty())
            continue;
        const UniqueFd original = openOriginal(kept.folder, report);
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
        addReport(report, applyChanges(kept, original.get(), openFolderOf(kept.folder.copy).get(), *temporary), hidden);
    }
    const QList<KeptFolder> left = withRest();
    if (const Status noted = writeManifest(folder, left); !noted) {
        report.refused.append(noted.error().message); // so all wait, as where Glovebox is killed here
        return report;
    }
    settleSteps(place, run, *std::move(steps), *known, *all);
    QFile::remove(place.applying(run));
    if (isNothing(left) && place.undoFolder(run).isEmpty()) {
        if (Status removed = place.throwAway(run); !removed)
            report.refused.append(removed.error().message);
    }
    return report;
}

Result<PendingChanges> undoableOf(const StagingPlace &place, const QString &run)
{
    const QString folder = isId(run) ? place.undoFolder(run) : QString();
    if (folder.isEmpty())
        return nothingToUndo(run);
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
    return changes;
}

Result<ApplyReport> undoKept(const StagingPlace &place, const QString &run, const Staging::Begin &begin)
{
    const auto lock = place.hold(run);
    if (!lock)
        return lock.error().code == ErrorCode::NotFound ? nothingToUndo(run) : std::unexpected(lock.error());
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
    if (const Status sound = checkAllReplaced(folder, *steps); !sound)
        return std::unexpected(sound.error());
    const auto temporary = noteTemporary(place.undoing(run), place.applying(run));
    const Status begun = !temporary ? std::unexpected(temporary.error()) : begin ? begin(*undoable) : Status();
    if (!begun) {
        if (!wasCutShort)
            QFile::remove(place.undoing(run));
        return std::unexpected(begun.error());
    }
    if (wasCutShort || place.isHalfApplied(run))
        removeTemporariesOf(*all, *steps, *temporary);
    ApplyReport report;
    for (qsizetype i = 0; i < std::min(all->size(), steps->size()); ++i) {
        KeptFolder &kept = (*all)[i];
        QList<UndoStep> &mine = (*steps)[i];
        const UniqueFd original = mine.isEmpty() ? UniqueFd() : openOriginal(kept.folder, report);
        if (!original)
            continue;
        KeptFolder done{.folder = kept.folder, .changes = {}};
        for (const UndoStep &step : std::as_const(mine))
            done.changes.append(step.done);
        FolderChanges shown = done.shown();
        const QMap<QString, QString> hidden = hide(shown, *withheld);
        const PutBack result = putBack(mine, kept.folder, original.get(), contentsBefore(folder, i), *temporary);
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
    if (isLeft && folder == place.beforeNow(run))
        settle(place, run);
    QFile::remove(place.undoing(run));
    if (isNothing(*all) && place.undoFolder(run).isEmpty()) {
        if (const Status removed = place.throwAway(run); !removed)
            report.refused.append(removed.error().message);
    }
    return report;
}

// Changes that can't be read any more can be thrown away all the same. Where something can be undone, it still can, without what is thrown away.
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
    auto all = readManifest(place.kept(run));
    if (!all || place.undoFolder(run).isEmpty())
        return place.throwAway(run);
    const bool isHalfApplied = place.isHalfApplied(run);
    if (isHalfApplied) {
        if (const auto temporary = noteTemporary(place.applying(run), place.undoing(run)))
            removeTemporariesOf(*all, readUndo(place.beforeNow(run)).value_or(Steps()), *temporary);
    }
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
    if (isHalfApplied)
        settle(place, run);
    QFile::remove(place.applying(run));
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
