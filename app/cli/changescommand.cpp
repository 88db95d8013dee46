// SPDX-License-Identifier: Apache-2.0
// `glovebox changes ...`: what runs changed in copies of folders (--mount HOST:PATH:stage), and what becomes of it.
#include "changesview.h"
#include "command.h"
#include "record/recordedrun.h"
#include "terminal/console.h"
#include "terminal/terminal.h"

#include <QFile>
#include <QJsonArray>
#include <QSet>

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

int showChanges(const QString &run, const Arguments &arguments)
{
    const auto staging = openStaging();
    if (!staging)
        return sayFailure(staging.error());
    const auto changes = (*staging)->pending(run);
    if (!changes)
        return sayFailure(changes.error());
    if (arguments.has("--json"))
        printJson(jsonOf(*changes, false));
    else
        print(QByteArrayView(shownChanges(*changes)));
    return 0;
}

// The id of the run with this number in the log.
Result<QString> runNumbered(const QByteArray &number)
{
    ASSIGN_OR_RETURN(const auto paths, Paths::standard());
    ASSIGN_OR_RETURN(const auto reader, AuditReader::open(paths.auditFile()));
    std::optional<StoredEntry> found;
    ASSIGN_OR_RETURN(QString run, findRun(*reader, number, found));
    if (run.isEmpty())
        return fail(ErrorCode::NotFound, Text("Entry %1 of the log belongs to no run. \"glovebox audit list\" lists "
                                              "the runs with their numbers.",
                                              {QString::fromUtf8(number)}));
    return run;
}

bool meansLatest(const QByteArray &word)
{
    return word.toLower() == "last" || word.toLower() == "latest";
}

// The id of the one among these runs that a person named: "last" is the latest, else an id or at least eight characters of it. Of fewer
// any run's could be meant, and what is discarded is gone. Fewer digits are a number of the log, as in "audit show". A word that names
// none stays as it is.
Result<QString> runCalled(const QByteArray &word, const QList<PendingChanges> &among)
{
    if (isLogNumber(word))
        return runNumbered(word);
    constexpr qsizetype fewest = 8;
    const QString wanted = QString::fromUtf8(word).toLower();
    const bool isLatest = meansLatest(word);
    QStringList runs;
    for (const PendingChanges &one : among) {
        if (isLatest || (wanted.size() >= fewest && one.run.startsWith(wanted)))
            runs.append(one.run);
    }
    if (isLatest && runs.isEmpty())
        return fail(ErrorCode::NotFound,
                    Text("\"%1\" names no run here. \"glovebox changes list\" lists the runs with changes.", {wanted}));
    if (isLatest)
        return *std::ranges::max_element(runs); // ids begin with the time
    if (runs.size() > 1)
        return fail(ErrorCode::InvalidInput,
                    Text("More than one run has an id that begins with %1: %2. Type more of it.",
                         {wanted, runs.join(u", "_s)}));
    return runs.isEmpty() ? QString::fromUtf8(word) : runs.first();
}

// The ways to name a change: as it is, or as "changes show" prints it, also below the folder's name on either side.
bool isNamed(const FolderChanges &folder, const FolderChange &change, const QByteArray &name, bool asShown)
{
    const auto isIt = [&](const QByteArray &path) {
        const QByteArray shown = asShown ? escapedLine(path) : path;
        return name == shown || (change.type == FolderChange::Type::Folder && name == shown + '/');
    };
    return isIt(change.path) || isIt(folder.path.toUtf8() + '/' + change.path)
           || isIt(folder.hostPath.toUtf8() + '/' + change.path);
}

// The changes with these names, with those that they can't be taken over without. An error is a sentence.
std::expected<QList<FolderChanges>, QString> changesNamed(const QByteArrayList &names, const PendingChanges &waiting)
{
    QList<FolderChanges> chosen = waiting.folders;
    std::vector<ChangeChoice> choices;
    for (const FolderChanges &folder : waiting.folders)
        choices.emplace_back(folder.changes);
    for (const QByteArray &name : names) {
        QStringList found;
        for (const bool asShown : {false, true}) {
            for (qsizetype i = 0; found.size() < 2 && i < chosen.size(); ++i) {
                const FolderChanges &folder = waiting.folders[i];
                bool isHere = false;
                for (qsizetype j = 0; j < folder.changes.size(); ++j) {
                    if (!isNamed(folder, folder.changes[j], name, asShown))
                        continue;
                    choices[std::size_t(i)].choose(j, true);
                    isHere = true;
                }
                if (isHere)
                    found.append(folder.hostPath + u'/');
            }
            if (!found.isEmpty())
                break;
        }
        const QString shown = QString::fromUtf8(escapedLine(name));
        if (found.isEmpty())
            return std::unexpected(
                u"Nothing at %1 was changed by this run. \"glovebox changes show %2\" lists the changes."_s.arg(
                    shown, waiting.run));
        if (found.size() > 1)
            return std::unexpected(u"Several folders have a change at %1. Put one of them before it: %2"_s.arg(
                shown, QString::fromUtf8(escapedLine(found.join(u' ').toUtf8()))));
    }
    for (qsizetype i = 0; i < chosen.size(); ++i)
        chosen[i].changes = choices[std::size_t(i)].chosen();
    chosen.removeIf([](const FolderChanges &folder) { return folder.changes.isEmpty(); });
    return chosen;
}

