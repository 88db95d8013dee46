// SPDX-License-Identifier: Apache-2.0
// From arguments to a command, and help for a person.
#include "command.h"

#include <algorithm>

#include <unistd.h>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Commands = std::vector<Command>;

QString overview(const Commands &commands)
{
    QString text = u"Glovebox runs code that you don't trust, sealed off from this machine, and keeps a record.\n\n"
                   "Usage: glovebox COMMAND ...\n\n"_s;
    for (const Command &command : commands)
        text += u"  %1 %2\n"_s.arg(command.name, -17).arg(command.summary);
    text += u"  %1 %2\n"_s.arg(u"help"_s, -17).arg(u"explain a command: glovebox help run"_s);
    text += uR"(
Examples:
  glovebox run snippet.py
  glovebox run -c 'print(6 * 7)'
  glovebox run -l bash -t 5 -c 'ls -la /; id'
  curl -s https://example.org/install.sh | glovebox run -l sh -
  glovebox doctor

Files: ~/.local/share/glovebox (record), ~/.config/glovebox/settings.json (settings; optional).
GLOVEBOX_HOME=FOLDER keeps both in another place.
)"_s;
    return text;
}

// Words like "audit" that begin the names of several commands.
QList<const Command *> inGroup(const Commands &commands, const QString &word)
{
    QList<const Command *> found;
    for (const Command &command : commands) {
        if (command.name == word || command.name.startsWith(word + u' '))
            found.append(&command);
    }
    return found;
}

QString namesOf(const QList<const Command *> &commands)
{
    QStringList names;
    for (const Command *command : commands)
        names.append(u'"' + command->name + u'"');
    return names.join(u" or "_s);
}

int help(const Commands &commands, const QByteArrayList &topics)
{
    if (topics.isEmpty()) {
        print(overview(commands));
        return 0;
    }
    const QString topic = QString::fromUtf8(topics.join(' '));
    const auto found = inGroup(commands, topic);
    if (found.isEmpty())
        return sayUsage(u"There is no command \"%1\"."_s.arg(topic), {});
    for (const Command *command : found)
        print(command->help() + (command == found.last() ? u""_s : u"\n"_s));
    return 0;
}

} // namespace

QString Command::help() const
{
    QString text = u"Usage: glovebox %1 %2\n\n"_s.arg(name, synopsis);
    text += summary.first(1).toUpper() + summary.sliced(1) + u".\n\n"_s;
    for (const Option &option : options) {
        const QByteArray left = option.value.isEmpty() ? option.name : option.name + ' ' + option.value;
        text += u"  %1 %2\n"_s.arg(QString::fromUtf8(left), -17).arg(option.help);
    }
    return text + u"  %1 %2\n\n"_s.arg(u"-h, --help"_s, -17).arg(u"show this text"_s) + details;
}

Result<std::unique_ptr<Engine>> openEngine(EngineConfig config)
{
    auto paths = Paths::standard();
    if (!paths)
        return std::unexpected(paths.error());
    config.paths = *std::move(paths);
    config.caller.kind = Caller::Kind::Cli;
    return Engine::open(std::move(config));
}

Commands allCommands()
{
    Commands commands{runCommand()};
    for (const Commands &group :
         {artifactCommands(), changesCommands(), secretCommands(), mcpClientCommands(), mcpPairingCommands()})
        commands.insert(commands.end(), group.begin(), group.end());
    for (const auto &make :
         {doctorCommand, auditListCommand, auditShowCommand, policyShowCommand, openCommand, mcpCommand})
        commands.push_back(make());
    return commands;
}

int dispatch(const QByteArrayList &arguments)
{
    const Commands commands = allCommands();
    if (arguments.isEmpty()) {
        writeAll(STDERR_FILENO, overview(commands).toUtf8());
        return ExitStatus::usage;
    }
    const QByteArray &first = arguments.first();
    if (first == "-h" || first == "--help")
        return help(commands, {});
    if (first == "help")
        return help(commands, arguments.sliced(1));
    if (first == "--version") {
        print(u"glovebox %1\n"_s.arg(QStringLiteral(GLOVEBOX_VERSION)));
        return 0;
    }

    const QString word = QString::fromUtf8(first);
    const auto group = inGroup(commands, word);
    if (group.isEmpty())
        return sayUsage(first.startsWith('-') ? u"There is no option %1 here."_s.arg(word)
                                              : u"There is no command \"%1\"."_s.arg(word),
                        {});
    const QString words = arguments.size() > 1 ? word + u' ' + QString::fromUtf8(arguments[1]) : word;
    const auto command = std::ranges::find_if(
        commands, [&](const Command &candidate) { return candidate.name == word || candidate.name == words; });
    if (command == commands.end()) {
        if (arguments.size() > 1 && (arguments[1] == "-h" || arguments[1] == "--help"))
            return help(commands, {first});
        return sayUsage(u"Say which: %1."_s.arg(namesOf(group)), word);
    }
    const auto parsed = parseArguments(command->options, arguments.sliced(command->name.contains(u' ') ? 2 : 1));
    if (!parsed)
        return sayUsage(parsed.error(), command->name);
    if (parsed->help) {
        print(command->help());
        return 0;
    }
    return command->run(*parsed);
}

} // namespace glovebox
