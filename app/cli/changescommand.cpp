// SPDX-License-Identifier: Apache-2.0
// `glovebox changes ...`: what runs changed in copies of folders (--mount HOST:PATH:stage), and what becomes of it.
#include "changesview.h"
#include "command.h"
#include "terminal/console.h"
#include "terminal/terminal.h"

#include <QJsonArray>
#include <QSet>

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
    return std::make_unique<Staging>(*paths, newId(Clock::system()), runIdentity);
}

QJsonObject jsonOf(const PendingChanges &changes)
{
    QJsonArray folders;
    for (const FolderChanges &folder : changes.folders)
        folders.append(toJson(folder));
    QJsonObject object{{u"run"_s, changes.run}, {u"folders"_s, folders}};
    if (changes.isCutShort)
        object[u"cut_short"_s] = true;
    return object;
}

int listChanges(const Arguments &arguments)
{
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"This takes no further words."_s, u"changes list"_s);
    const auto staging = openStaging();
    if (!staging)
        return sayFailure(staging.error());
    const QList<PendingChanges> all = (*staging)->pending();
    for (const PendingChanges &changes : all) {
        if (arguments.has("--json")) {
            printJson(jsonOf(changes));
            continue;
        }
        for (const FolderChanges &folder : changes.folders)
            print(u"%1  %2 changes in the copy of %3%4\n"_s.arg(
                changes.run, QString::number(folder.changes.size()),
                QString::fromUtf8(escapedLine(folder.hostPath.toUtf8())),
                changes.isCutShort ? u", cut short while they were applied: apply them again"_s : QString()));
    }
    if (all.isEmpty() && !arguments.has("--json"))
        print(u"Nothing waits.\n"_s);
    return 0;
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
        printJson(jsonOf(*changes));
    else
        print(QByteArrayView(shownChanges(*changes)));
    return 0;
}

// The changes at these paths, with those that they can't be taken over without. Empty: nothing changed at one of them.
QList<FolderChanges> changesAt(const QList<QByteArray> &paths, const PendingChanges &waiting, QByteArray &missing)
{
    QList<FolderChanges> chosen = waiting.folders;
    QSet<QByteArray> left(paths.begin(), paths.end());
    for (FolderChanges &folder : chosen) {
        ChangeChoice choice(folder.changes);
        for (qsizetype i = 0; i < folder.changes.size(); ++i) {
            if (!paths.contains(folder.changes[i].path))
                continue;
            left.remove(folder.changes[i].path);
            choice.choose(i, true);
        }
        folder.changes = choice.chosen();
    }
    chosen.removeIf([](const FolderChanges &folder) { return folder.changes.isEmpty(); });
    if (left.isEmpty())
        return chosen;
    missing = *left.begin();
    return {};
}

int applyChanges(const Arguments &arguments)
{
    if (arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"Name one run by its id, and perhaps files that it changed."_s, u"changes apply"_s);
    const QString run = QString::fromUtf8(arguments.positional.first());
    const QList<QByteArray> paths = arguments.positional.sliced(1);
    const auto staging = openStaging();
    if (!staging)
        return sayFailure(staging.error());
    const auto waiting = (*staging)->pending(run);
    if (!waiting)
        return sayFailure(waiting.error());
    ChosenChanges chosen;
    if (!paths.isEmpty()) {
        QByteArray missing;
        chosen = changesAt(paths, *waiting, missing);
        if (!missing.isEmpty()) {
            say(u"Nothing at %1 was changed by this run. \"glovebox changes show %2\" lists the changes."_s.arg(
                QString::fromUtf8(escapedLine(missing)), run));
            return ExitStatus::failed;
        }
    }
    if (!arguments.has("--yes") && isTerminal(STDIN_FILENO) && isTerminal(STDERR_FILENO)) {
        PendingChanges asked = *waiting;
        asked.folders = chosen.value_or(waiting->folders);
        writeAll(STDERR_FILENO, shownChanges(asked));
        chosen = asksToApply(asked);
        if (!chosen) {
            say(u"Nothing was taken over."_s);
            return ExitStatus::failed;
        }
    }
    const auto engine = openEngine({.runsOnce = true});
    if (!engine)
        return sayFailure(engine.error());
    return sayApplied((*engine)->applyChanges(run, (*engine)->caller(), chosen), run) ? 0 : ExitStatus::failed;
}

int undoChanges(const Arguments &arguments)
{
    if (arguments.positional.size() > 1 || arguments.dashes)
        return sayUsage(u"Name no more than one run by its id."_s, u"changes undo"_s);
    const auto engine = openEngine({.runsOnce = true});
    if (!engine)
        return sayFailure(engine.error());
    const auto applied = (*engine)->staging().applied();
    const QString run = arguments.positional.isEmpty() ? (applied ? applied->run : QString())
                                                       : QString::fromUtf8(arguments.positional.first());
    if (run.isEmpty()) {
        say(u"Nothing that was taken over can be undone."_s);
        return ExitStatus::failed;
    }
    return sayUndone((*engine)->undoChanges(run, (*engine)->caller()), run) ? 0 : ExitStatus::failed;
}

int discardChanges(const QString &run, const Arguments &)
{
    const auto engine = openEngine({.runsOnce = true});
    if (!engine)
        return sayFailure(engine.error());
    const Status discarded = (*engine)->discardChanges(run, (*engine)->caller());
    return discarded ? 0 : sayFailure(discarded.error());
}

// A command about the run that its one word names.
auto overRun(const QString &name, int (*act)(const QString &run, const Arguments &arguments))
{
    return [=](const Arguments &arguments) {
        if (arguments.positional.size() != 1 || arguments.dashes)
            return sayUsage(u"Name one run by its id."_s, name);
        return act(QString::fromUtf8(arguments.positional.first()), arguments);
    };
}

} // namespace

std::vector<Command> changesCommands()
{
    const std::vector<Option> json{{"--json", "", u"print JSON, one object a run (off)"_s}};
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
         .summary = u"put what a run changed in copies into the originals"_s,
         .synopsis = u"RUN [PATH...]"_s,
         .options = {{"--yes", "", u"ask nothing at a terminal (off)"_s}},
         .run = applyChanges},
        {.name = u"changes undo"_s,
         .summary = u"put originals back as they were before changes were taken over"_s,
         .synopsis = u"[RUN]"_s,
         .run = undoChanges},
        {.name = u"changes discard"_s,
         .summary = u"throw away what a run changed in copies"_s,
         .synopsis = u"RUN"_s,
         .run = overRun(u"changes discard"_s, discardChanges)},
    };
    for (Command &command : commands)
        command.details =
            uR"(A run that is shown a folder by --mount HOST:PATH:stage works on a copy. What it changed waits here, for
thirty days at most, until you take it over or throw it away. A file that was changed in the
original meanwhile is never overwritten. PATHs, as "changes show" prints them, take over only those.
What was taken over last can be undone until other changes are taken over.

Examples:
  glovebox run --mount .:/work/src:stage -l sh -c 'sed -i s/colour/color/ src/*.md'
  glovebox %1%2
)"_s.arg(command.name, command.synopsis.startsWith(u"RUN"_s) ? u" 0199a3b4-..."_s : QString());
    return commands;
}

} // namespace glovebox
