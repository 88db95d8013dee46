// SPDX-License-Identifier: Apache-2.0
// `glovebox changes ...`: what runs changed in copies of folders (--mount HOST:PATH:stage), and what becomes of it.
#include "app/cli/command.h"
#include "app/cli/session/sessionview.h"
#include "app/cli/terminal/terminal.h"
#include "changesdiff.h"
#include "changesnames.h"
#include "changesview.h"

#include <QFile>
#include <QJsonArray>

#include <algorithm>
#include <cerrno>

#include <unistd.h>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// To look, no engine is needed.
Result<std::unique_ptr<Staging>> openStaging()
{
    auto paths = Paths::standard();
    if (!paths)
        return std::unexpected(paths.error());
    if (::access(QFile::encodeName(paths->data).constData(), R_OK | X_OK) != 0
        && errno == EACCES) // which is not "none"
        return fail(ErrorCode::PermissionDenied,
                    Text("The folder %1 can't be read, so whether changes wait there isn't known. Correct its "
                         "permissions.",
                         {paths->data}));
    return std::make_unique<Staging>(*paths, newId(Clock::system()), runIdentity);
}

QJsonObject jsonOf(const PendingChanges &changes, bool areApplied)
{
    const QJsonValue underWay = !changes.underWay                         ? QJsonValue()
                                : changes.underWay == FolderDeed::Undo    ? QJsonValue(u"undo"_s)
                                : changes.underWay == FolderDeed::Discard ? QJsonValue(u"discard"_s)
                                                                          : QJsonValue(u"apply"_s);
    QJsonArray folders;
    for (const FolderChanges &folder : changes.folders)
        folders.append(toJson(folder));
    return {{u"run"_s, changes.run},
            {u"folders"_s, folders},
            {u"applied"_s, areApplied},
            {u"cut_short"_s, changes.isCutShort},
            {u"under_way"_s, underWay}};
}

// state: what comes after the folder.
void printChanges(const PendingChanges &changes, const QString &state)
{
    for (const FolderChanges &folder : changes.folders) {
        const qsizetype count = folder.changes.size();
        if (count == 0 && folder.isWhole)
            continue;
        if (!folder.isWhole) {
            printLine(u"%1  the copy of %2, which couldn't be compared%3"_s.arg(changes.run, folder.hostPath, state));
            continue;
        }
        print(u"%1  %2 %3 in the copy of %4%5\n"_s.arg(
            changes.run, QString::number(count), count == 1 ? u"change"_s : u"changes"_s,
            QString::fromUtf8(escapedLine(folder.hostPath.toUtf8())), state));
    }
}

int listChanges(const Arguments &arguments)
{
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"\"changes list\" takes options only."_s, u"changes list"_s);
    const auto staging = openStaging();
    if (!staging)
        return sayFailure(staging.error());
    QList<Error> unreadable;
    const QList<PendingChanges> all = (*staging)->pending(&unreadable);
    QList<PendingChanges> undoable = (*staging)->undoable();
    // What of them is applied already isn't known before the end.
    undoable.removeIf(
        [](const PendingChanges &changes) { return changes.underWay && changes.underWay != FolderDeed::Undo; });
    const auto isCutShort = [&](const QString &run) {
        const auto waiting = std::ranges::find(all, run, &PendingChanges::run);
        return waiting != all.end() && waiting->isCutShort;
    };
    if (arguments.has("--json")) {
        for (const PendingChanges &changes : all)
            printJson(jsonOf(changes, false));
        for (const PendingChanges &changes : undoable)
            printJson(jsonOf(changes, true));
    } else {
        for (const PendingChanges &changes : all)
            printChanges(changes, changes.underWay == FolderDeed::Apply     ? u", being applied"_s
                                  : changes.underWay == FolderDeed::Discard ? u", being discarded"_s
                                  : changes.isCutShort ? u", cut short while they were applied: apply them again"_s
                                                       : QString());
        if (all.isEmpty() && unreadable.isEmpty())
            print(u"No pending changes.\n"_s);
        for (const PendingChanges &changes : undoable)
            printChanges(changes, changes.underWay          ? u", being undone"_s
                                  : changes.isCutShort      ? u", cut short while they were undone: undo the rest"_s
                                  : isCutShort(changes.run) ? u", some of them applied: can be undone"_s
                                                            : u", applied: can be undone"_s);
    }
    for (const Error &error : std::as_const(unreadable))
        say(error.message.english());
    return unreadable.isEmpty() ? 0 : ExitStatus::failed;
}

