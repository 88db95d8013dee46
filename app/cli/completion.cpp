// SPDX-License-Identifier: Apache-2.0
#include "completion.h"

#include "session/namedsession.h"

#include "engine/network/network.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr auto forBash = R"(# Completion of glovebox in bash: source <(glovebox completion bash)
_glovebox() {
    local lines
    mapfile -t lines < <(glovebox complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    COMPREPLY=("${lines[@]%%$'\t'*}")
}
complete -o default -F _glovebox glovebox
)";
constexpr auto forZsh = R"(#compdef glovebox
# Completion of glovebox in zsh: source <(glovebox completion zsh)
_glovebox() {
    local -a lines
    lines=("${(@f)$(glovebox complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    lines=("${(@)lines:#}")
    lines=("${(@)lines//:/\\:}")
    lines=("${(@)lines/$'\t'/:}")
    if (( $#lines )); then _describe glovebox lines; else _files; fi
}
# For compinit:
if [[ ${funcstack[1]} == _glovebox ]]; then _glovebox "$@"; else compdef _glovebox glovebox; fi
)";
constexpr auto forFish = R"(# Completion of glovebox in fish: glovebox completion fish | source
complete -c glovebox -a '(glovebox complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
)";

QList<Candidate> optionsOf(const Command &command)
{
    QList<Candidate> all;
    for (const Option &option : command.options) {
        for (const QByteArray &name : {option.name, option.longName}) {
            if (!name.isEmpty())
                all.append({QString::fromUtf8(name), option.help});
        }
    }
    return all + QList<Candidate>{{u"--help"_s, u"show help"_s}};
}

QList<Candidate> allSessions()
{
    QList<Candidate> all{{u"last"_s, u"the session used last"_s}};
    const auto sessions = openSessions();
    const auto found = sessions ? sessions->list() : std::unexpected(sessions.error());
    for (const Session &session : found.value_or(QList<Session>()))
        all.append({commandName(session), u"session"_s});
    return all;
}

QList<Candidate> allJobs()
{
    QList<Candidate> all{{u"last"_s, u"the job started last"_s}};
    const auto paths = Paths::standard();
    const auto jobs = paths ? Jobs(paths->jobsFolder()).list() : std::unexpected(paths.error());
    for (const Job &job : jobs.value_or(QList<Job>()))
        all.append({job.run, job.firstLine.left(40)});
    return all;
}

QList<Candidate> allTools()
{
    QList<Candidate> all;
    const auto paths = Paths::standard();
    const auto servers = paths ? readToolServers(paths->toolServersFile()) : std::unexpected(paths.error());
    for (const ToolServer &server : servers.value_or(QList<ToolServer>())) {
        for (const ToolRule &rule : server.tools)
            all.append({ToolName{server.name, rule.tool}.text(), u"a tool of %1"_s.arg(server.name)});
    }
    return all;
}

QList<Candidate> valuesOf(const QByteArray &option)
{
    QList<Candidate> all;
    if (option == "-l" || option == "--language") {
        for (const auto &language : Languages::all())
            all.append({language->id(), language->name()});
    }
    if (option == "--session")
        return allSessions();
    if (option == "--tool")
        return allTools();
    if (option == "--allow") {
        for (const NetworkPreset &preset : networkPresets())
            all.append({preset.name, preset.purpose.english()});
    }
    return all;
}

// What stands for itself in a command: keys of settings, and the latest run.
QList<Candidate> wordsOf(const Command &command)
{
    QList<Candidate> all;
    if (command.name == u"settings get" || command.name == u"settings set" || command.name == u"settings unset") {
        for (const SettingInfo &info : Settings::schema())
            all.append({info.key, info.description.english()});
    }
    if (command.name == u"audit show" || command.name.startsWith(u"artifact "_s)
        || (command.name.startsWith(u"changes "_s) && command.name != u"changes list"))
        all.append({u"last"_s, u"the latest run"_s});
    if (command.name == u"session logs" || command.name == u"session stop")
        all += allJobs();
    else if (command.name.startsWith(u"session "_s) && command.name != u"session create"
             && command.name != u"session list")
        all += allSessions();
    if (command.name == u"completion")
        all = {{u"bash"_s, {}}, {u"zsh"_s, {}}, {u"fish"_s, {}}};
    return all;
}

QList<Candidate> firstWords(const std::vector<Command> &commands)
{
    QList<Candidate> all;
    for (const Command &command : commands) {
        const QString word = command.name.section(u' ', 0, 0);
        if (std::ranges::find(all, word, &Candidate::word) == all.end())
            all.append({word, command.name == word ? command.summary : u"%1 ..."_s.arg(command.name)});
    }
    return all + QList<Candidate>{{u"help"_s, u"explain a command"_s}, {u"version"_s, u"print the version"_s}};
}

// Before the word that is being typed.
QList<Candidate> allAfter(const std::vector<Command> &commands, const QStringList &before, bool isOption)
{
    if (before.isEmpty() || before == QStringList{u"help"_s})
        return firstWords(commands);
    const QString &first = before[0];
    const QString both = first + u' ' + before.value(1);
    const auto command =
        std::ranges::find_if(commands, [&](const Command &known) { return known.name == both || known.name == first; });
    QList<Candidate> all;
    if (before.size() == 1) {
        for (const Command &known : commands) {
            if (known.name.startsWith(first + u' '))
                all.append({known.name.sliced(first.size() + 1), known.summary});
        }
    }
    if (command == commands.end() || before.contains(u"--"_s))
        return all;
    const QByteArray last = before.last().toUtf8();
    for (const Option &option : command->options) {
        if ((option.name == last || option.longName == last) && !option.value.isEmpty())
            return valuesOf(last);
    }
    return all + (isOption ? optionsOf(*command) : wordsOf(*command));
}

int printCompletion(const Arguments &arguments)
{
    const QByteArray shell = arguments.positional.size() == 1 ? arguments.positional.first() : QByteArray();
    const char *script = shell == "bash" ? forBash : shell == "zsh" ? forZsh : shell == "fish" ? forFish : nullptr;
    if (!script)
        return sayUsage(u"Name your shell: bash, zsh or fish."_s, u"completion"_s);
    print(QByteArrayView(script));
    return 0;
}

} // namespace

QList<Candidate> candidatesFor(const std::vector<Command> &commands, const QStringList &words)
{
    const QString typed = words.isEmpty() ? QString() : words.last();
    QList<Candidate> all =
        allAfter(commands, words.isEmpty() ? words : words.first(words.size() - 1), typed.startsWith(u'-'));
    all.removeIf([&](const Candidate &candidate) { return !candidate.word.startsWith(typed); });
    return all;
}

Command completionCommand()
{
    return {
        .name = u"completion"_s,
        .summary = u"print what a shell needs to complete commands and options"_s,
        .synopsis = u"bash|zsh|fish"_s,
        .details = uR"(Examples:
  source <(glovebox completion bash)
  glovebox completion fish > ~/.config/fish/completions/glovebox.fish
)"_s,
        .run = printCompletion,
    };
}

} // namespace glovebox
