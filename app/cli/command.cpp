// SPDX-License-Identifier: Apache-2.0
// From arguments to a command.
#include "command.h"

#include "completion.h"
#include "help.h"
#include "job/backgroundrun.h"
#include "terminal/disknotice.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

#include <unistd.h>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Commands = std::vector<Command>;

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
    return names.join(u", "_s);
}

// What other programs call it. A sentence where there is none.
struct Synonym
{
    const char16_t *word;
    const char16_t *meant;
};
constexpr Synonym synonyms[] = {
    {u"secrets", u"secret"},
    {u"vault", u"secret"},

    {u"config", u"settings"},
    {u"log", u"audit"},
    {u"logs", u"audit"},
    {u"history", u"audit list"},
    {u"exec", u"run"},
    {u"eval", u"run -c"},
    {u"diff", u"changes list"},
    {u"files", u"artifact list"},
    {u"prune", u"audit prune"},
    {u"gui", u"open"},
    {u"secret delete", u"secret remove"},
    {u"secret rm", u"secret remove"},
    {u"secret ls", u"secret list"},
    {u"secret add", u"secret set"},
    {u"audit ls", u"audit list"},
    {u"artifact ls", u"artifact list"},
    {u"changes ls", u"changes list"},
    {u"sessions", u"session"},
    {u"workspace", u"session"},
    {u"jobs", u"session jobs"},
    {u"session ps", u"session jobs"},
    {u"session kill", u"session stop"},
    {u"session log", u"session logs"},
    {u"session ls", u"session list"},
    {u"session new", u"session create"},
    {u"session show", u"session status"},
    {u"session info", u"session status"},
    {u"session rm", u"session delete"},
    {u"session undo", u"session rollback"},
    {u"session restore", u"session rollback"},
    {u"session history", u"session snapshots"},
    {u"session clone", u"session fork"},
    {u"session copy", u"session fork"},
    {u"session cat", u"session get"},
    {u"session export", u"session get"},
    {u"session download", u"session get"},
    {u"session import", u"session put"},
    {u"session upload", u"session put"},
    {u"mcp list", u"mcp clients"},
    {u"mcp ls", u"mcp clients"},
    {u"mcp status", u"mcp clients"},
    {u"mcp agents", u"mcp installed"},
    {u"mcp add", u"mcp install"},
    {u"mcp token", u"mcp pair"},
    {u"mcp remove", u"mcp uninstall"},
    {u"mcp rm", u"mcp uninstall"},
    {u"settings show", u"settings list"},
    {u"settings ls", u"settings list"},
    {u"settings reset", u"settings unset"},
    {u"audit find", u"audit list"},
    {u"audit search", u"audit list"},
    {u"audit check", u"audit verify"},
    {u"audit copy", u"audit export"},
    {u"artifact save", u"artifact get"},
    {u"artifact download", u"artifact get"},
    {u"session name", u"session rename"},
    {u"profile remove", u"profile delete"},
    {u"profile rm", u"profile delete"},
    {u"profile ls", u"profile list"},
    {u"profile add", u"profile save"},
    {u"profile create", u"profile save"},
    {u"profile set", u"profile save"},
    {u"package rm", u"package remove"},
    {u"package delete", u"package remove"},
    {u"package ls", u"package list"},
};
constexpr Synonym sentences[] = {
    {u"secret show", u"Values are never shown; the workbench shows one while you press a button."},
    {u"secret get", u"Values are never shown; the workbench shows one while you press a button."},
    {u"policy set", u"Settings are changed by \"glovebox settings set\"."},
};

// words: what was typed instead of a command's name. candidates: names. Empty: nobody knows what is meant.
QString wayFrom(const QString &words, const QStringList &candidates)
{
    for (const Synonym &sentence : sentences) {
        if (words == QStringView(sentence.word))
            return u' ' + QString::fromUtf16(sentence.meant);
    }
    QString meant = nearest(words, candidates);
    for (const Synonym &synonym : synonyms) {
        if (words == QStringView(synonym.word))
            meant = QString::fromUtf16(synonym.meant);
    }
    return meant.isEmpty() ? QString() : u" Did you mean \"%1\"?"_s.arg(meant);
}

