// SPDX-License-Identifier: Apache-2.0
// `glovebox mcp install`, `uninstall` and `installed`: Glovebox's entry in the configuration of a client, and out of it.
#include "clientcommands.h"

#include "app/cli/command.h"
#include "app/cli/terminal/terminal.h"

#include "engine/mcp/mcp.h"

#include <unistd.h>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using mcp::ClientProgram;
using mcp::ConfigurationChange;

// Shows the difference and, when the person agrees, writes it.
int carryOut(const ConfigurationChange &change, const Arguments &arguments, const QString &done)
{
    print(QByteArrayView(escapedText(change.difference)));
    if (arguments.has("--dry-run"))
        return 0;
    const bool isAgreed =
        arguments.has("--yes") || (isTerminal(STDIN_FILENO) && asksWhether(u"Write %1?"_s.arg(change.file)));
    if (!isAgreed) {
        say(isTerminal(STDIN_FILENO) ? u"Nothing was written."_s
                                     : u"Nothing was written: nobody can be asked. Add --yes to write it."_s);
        return ExitStatus::failed;
    }
    if (const Status written = applyChange(change); !written)
        return sayFailure(written.error());
    say(done.arg(change.client));
    return 0;
}

int installFor(const ClientProgram &program, const Arguments &arguments)
{
    const auto command = mcp::serverCommand();
    if (!command)
        return sayFailure(command.error());
    const auto change = planInstall(program, *command);
    if (!change)
        return sayFailure(change.error());
    switch (change->found) {
    case ConfigurationChange::Found::SameEntry:
        say(u"%1 has Glovebox already, in %2."_s.arg(change->client, change->file));
        return 0;
    case ConfigurationChange::Found::OtherEntry:
        say(u"%1 has an entry \"glovebox\" with another command or other arguments. They would be replaced."_s.arg(
            change->client));
        break;
    case ConfigurationChange::Found::Nothing:
        break;
    }
    return carryOut(*change, arguments,
                    u"%1 starts Glovebox from its next start on. Its other tools stay, such as a shell of its own. To "
                    "take Glovebox out again: glovebox mcp uninstall "_s
                        + program.id);
}

int uninstallFrom(const ClientProgram &program, const Arguments &arguments)
{
    const auto change = planUninstall(program);
    if (!change)
        return sayFailure(change.error());
    if (change->found == ConfigurationChange::Found::Nothing) {
        say(u"%1 has no entry for Glovebox in %2."_s.arg(change->client, change->file));
        return 0;
    }
    return carryOut(*change, arguments, u"%1 no longer starts Glovebox, from its next start on."_s);
}

// "installed   /home/me/.cursor/mcp.json, starts /usr/bin/glovebox"
QString wordsOf(const mcp::ClientEntry &entry)
{
    switch (entry.state) {
    case mcp::ClientEntry::State::Glovebox:
        return u"installed      %1, starts %2"_s.arg(entry.file, entry.command);
    case mcp::ClientEntry::State::Other:
        return u"another entry  %1%2"_s.arg(entry.file,
                                            entry.command.isEmpty() ? QString() : u", starts "_s + entry.command);
    case mcp::ClientEntry::State::None:
        break;
    }
    return u"not installed"_s;
}

int listInstalled(const Arguments &arguments)
{
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"\"mcp installed\" takes options only."_s, u"mcp installed"_s);
    int status = 0;
    for (const ClientProgram &program : mcp::clientPrograms()) {
        const auto entry = entryOf(program);
        if (!entry) {
            say(sentenceOf(entry.error()));
            status = ExitStatus::failed;
        }
        if (arguments.has("--json"))
            printJson({{u"client"_s, program.id},
                       {u"name"_s, program.name},
                       {u"file"_s, entry ? entry->file : program.file},
                       {u"entry"_s, entry ? toString(entry->state) : u"unknown"_s},
                       {u"command"_s, orNull(entry ? entry->command : QString())}});
        else
            printLine(program.id.leftJustified(16) + (entry ? wordsOf(*entry) : u"not known"_s));
    }
    return status;
}

