// SPDX-License-Identifier: Apache-2.0
// `glovebox changes ...`: what runs changed in copies of folders (--mount HOST:PATH:stage), and what becomes of it.
#include "changesview.h"
#include "command.h"
#include "terminal/terminal.h"

#include <QJsonArray>

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

class ChangesCommand : public Command
{
public:
    enum class Action { List, Show, Apply, Discard };
    explicit ChangesCommand(Action action)
        : m_action(action)
    {
    }

    QString name() const override
    {
        const QString names[] = {u"list"_s, u"show"_s, u"apply"_s, u"discard"_s};
        return u"changes "_s + names[int(m_action)];
    }
    QString summary() const override
    {
        const QString summaries[] = {u"list the changes to copies of folders that wait for you"_s,
                                     u"show what a run changed in the copies of folders"_s,
                                     u"put what a run changed in copies into the originals"_s,
                                     u"throw away what a run changed in copies"_s};
        return summaries[int(m_action)];
    }
    QString synopsis() const override { return m_action == Action::List ? u"[--json]"_s : u"RUN"_s; }
    std::vector<Option> options() const override
    {
        if (m_action == Action::List || m_action == Action::Show)
            return {{"--json", "", u"print JSON, one object a run (off)"_s}};
        return {};
    }
    QString details() const override;
    int run(const Arguments &arguments) override;

private:
    const Action m_action;
};

QString ChangesCommand::details() const
{
    return uR"(A run that is shown a folder by --mount HOST:PATH:stage works on a copy. What it changed waits here, for
thirty days at most, until you take it over or throw it away. A file that was changed in the
original meanwhile is never overwritten.

Examples:
  glovebox run --mount .:/work/src:stage -l sh -c 'sed -i s/colour/color/ src/*.md'
  glovebox %1
)"_s.arg(m_action == Action::List ? name() : name() + u" 0199a3b4-..."_s);
}

int ChangesCommand::run(const Arguments &arguments)
{
    const qsizetype wanted = m_action == Action::List ? 0 : 1;
    if (arguments.positional.size() != wanted || arguments.dashes)
        return sayUsage(wanted == 0 ? u"This takes no further words."_s : u"Name one run by its id."_s, name());
    const auto staging = openStaging();
    if (!staging)
        return sayFailure(staging.error());
    if (m_action == Action::List) {
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
    const QString run = QString::fromUtf8(arguments.positional.first());
    if (m_action == Action::Apply || m_action == Action::Discard) {
        const auto engine = openEngine({.runsOnce = true});
        if (!engine)
            return sayFailure(engine.error());
        if (m_action == Action::Apply)
            return sayApplied((*engine)->applyChanges(run, (*engine)->caller()), run) ? 0 : ExitStatus::failed;
        const Status discarded = (*engine)->discardChanges(run, (*engine)->caller());
        return discarded ? 0 : sayFailure(discarded.error());
    }
    const auto changes = (*staging)->pending(run);
    if (!changes)
        return sayFailure(changes.error());
    if (arguments.has("--json"))
        printJson(jsonOf(*changes));
    else
        print(QByteArrayView(shownChanges(*changes)));
    return 0;
}

} // namespace

std::vector<std::unique_ptr<Command>> makeChangesCommands()
{
    std::vector<std::unique_ptr<Command>> commands;
    using Action = ChangesCommand::Action;
    for (const Action action : {Action::List, Action::Show, Action::Apply, Action::Discard})
        commands.push_back(std::make_unique<ChangesCommand>(action));
    return commands;
}

} // namespace glovebox