int applyChanges(const Arguments &arguments)
{
    if (arguments.positional.isEmpty())
        return sayUsage(u"Name one run by its id, and perhaps files that it changed."_s, u"changes apply"_s);
    const QByteArrayList names = arguments.positional.sliced(1) + arguments.afterDashes;
    const auto staging = openStaging();
    if (!staging)
        return sayFailure(staging.error());
    const auto called = runCalled(arguments.positional.first(), (*staging)->pending());
    if (!called)
        return sayFailure(called.error());
    const QString &run = *called;
    const auto waiting = (*staging)->pending(run);
    if (!waiting)
        return sayFailure(waiting.error());
    ChosenChanges chosen;
    if (!names.isEmpty()) {
        auto named = changesNamed(names, *waiting);
        if (!named) {
            say(named.error());
            return ExitStatus::failed;
        }
        chosen = *std::move(named);
    }
    if (!arguments.has("--yes") && isTerminal(STDIN_FILENO) && isTerminal(STDERR_FILENO)) {
        PendingChanges asked = *waiting;
        asked.folders = chosen.value_or(waiting->folders);
        writeAll(STDERR_FILENO, shownChanges(asked));
        chosen = asksToApply(asked);
        if (!chosen) {
            say(u"Nothing was applied."_s);
            return ExitStatus::failed;
        }
    }
    const auto engine = openEngine({.runsOnce = true});
    if (!engine)
        return sayFailure(engine.error());
    return applyAndSay(**engine, run, chosen);
}

int undoChanges(const Arguments &arguments)
{
    if (arguments.positional.size() > 1 || arguments.dashes)
        return sayUsage(u"Name no more than one run by its id."_s, u"changes undo"_s);
    const auto engine = openEngine({.runsOnce = true});
    if (!engine)
        return sayFailure(engine.error());
    const Staging &staging = (*engine)->staging();
    const QList<PendingChanges> undoable = staging.undoable();
    const bool isNamed = !arguments.positional.isEmpty();
    if (undoable.isEmpty() && (!isNamed || meansLatest(arguments.positional.first()))) {
        say(u"No applied changes can be undone."_s);
        return ExitStatus::failed;
    }
    QString run;
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
    }
    return undoAndSay(**engine, run);
}

// Whether to go on. What nobody can read may be dear, too; what doesn't wait is for the engine to say.
bool isLossWanted(const QString &run)
{
    const auto staging = openStaging();
    const auto waiting = staging ? (*staging)->pending(run) : std::unexpected(staging.error());
    qsizetype count = 0;
    for (const FolderChanges &folder : waiting ? waiting->folders : QList<FolderChanges>())
        count += folder.changes.size();
    const bool isUnreadable =
        !waiting && (waiting.error().code == ErrorCode::Damaged || waiting.error().code == ErrorCode::Newer);
    if (!waiting && !isUnreadable)
        return true;
    const QString what = isUnreadable ? sentenceOf(waiting.error())
                         : count == 1 ? u"1 change in copies waits."_s
                                      : u"%1 changes in copies wait."_s.arg(count);
    if (asksWhether(what + u" Nothing restores what is discarded. Discard all of it?"_s))
        return true;
    say(u"Nothing was discarded."_s);
    return false;
}

int discardChanges(const QString &run, const Arguments &arguments)
{
    if (!arguments.has("--yes") && isTerminal(STDIN_FILENO) && isTerminal(STDERR_FILENO) && !isLossWanted(run))
        return ExitStatus::failed;
    const auto engine = openEngine({.runsOnce = true});
    if (!engine)
        return sayFailure(engine.error());
    const Status discarded = (*engine)->discardChanges(run, (*engine)->caller());
    if (!discarded)
        return sayFailure(discarded.error());
    say(u"The changes of run %1 that waited were discarded."_s.arg(run));
    if ((*engine)->staging().undoable(run))
        say(u"Changes that were applied before stay. \"glovebox changes undo %1\" puts the originals back."_s.arg(run));
    return 0;
}

// A command about the run that its one word names.
auto overRun(const QString &name, int (*act)(const QString &run, const Arguments &arguments))
{
    return [=](const Arguments &arguments) {
        if (arguments.positional.size() != 1 || arguments.dashes)
            return sayUsage(u"Name one run by its id."_s, name);
        const auto staging = openStaging();
        if (!staging)
            return sayFailure(staging.error());
        const auto run = runCalled(arguments.positional.first(), (*staging)->pending());
        return run ? act(*run, arguments) : sayFailure(run.error());
    };
}

} // namespace

std::vector<Command> changesCommands()
{
    const std::vector<Option> json{{"--json", "", u"print JSON, one object a run"_s}};
    std::vector<Command> commands{
        {.name = u"changes list"_s,
         .summary = u"list the changes to copies of folders that wait for you"_s,
         .synopsis = u"[--json]"_s,
         .options = json,
         .run = listChanges},
        {.name = u"changes show"_s,
         .summary = u"show what a run changed in the copies of folders"_s,
         .synopsis = u"RUN"_s,
         .options = json,
         .run = overRun(u"changes show"_s, showChanges)},
        {.name = u"changes apply"_s,
         .summary = u"apply a run's changes in copies to the originals"_s,
         .synopsis = u"RUN [--] [PATH...]"_s,
         .options = {{"--yes", "", u"ask nothing at a terminal"_s}},
         .run = applyChanges},
        {.name = u"changes undo"_s,
         .summary = u"put originals back as they were before changes were applied"_s,
         .synopsis = u"[RUN]"_s,
         .run = undoChanges},
        {.name = u"changes discard"_s,
         .summary = u"discard a run's changes in copies"_s,
         .synopsis = u"RUN"_s,
         .options = {{"--yes", "", u"ask nothing at a terminal"_s}},
         .run = overRun(u"changes discard"_s, discardChanges)},
    };
    for (Command &command : commands)
        command.details =
            uR"(A run that is shown a folder by --mount HOST:PATH:stage works on a copy. Its changes wait here, for
thirty days at most, until you apply or discard them. A file that was changed in the
original meanwhile is never overwritten. PATHs, as "changes show" prints them, apply only those.
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