QString unknownCommand(const QString &word, const Commands &commands)
{
    if (QFileInfo(word).isFile())
        return u"\"%1\" is not a command. To run the file: \"glovebox run %2\"."_s.arg(
            word, asShellWord(QFile::encodeName(word)));
    QStringList words{u"help"_s}, endings;
    for (const Command &command : commands) {
        words.append(command.name.section(u' ', 0, 0));
        if (!word.isEmpty() && command.name.endsWith(u' ' + word))
            endings.append(u'"' + command.name + u'"');
    }
    if (endings.size() > 1)
        return u"Unknown command \"%1\". There are %2."_s.arg(word, endings.join(u", "_s));
    return u"Unknown command \"%1\"."_s.arg(word) + wayFrom(word, words);
}

// Options follow a command's name; most that come first are meant for "run".
QString optionFirst(const QByteArrayList &arguments, const Commands &commands)
{
    const QByteArray name = arguments.first().split('=').first();
    const auto run = std::ranges::find(commands, u"run"_s, &Command::name);
    const bool isOfRun = run != commands.end() && std::ranges::any_of(run->options, [&](const Option &option) {
                             return option.name == name || option.longName == name;
                         });
    if (!isOfRun)
        return u"Unknown option %1."_s.arg(QString::fromUtf8(arguments.first()));
    QByteArrayList rest = arguments;
    rest.removeOne("run");
    QStringList typed{u"glovebox run"_s};
    for (const QByteArray &argument : rest)
        typed.append(asShellWord(argument));
    return u"Options follow the command: \"%1\"."_s.arg(typed.join(u' '));
}

// word, next: the beginning of a group's name, and what is no command of the group.
QString unknownInGroup(const QString &word, const QString &next, const QList<const Command *> &group)
{
    if (next.isEmpty() || next.startsWith(u'-'))
        return group.size() == 1 ? u"The whole command is %1."_s.arg(namesOf(group))
                                 : u"Name one of %1."_s.arg(namesOf(group));
    QStringList names;
    for (const Command *command : group)
        names.append(command->name);
    const QString way = wayFrom(word + u' ' + next, names);
    return u"Unknown command \"%1 %2\"."_s.arg(word, next)
           + (way.isEmpty() ? u" There are %1."_s.arg(namesOf(group)) : way);
}

// Behind "--" are words of the code.
bool isHelpAsked(const QByteArrayList &arguments)
{
    const QByteArrayList ours = arguments.first(arguments.contains("--") ? arguments.indexOf("--") : arguments.size());
    return ours.contains("-h") || ours.contains("--help");
}

int help(const Commands &commands, const QByteArrayList &topics)
{
    QByteArrayList words = topics;
    words.removeIf([](const QByteArray &word) { return word == "-h" || word == "--help"; });
    if (words.isEmpty() || words == QByteArrayList{"help"}) {
        print(overviewOf(commands, helpWidth()));
        return 0;
    }
    const QString topic = QString::fromUtf8(words.join(' '));
    const auto found = inGroup(commands, topic);
    if (found.isEmpty())
        return sayUsage(unknownCommand(topic, commands), {});
    for (const Command *command : found)
        print(command->help(helpWidth()) + (command == found.last() ? u""_s : u"\n"_s));
    return 0;
}

} // namespace

Caller thisProgram()
{
    Caller caller{.kind = Caller::Kind::Cli, .pid = QCoreApplication::applicationPid()};
    caller.program = QCoreApplication::applicationFilePath();
    return caller;
}

Result<std::unique_ptr<Engine>> openEngine(EngineConfig config)
{
    auto paths = Paths::standard();
    if (!paths)
        return std::unexpected(paths.error());
    config.paths = *std::move(paths);
    config.caller = thisProgram();
    return Engine::open(std::move(config));
}