// " Did you mean claude-code or claude-desktop?"; empty: none begins with the word, or is written much like it.
QString clientMeantBy(const QString &word)
{
    QStringList begun, all;
    for (const ClientProgram &program : mcp::clientPrograms()) {
        all.append(program.id);
        if (!word.isEmpty() && program.id.startsWith(word))
            begun.append(program.id);
    }
    if (const QString near = begun.isEmpty() ? nearest(word, all) : QString(); !near.isEmpty())
        begun.append(near);
    return begun.isEmpty() ? QString() : u" Did you mean %1?"_s.arg(begun.join(u" or "_s));
}

// A command about the client that its one word names.
auto overClient(const QString &name, int (*act)(const ClientProgram &program, const Arguments &arguments))
{
    return [=](const Arguments &arguments) {
        if (arguments.positional.size() != 1 || arguments.dashes)
            return sayUsage(u"Name one client."_s, name);
        const QString id = QString::fromUtf8(arguments.positional.first());
        const auto program = mcp::clientProgram(id);
        return program ? act(*program, arguments)
                       : sayUsage(program.error().message.english() + clientMeantBy(id.toLower()), name);
    };
}

} // namespace

int printClientEntry(const QByteArray &client, const std::optional<QString> &url)
{
    const auto program = mcp::clientProgram(QString::fromUtf8(client));
    if (!program)
        return sayUsage(program.error().message.english(), u"mcp"_s);
    if (url) {
        const auto entry = httpEntryText(*program, *url);
        if (!entry)
            return sayFailure(entry.error());
        print(QByteArrayView(*entry));
        say(u"This belongs in %1."_s.arg(program->file));
        say(program->readsToken
                ? u"\"glovebox mcp pair NAME\" prints the token: set GLOVEBOX_TOKEN to it where %1 is started."_s.arg(
                      program->name)
                : u"\"glovebox mcp pair NAME\" prints the token: put it in the place of TOKEN."_s);
        return 0;
    }
    const auto command = mcp::serverCommand();
    if (!command)
        return sayFailure(command.error());
    print(QByteArrayView(entryText(*program, *command)));
    say(u"This belongs in %1."_s.arg(program->file));
    return 0;
}

std::vector<Command> mcpClientCommands()
{
    const Option dryRun{"--dry-run", "", u"show the difference and write nothing"_s};
    const Option yes{"--yes", "", u"write without asking"_s};
    Command installed{.name = u"mcp installed"_s,
                      .summary = u"list the desktop agents, and which of them start Glovebox"_s,
                      .synopsis = u"[--json]"_s,
                      .options = {{"--json", "", u"print JSON, one object a client"_s}},
                      .details = uR"(Example:
  glovebox mcp installed
)"_s,
                      .run = listInstalled};
    std::vector<Command> commands{
        {.name = u"mcp install"_s,
         .summary = u"let a desktop agent start Glovebox: write its configuration"_s,
         .synopsis = u"CLIENT [--dry-run] [--yes]"_s,
         .options = {dryRun, yes},
         .run = overClient(u"mcp install"_s, installFor)},
        {.name = u"mcp uninstall"_s,
         .summary = u"take Glovebox out of a desktop agent's configuration"_s,
         .synopsis = u"CLIENT [--dry-run] [--yes]"_s,
         .options = {dryRun, yes},
         .run = overClient(u"mcp uninstall"_s, uninstallFrom)},
    };
    for (Command &command : commands)
        command.details =
            uR"(Clients: claude-code, claude-desktop, codex, vscode, cursor, goose, lm-studio, zed, gemini-cli.

The agent's other tools stay as they are, such as a shell of its own. "glovebox mcp uninstall CLIENT" takes the entry out again.

The difference is shown before anything is written, and every other byte of the file stays. The file as it was is kept
beside it, as FILE.glovebox-backup. The configuration of a project (.mcp.json) is never written.

Example:
  glovebox %1 claude-code
)"_s.arg(command.name);
    commands.insert(commands.begin(), std::move(installed));
    return commands;
}

} // namespace glovebox