// Changes of the run that a person named first, which wait, and the names of files behind it.
struct NamedChanges
{
    std::unique_ptr<Staging> staging;
    PendingChanges waiting;
    QByteArrayList files;
};

Result<NamedChanges> changesOfNamedRun(const Arguments &arguments)
{
    ASSIGN_OR_RETURN(auto staging, openStaging());
    ASSIGN_OR_RETURN(const QString run, runCalled(arguments.positional.first(), staging->pending()));
    ASSIGN_OR_RETURN(auto waiting, staging->pending(run));
    return NamedChanges{std::move(staging), std::move(waiting), arguments.positional.sliced(1) + arguments.afterDashes};
}

// What jsonOf() says of changes that wait, with the lines of each file.
QJsonObject jsonWithLines(const PendingChanges &changes, LinesOfChanges &lines)
{
    QJsonObject object = jsonOf(changes, false);
    QJsonArray folders = object[u"folders"_s].toArray();
    for (qsizetype i = 0; i < folders.size(); ++i) {
        QJsonObject folder = folders[i].toObject();
        QJsonArray all = folder[u"changes"_s].toArray();
        for (qsizetype j = 0; j < all.size(); ++j) {
            QJsonObject change = all[j].toObject();
            change[u"diff"_s] = lines.json(changes.folders[i].path, changes.folders[i].changes[j]);
            all[j] = change;
        }
        folder[u"changes"_s] = all;
        folders[i] = folder;
    }
    object[u"folders"_s] = folders;
    return object;
}

int showChanges(const Arguments &arguments)
{
    if (arguments.positional.isEmpty())
        return sayUsage(u"Name one run by its id, and perhaps files that it changed."_s, u"changes show"_s);
    auto named = changesOfNamedRun(arguments);
    if (!named)
        return sayFailure(named.error());
    PendingChanges &changes = named->waiting;
    const bool isAll = named->files.isEmpty();
    if (!isAll) {
        auto found = changesAtOrBelow(named->files, changes);
        if (!found) {
            say(found.error());
            return ExitStatus::failed;
        }
        changes.folders = *std::move(found);
    }
    LinesOfChanges lines(*named->staging, changes.run);
    const bool isDiff = arguments.has("--diff");
    if (arguments.has("--json")) {
        printJson(isDiff ? jsonWithLines(changes, lines) : jsonOf(changes, false));
        return 0;
    }
    const auto linesBelow = [&](const QString &folder, const FolderChange &change) {
        return lines.text(folder, change);
    };
    QByteArray shown = shownChanges(changes, isDiff ? BelowChange(linesBelow) : BelowChange(), !isAll);
    const bool hasFiles = std::ranges::any_of(changes.folders, [](const FolderChanges &folder) {
        return folder.isWhole && std::ranges::any_of(folder.changes, [](const FolderChange &change) {
                   return change.type == FolderChange::Type::File;
               });
    });
    if (!isDiff && hasFiles)
        shown += "The lines that are different: glovebox changes show " + changes.run.toUtf8() + " --diff\n";
    print(QByteArrayView(shown));
    return 0;
}

// "2026-11-28 09:30", by the milliseconds that an id begins with (RFC 9562, section 5.7).
QString beganAt(const QString &run)
{
    return minuteOf(QString(run).remove(u'-').first(12).toLongLong(nullptr, 16) * 1000);
}