Commands allCommands()
{
    Commands commands{runCommand(), batchCommand()};
    for (const Commands &group :
         {artifactCommands(), changesCommands(), sessionCommands(), secretCommands(), packageCommands(),
          settingsCommands(), profileCommands(), mcpClientCommands(), mcpPairingCommands()})
        commands.insert(commands.end(), group.begin(), group.end());
    for (const auto &make :
         {doctorCommand, auditListCommand, auditShowCommand, auditVerifyCommand, auditExportCommand, auditPruneCommand,
          policyShowCommand, openCommand, mcpServersCommand, mcpCommand, completionCommand})
        commands.push_back(make());
    return commands;
}

int dispatch(const QByteArrayList &arguments)
{
    const Commands commands = allCommands();
    if (arguments.isEmpty()) {
        writeAll(STDERR_FILENO, overviewOf(commands, helpWidth()).toUtf8());
        return ExitStatus::usage;
    }
    const QByteArray &first = arguments.first();
    if (first == "-h" || first == "--help")
        return help(commands, inGroup(commands, QString::fromUtf8(arguments.value(1))).isEmpty()
                                  ? QByteArrayList()
                                  : arguments.sliced(1, 1));
    if (first == "help")
        return help(commands, arguments.sliced(1));
    if (first == "--version" || first == "-V" || first == "-v" || first == "version") {
        const QByteArrayList rest = arguments.sliced(1);
        if (rest.contains("-h") || rest.contains("--help"))
            return help(commands, {});
        if (!rest.isEmpty())
            return sayUsage(u"\"%1\" takes no arguments."_s.arg(QString::fromUtf8(first)), {});
        print(u"glovebox %1\n"_s.arg(QStringLiteral(GLOVEBOX_VERSION)));
        return 0;
    }

    if (first == jobWord) { // asked by "run --detach"
        const Command run = runCommand();
        const auto parsed = parseArguments(run.options, arguments.sliced(1), run.advice);
        return parsed ? runJob(*parsed) : sayUsage(parsed.error(), run.name);
    }

    if (first == "complete") { // asked by the shell
        QStringList words;
        for (const QByteArray &typed : arguments.sliced(arguments.value(1) == "--" ? 2 : 1))
            words.append(QString::fromUtf8(typed));
        for (const Candidate &candidate : candidatesFor(commands, words))
            print(candidate.word + u'\t' + candidate.meaning + u'\n');
        return 0;
    }

    const QString word = QString::fromUtf8(first);
    const auto group = inGroup(commands, word);
    // Help wins over options that nobody offers. A command that isn't there has no help.
    const bool asksForHelp = isHelpAsked(arguments);
    if (group.isEmpty() && first.startsWith('-') && asksForHelp)
        return help(commands, {});
    if (group.isEmpty())
        return sayUsage(first.startsWith('-') ? optionFirst(arguments, commands) : unknownCommand(word, commands), {});
    const QString words = arguments.size() > 1 ? word + u' ' + QString::fromUtf8(arguments[1]) : word;
    const auto command = std::ranges::find_if(
        commands, [&](const Command &candidate) { return candidate.name == word || candidate.name == words; });
    if (command == commands.end()) {
        if (asksForHelp && arguments.value(1).startsWith('-'))
            return help(commands, {first});
        return sayUsage(unknownInGroup(word, QString::fromUtf8(arguments.value(1)), group), word);
    }
    // "mcp" is a command and begins the names of others; alone it takes no words.
    if (command->name == word && group.size() > 1 && arguments.size() > 1 && !arguments[1].startsWith('-'))
        return sayUsage(unknownInGroup(word, QString::fromUtf8(arguments[1]), group), word);
    const auto parsed =
        parseArguments(command->options, arguments.sliced(command->name.contains(u' ') ? 2 : 1), command->advice);
    if (!parsed)
        return sayUsage(parsed.error(), command->name);
    if (parsed->help) {
        print(command->help(helpWidth()));
        return 0;
    }
    const DiskNotice notice(!parsed->has("-q") && !parsed->has("--quiet") && !parsed->has("--json"));
    return command->run(*parsed);
}

} // namespace glovebox
