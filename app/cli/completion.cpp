// SPDX-License-Identifier: Apache-2.0
#include "completion.h"

#include "profile/namedprofile.h"
#include "session/namedsession.h"
#include "terminal/terminal.h"

#include "engine/mcp/mcp.h"
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
    if (( $#lines )); then _describe glovebox lines; else compset -P '--*='; _files; fi
}
# For compinit:
if [[ ${funcstack[1]} == _glovebox ]]; then _glovebox "$@"; else compdef _glovebox glovebox; fi
)";
constexpr auto forFish = R"(# Completion of glovebox in fish: glovebox completion fish | source
function __glovebox
    glovebox complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null
end
complete -c glovebox -n '__glovebox | string length -q' -f -a '(__glovebox)'
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

QList<Candidate> allProfiles()
{
    QList<Candidate> all;
    const auto paths = Paths::standard();
    const auto profiles = paths ? Profiles(*paths).list() : std::unexpected(paths.error());
    for (const Profile &profile : profiles.value_or(QList<Profile>()))
        all.append({profile.name, optionsOf(profile).join(u' ')});
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

QList<Candidate> allSecrets() // the names, as no keychain is asked for those
{
    QList<Candidate> all;
    const auto paths = Paths::standard();
    if (!paths)
        return all;
    const auto secrets = Vault({.auditFile = paths->auditFile(), .stores = {makeFileStore(paths->vaultFile())}}).list();
    for (const SecretInfo &secret : secrets.value_or(QList<SecretInfo>()))
        all.append({secret.name, secret.note});
    return all;
}

QList<Candidate> allPairings()
{
    QList<Candidate> all;
    const auto paths = Paths::standard();
    const auto reader = paths ? AuditReader::open(paths->auditFile()) : std::unexpected(paths.error());
    const auto clients = reader ? readClients(**reader) : std::unexpected(reader.error());
    for (const PairedClient &client : clients.value_or(QList<PairedClient>()))
        all.append({client.name, u"a paired client"_s});
    return all;
}

QList<Candidate> latestRuns()
{
    constexpr int most = 20;
    QList<Candidate> all{{u"last"_s, u"the latest run"_s}};
    const auto paths = Paths::standard();
    const auto reader = paths ? AuditReader::open(paths->auditFile()) : std::unexpected(paths.error());
    const auto runs = reader ? (*reader)->runs({.limit = most}) : std::unexpected(reader.error());
    for (const RunRow &run : runs.value_or(QList<RunRow>()))
        all.append({run.run, run.firstLine.left(40)});
    return all;
}

QList<Candidate> runsWithChanges(bool areApplied)
{
    QList<Candidate> all{{u"last"_s, u"the latest run with changes"_s}};
    const auto paths = Paths::standard();
    if (!paths)
        return all;
    const Staging staging(*paths, newId(Clock::system()), runIdentity);
    for (const PendingChanges &changes : areApplied ? staging.undoable() : staging.pending())
        all.append({changes.run, {}});
    return all;
}

QList<Candidate> plain(const QStringList &words)
{
    QList<Candidate> all;
    for (const QString &word : words)
        all.append({word, {}});
    return all;
}

template<typename Enum> QList<Candidate> namesOfAll()
{
    QList<Candidate> all;
    for (const std::string_view name : enumNames<Enum>)
        all.append({QString::fromLatin1(name), {}});
    return all;
}

QList<Candidate> allClientPrograms()
{
    QList<Candidate> all;
    for (const mcp::ClientProgram &program : mcp::clientPrograms())
        all.append({program.id, program.name});
    return all;
}

QList<Candidate> valuesOf(const QByteArray &option)
{
    QList<Candidate> all;
    if (option == "-l" || option == "--language") {
        for (const auto &language : Languages::all())
            all.append({language->id(), language->name()});
    }
    if (option == "--allow" || option == "--host") {
        for (const NetworkPreset &preset : networkPresets())
            all.append({preset.name, preset.purpose.english()});
    }
    if (option == "--session")
        return allSessions();
    if (option == "--profile")
        return allProfiles();
    if (option == "--job")
        return allJobs();
    if (option == "--tool")
        return allTools();
    if (option == "--secret" || option == "--secret-file")
        return allSecrets();
    if (option == "--outcome")
        return namesOfAll<Outcome>();
    if (option == "--caller")
        return namesOfAll<Caller::Kind>();
    if (option == "--backend")
        return plain({Policy().backend});
    if (option == "--print-config")
        return allClientPrograms();
    return all;
}

QList<Candidate> valuesOfSetting(const QString &key)
{
    const auto info = Settings::info(key);
    if (!info)
        return {};
    if ((*info)->type == SettingInfo::Type::Boolean)
        return plain({u"true"_s, u"false"_s});
    const QString standard = (*info)->defaultValue.toString();
    if (!(*info)->choices.isEmpty())
        return plain((*info)->choices);
    return standard.isEmpty() ? QList<Candidate>() : QList<Candidate>{{standard, u"the default"_s}};
}

// What a session's command takes after its name.
QList<Candidate> wordsInSession(const QString &command, const QString &named)
{
    const auto sessions = openSessions();
    const auto session = sessions ? sessionCalled(*sessions, named.toUtf8()) : std::unexpected(sessions.error());
    if (!session)
        return {};
    QList<Candidate> all;
    if (command == u"session diff" || command == u"session rollback" || command == u"session fork") {
        for (const Snapshot &snapshot : session->snapshots)
            all.prepend({QString::number(snapshot.number), snapshot.label});
    } else if (command == u"session files" || command == u"session get" || command == u"session remove") {
        for (const SessionEntry &entry : sessions->tree(*session).value_or(SessionTree())) {
            if (!entry.path.startsWith('-')) // which would be an option
                all.append({textFromBytes(entry.path), {}});
        }
    } else if (command == u"session uninstall") {
        for (const SessionPackages &packages : session->packages) {
            for (const QString &package : packages.packages)
                all.append({package.section(u' ', 0, 0), packages.language});
        }
    }
    return all;
}

// What stands for itself in a command, after the words that do so already.
QList<Candidate> wordsOf(const QString &command, const QStringList &before)
{
    const bool isFirst = before.isEmpty();
    const QString group = command.section(u' ', 0, 0);
    if (command == u"settings set" && before.size() == 1)
        return valuesOfSetting(before[0]);
    if (group == u"settings" && command != u"settings list" && isFirst) {
        QList<Candidate> all;
        for (const SettingInfo &info : Settings::schema())
            all.append({info.key, info.description.english()});
        return all;
    }
    if (group == u"profile" && command != u"profile list" && isFirst)
        return allProfiles();
    if (group == u"changes" && command != u"changes list" && isFirst)
        return runsWithChanges(command == u"changes undo");
    if (command == u"audit prune" || ((command == u"audit show" || group == u"artifact") && isFirst))
        return latestRuns();
    if ((command == u"session logs" && isFirst) || command == u"session stop")
        return allJobs();
    if (command == u"session delete"
        || (group == u"session" && isFirst && command != u"session create" && command != u"session list"
            && command != u"session logs"))
        return allSessions();
    if (group == u"session" && !isFirst)
        return wordsInSession(command, before[0]);
    if (command == u"secret remove"
        || (isFirst && (command == u"secret edit" || command == u"secret rename" || command == u"secret check")))
        return allSecrets();
    if ((command == u"mcp install" || command == u"mcp uninstall") && isFirst)
        return allClientPrograms();
    if (command == u"mcp unpair" && isFirst)
        return allPairings();
    if (command == u"completion" && isFirst)
        return plain({u"bash"_s, u"zsh"_s, u"fish"_s});
    return {};
}

const Option *optionCalled(const Command &command, const QString &word)
{
    const QByteArray name = word.toUtf8();
    const auto option = std::ranges::find_if(
        command.options, [&](const Option &each) { return each.name == name || each.longName == name; });
    return option == command.options.end() ? nullptr : &*option;
}

// As bash gives them, --language=py is three words.
QStringList joinedAtEquals(const QStringList &words)
{
    QStringList joined;
    for (qsizetype i = 0; i < words.size(); ++i) {
        if (words[i] == u"=" && !joined.isEmpty() && joined.last().startsWith(u"--"_s))
            joined.last() += u'=' + words.value(++i);
        else
            joined.append(words[i]);
    }
    return joined;
}

// Words of it that are no options and no values of those.
QStringList wordsWithoutOptions(const Command &command, const QStringList &words)
{
    QStringList own;
    for (qsizetype i = 0; i < words.size(); ++i) {
        if (!words[i].startsWith(u'-') || words[i] == u"-")
            own.append(words[i]);
        else if (const Option *option = optionCalled(command, words[i]);
                 option && !option->value.isEmpty() && !option->value.startsWith('['))
            ++i;
    }
    return own;
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
    if (before.isEmpty())
        return firstWords(commands);
    const QString &first = before[0];
    if (first == u"help")
        return before.size() < 3 ? allAfter(commands, before.sliced(1), false) : QList<Candidate>();
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
    if (const Option *option = optionCalled(*command, before.last()); option && !option->value.isEmpty())
        return valuesOf(option->name);
    if (isOption)
        return all + optionsOf(*command);
    return all + wordsOf(command->name, wordsWithoutOptions(*command, before.sliced(command->name.count(u' ') + 1)));
}

// A shell takes what is offered as typed by the person: names from files that code made would be commands there.
bool isPlainWord(const QString &word)
{
    return asShellWord(word.toUtf8()) == word;
}

int printCompletion(const Arguments &arguments)
{
    const QByteArrayList words = arguments.positional + arguments.afterDashes;
    const QByteArray shell = words.size() == 1 ? words.first() : QByteArray();
    const char *script = shell == "bash" ? forBash : shell == "zsh" ? forZsh : shell == "fish" ? forFish : nullptr;
    if (!script)
        return sayUsage(u"Name your shell: bash, zsh or fish."_s, u"completion"_s);
    print(QByteArrayView(script));
    return 0;
}

} // namespace

QList<Candidate> candidatesFor(const std::vector<Command> &commands, const QStringList &words)
{
    QString typed = words.isEmpty() ? QString() : words.last();
    QStringList before = words.isEmpty() ? words : words.first(words.size() - 1);
    QString prefix; // that the shell has in the same word
    if (typed == u"=") { // bash gives --language=py as three words
        typed.clear();
    } else if (!before.isEmpty() && before.last() == u"=") {
        before.removeLast();
    } else if (const qsizetype equals = typed.indexOf(u'='); typed.startsWith(u"--"_s) && equals > 0) {
        prefix = typed.first(equals + 1);
        before.append(typed.first(equals));
        typed = typed.sliced(equals + 1);
    }
    before = joinedAtEquals(before);
    QList<Candidate> all = allAfter(commands, before, typed.startsWith(u'-') && prefix.isEmpty());
    all.removeIf(
        [&](const Candidate &candidate) { return !candidate.word.startsWith(typed) || !isPlainWord(candidate.word); });
    for (Candidate &candidate : all)
        candidate = {prefix + candidate.word, QString::fromUtf8(escapedLine(candidate.meaning.toUtf8()))};
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