int applyChanges(const Arguments &arguments)
{
    if (arguments.positional.isEmpty())
        return sayUsage(u"Name one run by its id, and perhaps files that it changed."_s, u"changes apply"_s);
    const auto named = changesOfNamedRun(arguments);
    if (!named)
        return sayFailure(named.error());
    const PendingChanges &waiting = named->waiting;
    ChosenChanges chosen;
    if (!named->files.isEmpty()) {
        auto found = changesNamed(named->files, waiting);
        if (!found) {
            say(found.error());
            return ExitStatus::failed;
        }
        chosen = *std::move(found);
    }
    say(u"To be applied: changes of run %1 of %2."_s.arg(waiting.run, beganAt(waiting.run))); // "last" named none
    if (!arguments.has("--yes") && isTerminal(STDIN_FILENO) && isTerminal(STDERR_FILENO)) {
        PendingChanges asked = waiting;
        asked.folders = chosen.value_or(waiting.folders);
        writeAll(STDERR_FILENO, shownChanges(asked));
        chosen = asksToApply(asked, u"Nothing was applied."_s);
        if (!chosen) {
            say(u"Nothing was applied."_s);
            return ExitStatus::failed;
        }
    }
    bool isRestLeft = false;
    if (!arguments.has("--yes") && !chosen) { // nobody is here to be asked
        const QList<FolderChanges> rest = withoutMarked(waiting.folders);
        if (const qsizetype left = countOf(waiting.folders) - countOf(rest); left > 0) {
            say(left == 1
                    ? u"1 change is marked or withheld and goes on waiting: name it, or add --yes."_s
                    : u"%1 changes are marked or withheld and go on waiting: name them, or add --yes."_s.arg(left));
            if (countOf(rest) == 0)
                return ExitStatus::failed;
            chosen = rest;
            isRestLeft = true;
        }
    }
    const auto engine = openEngine({.runsOnce = true});
    if (!engine)
        return sayFailure(engine.error());
    const int status = applyAndSay(**engine, waiting.run, chosen, true);
    return status == 0 && isRestLeft ? int(ExitStatus::failed) : status;
}

// Whether to go on: which run, where and what, is shown before it is asked. What can't be undone is for the engine to say.
bool isUndoingWanted(const Staging &staging, const QString &run)
{
    const auto undoable = staging.undoable(run);
    if (!undoable)
        return true;
    say(u"Run %1 of %2, applied:"_s.arg(run, beganAt(run)));
    sayFiles(undoable->folders);
    if (asksWhether(u"Put the originals back as they were?"_s, u"Nothing was undone."_s))
        return true;
    say(u"Nothing was undone."_s);
    return false;
}

int undoChanges(const Arguments &arguments)
{
    if (arguments.positional.size() > 1 || arguments.dashes)
        return sayUsage(u"\"changes undo\" takes all files of one run, so name no files."_s, u"changes undo"_s);
    const auto staging = openStaging();
    if (!staging)
        return sayFailure(staging.error());
    const QList<PendingChanges> undoable = (*staging)->undoable();
    const bool isNamed = !arguments.positional.isEmpty();
    if (undoable.isEmpty() && (!isNamed || meansLatest(arguments.positional.first()))) {
        say(u"No applied changes can be undone."_s);
        return ExitStatus::failed;
    }
    QString run;
    QStringList hostPaths;
    if (isNamed) {
        const auto called = runCalled(arguments.positional.first(), undoable);
        if (!called)
            return sayFailure(called.error());
        run = *called;
    } else {
        if (undoable.size() > 1) {
            say(u"The applied changes of several runs can be undone. Name one of the runs that \"glovebox changes "
                "list\" lists."_s);
            return ExitStatus::failed;
        }
        run = undoable.first().run;
        for (const FolderChanges &folder : undoable.first().folders)
            hostPaths.append(folder.hostPath);
    }
    if (!arguments.has("--yes") && isTerminal(STDIN_FILENO) && isTerminal(STDERR_FILENO)) {
        if (!isUndoingWanted(**staging, run))
            return ExitStatus::failed;
    } else if (!isNamed) { // nobody is asked, and which one it is may surprise
        say(u"Undoing the changes of run %1 of %2 in %3."_s.arg(run, beganAt(run), hostPaths.join(u", "_s)));
    }
    // The engine opens after the answer, about which a person may think for hours.
    const auto engine = openEngine({.runsOnce = true});
    return engine ? undoAndSay(**engine, run) : sayFailure(engine.error());
}

// Whether to go on. What nobody can read may be dear, too; what doesn't wait is for the engine to say.
bool isLossWanted(const Result<PendingChanges> &waiting)
{
    qsizetype count = 0;
    for (const FolderChanges &folder : waiting ? waiting->folders : QList<FolderChanges>())
        count += folder.changes.size();
    const bool isUnreadable =
        !waiting && (waiting.error().code == ErrorCode::Damaged || waiting.error().code == ErrorCode::Newer);
    if (!waiting && !isUnreadable)
        return true;
    if (waiting)
        writeAll(STDERR_FILENO, shownChanges(*waiting));
    const QString what = isUnreadable ? sentenceOf(waiting.error())
                         : count == 1 ? u"1 change in copies waits."_s
                                      : u"%1 changes in copies wait."_s.arg(count);
    if (asksWhether(what + u" Nothing restores what is discarded. Discard all of it?"_s, u"Nothing was discarded."_s))
        return true;
    say(u"Nothing was discarded."_s);
    return false;
}

int discardChanges(const Arguments &arguments)
{
    if (arguments.positional.size() > 1 || (arguments.positional.size() == 1 && arguments.dashes))
        return sayUsage(
            u"\"changes discard\" takes all that waits of a run. To drop some files, apply the others first: "
            "glovebox changes apply %1 PATH"_s.arg(asShellWord(arguments.positional.first())),
            u"changes discard"_s);
    if (arguments.positional.isEmpty())
        return sayUsage(u"Name one run by its id."_s, u"changes discard"_s);
    const auto staging = openStaging();
    if (!staging)
        return sayFailure(staging.error());
    const auto called = runCalled(arguments.positional.first(), (*staging)->pending());
    if (!called)
        return sayFailure(called.error());
    const QString &run = *called;
    const auto waiting = (*staging)->pending(run);
    if (!arguments.has("--yes") && isTerminal(STDIN_FILENO) && isTerminal(STDERR_FILENO) && !isLossWanted(waiting))
        return ExitStatus::failed;
    const auto engine = openEngine({.runsOnce = true});
    if (!engine)
        return sayFailure(engine.error());
    const Status discarded = (*engine)->discardChanges(run, (*engine)->caller());
    if (!discarded)
        return sayFailure(discarded.error());
    say(u"The changes of run %1 that waited were discarded."_s.arg(run));
    sayFiles(waiting ? waiting->folders : QList<FolderChanges>());
    if ((*engine)->staging().undoable(run))
        say(u"Changes that were applied before stay. \"glovebox changes undo %1\" undoes those that were applied last."_s
                .arg(run));
    return 0;
}

} // namespace

std::vector<Command> changesCommands()
{
    const std::vector<Option> json{{"--json", "", u"print JSON, one object a run"_s}};
    const std::vector<Option> yes{{"--yes", "", u"ask nothing at a terminal"_s}};
    std::vector<Command> commands{
        {.name = u"changes list"_s,
         .summary = u"list the changes to copies of folders that wait for you"_s,
         .synopsis = u"[--json]"_s,
         .options = json,
         .run = listChanges},
        {.name = u"changes show"_s,
         .summary = u"show what a run changed in the copies of folders"_s,
         .synopsis = u"RUN [--] [PATH...]"_s,
         .options = {{"--diff", "", u"show the lines that are different in each file"_s}, json.front()},
         .run = showChanges},
        {.name = u"changes apply"_s,
         .summary = u"apply a run's changes in copies to the originals"_s,
         .synopsis = u"RUN [--] [PATH...]"_s,
         .options = {{"--yes", "", u"ask nothing, and apply also what is marked or withheld"_s}},
         .run = applyChanges},
        {.name = u"changes undo"_s,
         .summary = u"put originals back as they were before changes were applied"_s,
         .synopsis = u"[RUN]"_s,
         .options = yes,
         .run = undoChanges},
        {.name = u"changes discard"_s,
         .summary = u"discard a run's changes in copies"_s,
         .synopsis = u"RUN"_s,
         .options = yes,
         .run = discardChanges},
    };
    for (Command &command : commands)
        command.details =
            uR"(A run that is shown a folder by --mount HOST:PATH:stage works on a copy. Its changes wait here, for
thirty days at most, until you apply or discard them. A file that was changed in the
original meanwhile is never overwritten. PATHs, as "changes show" prints them, show or apply only those.
Ctrl+C stops applying before the next file; the others wait. The changes applied last can be
undone until other changes are applied. RUN is a run's id, its
first 8 characters or more, its number in "glovebox audit list", or last: the latest run whose
changes wait, or for undo, were applied.

Examples:
  glovebox run --mount .:/work/src:stage -l sh -c 'sed -i s/colour/color/ src/*.md'
  glovebox %1%2
)"_s.arg(command.name, command.synopsis.startsWith(u"RUN"_s) ? u" last"_s : QString());
    return commands;
}

} // namespace glovebox
