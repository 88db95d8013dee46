// SPDX-License-Identifier: Apache-2.0
// Checks everything that can be checked without an engine.
#include "runoptions.h"

#include "mountoption.h"

#include "app/cli/secret/prompt.h"

#include "engine/languages/languages.h"
#include "engine/network/network.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSet>

#include <algorithm>
#include <iterator>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Refusal = std::unexpected<QString>;

// "glovebox run" with the file and the arguments that somebody gave to an interpreter. words: the interpreter first.
QString withoutInterpreter(const Language &language, const QByteArrayList &code, const QByteArrayList &words)
{
    QStringList typed{u"glovebox run"_s};
    qsizetype next = 1;
    if (!code.isEmpty()) {
        typed.append(u"-l %1 -c %2"_s.arg(language.id(), asShellWord(code.first())));
    } else {
        const QByteArray &file = words[next++];
        if (!Languages::detect(QFileInfo(QFile::decodeName(file)).fileName(), {}))
            typed.append(u"-l %1"_s.arg(language.id()));
        typed.append(asShellWord(file));
    }
    if (next < words.size())
        typed.append(u"--"_s);
    for (; next < words.size(); ++next)
        typed.append(asShellWord(words[next]));
    return typed.join(u' ');
}

std::expected<void, QString> readSource(const Arguments &arguments, bool stdinIsTerminal, RunOptions &options)
{
    const QByteArrayList code = arguments.values("-c");
    // What follows "--" is operands (POSIX): the first of them is the file where there is no other code.
    const bool isAfterDashes = code.isEmpty() && arguments.positional.isEmpty() && !arguments.afterDashes.isEmpty();
    const QByteArrayList files = isAfterDashes ? arguments.afterDashes.first(1) : arguments.positional;
    options.args = arguments.afterDashes.sliced(isAfterDashes ? 1 : 0);
    const qsizetype sources = code.size() + files.size();
    if (sources > 1 && code.size() < 2 && !files.isEmpty()) {
        if (const auto language = Languages::called(QFileInfo(QFile::decodeName(files.first())).fileName()))
            return Refusal(u"Glovebox starts the interpreter itself: %1"_s.arg(
                withoutInterpreter(**language, code, files + arguments.afterDashes)));
    }
    if (sources > 1 && code.isEmpty())
        return Refusal(u"There is more than one file to run. Arguments of the code go after \"--\", further files "
                       "after --file."_s);
    if (sources > 1)
        return Refusal(u"The code can come from one place only: -c CODE, FILE or \"-\"."_s);
    if (!code.isEmpty()) {
        options.source = RunOptions::Source::Argument;
        options.code = code.first();
    } else if (!files.isEmpty() && files.first().isEmpty()) {
        return Refusal(u"The name of the file to run is empty (an unset variable?)."_s);
    } else if (!files.isEmpty() && files.first() != "-") {
        options.source = RunOptions::Source::File;
        options.file = files.first();
    } else if (files.isEmpty() && stdinIsTerminal) {
        return Refusal(u"Nothing to run: give a FILE, -c CODE, or - to read standard input."_s);
    } else {
        options.source = RunOptions::Source::StandardInput;
    }
    return {};
}

std::expected<void, QString> readLimits(const Arguments &arguments, RunOptions &options)
{
    using Range = LimitRange;
    if (const auto text = arguments.value("-t")) {
        const auto most = arguments.has("--detach") ? Range::jobWallMax : Range::wallMax;
        const auto value = milliseconds("-t", *text, Range::wallMin.count(), most.count());
        if (!value)
            return Refusal(value.error());
        options.wall = std::chrono::milliseconds(*value);
    }
    if (const auto text = arguments.value("--cpu")) {
        const auto value = milliseconds("--cpu", *text, Range::cpuMin.count(), Range::cpuMax.count());
        if (!value)
            return Refusal(value.error());
        options.cpu = std::chrono::milliseconds(*value);
    }
    struct Number
    {
        const char *option;
        qint64 minimum, maximum, unitBytes; // 0: no bytes
        const char16_t *unit;
        std::optional<qint64> &target;
    };
    std::optional<qint64> processes;
    std::optional<qint64> cpuPercent;
    const Number numbers[] = {
        {"--cpu-share", Range::cpuPercentMin, Range::cpuPercentMax, 0, u"percent", cpuPercent},
        {"-m", Range::memoryMin, Range::memoryMax, mebibyte, u"MB", options.memoryBytes},
        {"--procs", Range::processesMin, Range::processesMax, 0, u"", processes},
        {"-o", Range::outputMin, Range::outputMax, 1, u"bytes", options.outputBytes},
        {"--disk", Range::diskMin, Range::diskMax, mebibyte, u"MB", options.diskBytes},
        {"--traffic", Range::trafficMin, Range::trafficMax, mebibyte, u"MB", options.trafficBytes},
        {"--bandwidth", Range::bandwidthMin, Range::bandwidthMax, kibibyte, u"KB a second", options.bandwidthBytes},
    };
    for (const Number &number : numbers) {
        const auto text = arguments.value(number.option);
        if (!text)
            continue;
        const QString unit = QString::fromUtf16(number.unit);
        const auto value =
            number.unitBytes == 0
                ? wholeNumber(number.option, *text, number.minimum, number.maximum, unit)
                : sizeInBytes(number.option, *text, number.minimum, number.maximum, number.unitBytes, unit);
        if (!value)
            return Refusal(value.error());
        number.target = *value;
    }
    if (processes)
        options.processes = int(*processes);
    if (cpuPercent)
        options.cpuPercent = int(*cpuPercent);
    return {};
}

// NAME or NAME=VARIABLE. What makes sense is known where it is granted; here it is said before anything is recorded, as somebody
// may have written a value instead of a name.
std::expected<void, QString> readSecrets(const Arguments &arguments, RunOptions &options)
{
    for (const QByteArray &text : arguments.values("--secret")) {
        const qsizetype equals = text.indexOf('=');
        const QString name = QString::fromUtf8(equals < 0 ? text : text.first(equals));
        if (equals >= 0 && equals == text.size() - 1)
            return Refusal(u"--secret takes NAME or NAME=VARIABLE, and nothing follows the \"=\"."_s);
        options.secrets.push_back({name, equals < 0 ? QString() : QString::fromUtf8(text.sliced(equals + 1)), false});
    }
    for (const QByteArray &text : arguments.values("--secret-file"))
        options.secrets.push_back({QString::fromUtf8(text), {}, true});
    if (const auto status = checkSecretGrants(options.secrets); !status)
        return Refusal(status.error().message.english());
    return {};
}

// "pypi, npm, github"
QString presetNames()
{
    QStringList names;
    for (const NetworkPreset &preset : networkPresets())
        names.append(preset.name);
    return names.join(u", "_s);
}

} // namespace

OptionAdvice runAdvice()
{
    return {.foreign = {{{"-v", "--volume", "--bind"}, u"Folders are granted by --mount HOST:PATH."_s},
                        {{"-e", "--env"}, u"Set variables in the code, or pass a secret by --secret NAME."_s},
                        {{"--net", "--network", "--share-net"}, u"Hosts are allowed by --allow HOST."_s},
                        {{"-i", "-it", "-ti", "--interactive"},
                         u"A terminal of its own is given by --tty, an interpreter that stays by --stateful."_s},
                        {{"-d", "--background"}, u"A background job is started by --detach, in a session."_s},
                        {{"--rm"}, u"Every run ends with this command, and leaves no process."_s},
                        {{"--user", "-u"}, u"Runs always have a user of their own."_s},
                        {{"--workdir", "-w", "--cwd"}, u"Code starts in /work."_s},
                        {{"--cpus"}, u"Processors are shared by --cpu-share: 200 is two."_s},
                        {{"--privileged", "--cap-add"}, u"Protections can't be switched off."_s}},
            .passesOn = u"glovebox run FILE"_s};
}

std::vector<Option> offeredGrants()
{
    return {
        {"--profile",
         "NAME",
         u"the limits and hosts that are saved under this name; options beside it win [default: none]"_s,
         {},
         u"Limits"_s},
        {"-t", "TIME", u"time limit in seconds, or 500ms, 2m, 1h [default: 30]"_s, "--timeout"},
        {"--cpu", "TIME", u"limit of processor time of all processes together [default: none]"_s},
        {"--cpu-share", "N", u"percent of one processor: 50 is half of one, 200 two [default: all]"_s},
        {"-m", "MB", u"memory of all processes together, or 512M, 1G [default: 256]"_s, "--memory"},
        {"--procs", "N", u"processes and threads at once [default: 64]"_s},
        {"-o", "BYTES", u"output kept of each stream, or 64K, 2M; of more, both ends [default: 1M]"_s, "--output"},
        {"--disk", "MB", u"space for files in /work and /tmp together, or 1G [default: 256]"_s},
        {"--mount",
         "HOST:PATH[:MODE]",
         u"show the folder HOST at PATH; MODE: ro, stage (a copy) or rw; repeatable [default: ro]"_s,
         {},
         u"Access"_s},
        {"--allow", "HOST[:PORT]",
         u"allow connections to HOST, *.HOST or a preset: "_s + presetNames() + u"; repeatable [default: none]"_s},
        {"--traffic", "MB", u"limit of bytes moved over the network, both ways [default: none]"_s},
        {"--bandwidth", "KB", u"limit of bytes moved in one second [default: none]"_s},
        {"--tool", "SERVER.TOOL",
         u"let the code call this tool of one of your MCP servers; repeatable [default: none]"_s},
        {"--secret", "NAME[=VARIABLE]",
         u"give the run this secret in an environment variable; repeatable [default: none]"_s},
        {"--secret-file", "NAME",
         u"give the run this secret as the file /run/secrets/NAME; repeatable [default: none]"_s},
        passphraseFileOption(),
        {"--backend", "NAME", u"sandbox backend [default: native]"_s, {}, u"Protection"_s},
        {"--strict", "", u"refuse to run if any protection would be weaker than asked for"_s},
        {"--no-warm", "", u"never use a sandbox that was built ahead (a single run never does)"_s},
    };
}

std::vector<Option> offeredRunOptions()
{
    std::vector<Option> options{
        {"-c", "CODE", u"run this code [default: FILE, else standard input]"_s, "--code", u"Code"_s},
        {"-l", "LANGUAGE",
         u"language: python, node, bash or sh [default: by file name or #! line; python for -c and -]"_s, "--language"},
        {"--file", "PATH", u"put a copy of this file into /work; repeatable [default: none]"_s},
        {"--session", "SESSION", u"run in this session: /work is as the run before left it [default: none]"_s},
        {"--stateful", "",
         u"keep one Python or Node.js interpreter of the session for all cells of this command: each -c, FILE, or typed"_s},
        {"-k", "", u"with --stateful, run further cells after one failed [default: at a terminal only]"_s,
         "--keep-going"},
        {"--parallel", "", u"run in a copy of the session, which waits for no other run; see session snapshots"_s},
        {"--detach", "", u"run as a background job in a copy of the session, at most 24h, and print the job's id"_s},
        {"--stdin", "FILE", u"input of the code [default: -, this terminal or pipe; none with --json]"_s},
    };
    std::ranges::move(offeredPackageOptions(), std::back_inserter(options));
    std::ranges::move(offeredGrants(), std::back_inserter(options));
    std::ranges::move(
        std::vector<Option>{
            {"--apply", "", u"apply changes in copies (:stage) without asking"_s, {}, u"Results"_s},
            {"--artifacts", "DIR",
             u"save files left in /work in this new or empty folder [default: only in the log]"_s},
            {"--tty", "",
             u"give the run a terminal of its own (needs yours, or --stdin FILE); press Ctrl+] three times to leave"_s},
            {"--raw", "", u"pass control characters of the output to the terminal"_s},
            {"-q", "", u"say nothing about what the run tried, and of what it left only changes in copies"_s,
             "--quiet"},
            {"--json", "", u"print one JSON object about the run instead of its output"_s},
        },
        std::back_inserter(options));
    return options;
}

// As far as the arguments tell: what is said about packages has examples of that language.
static QString knownLanguage(const RunOptions &options)
{
    if (!options.language.isEmpty())
        return options.language;
    const auto language = Languages::detect(QFileInfo(QFile::decodeName(options.file)).fileName(), options.code);
    return language ? (*language)->id() : QString();
}

std::expected<void, QString> readSharedOptions(const Arguments &arguments, RunOptions &options)
{
    if (auto status = readLimits(arguments, options); !status)
        return Refusal(status.error());
    options.files = arguments.values("--file");
    if (const auto session = arguments.value("--session")) {
        options.session = *session;
        if (session->isEmpty())
            return Refusal(
                u"--session takes the name of a session, not nothing. To list them: glovebox session list"_s);
        if (arguments.has("--disk"))
            return Refusal(u"A session has a disk of its own, so --disk has no effect with --session. To have more: "
                           "glovebox session fork %1 --disk MB"_s.arg(asShellWord(*session)));
    }
    options.profile = arguments.value("--profile").value_or(QByteArray());
    if (arguments.has("--profile") && options.profile.isEmpty())
        return Refusal(u"--profile takes the name of a profile, not nothing. To list them: glovebox profile list"_s);
    options.raw = arguments.has("--raw");
    options.json = arguments.has("--json");
    options.passphraseFile = passphraseFile(arguments);
    options.quiet = arguments.has("-q");
    options.strict = arguments.has("--strict");
    options.mayBeWarm = !arguments.has("--no-warm");
    if (const auto language = arguments.value("-l")) {
        if (language->isEmpty()) // an unset variable of a script, most likely: not the wish to have it guessed
            return Refusal(u"-l takes the name of a language, not nothing: python, node, bash or sh."_s);
        const auto called = Languages::called(QString::fromUtf8(*language));
        if (!called)
            return Refusal(called.error().message.english());
        options.language = (*called)->id();
    }
    auto packages = packageOptions(arguments, "--with", knownLanguage(options));
    if (!packages)
        return Refusal(packages.error());
    options.packages = *std::move(packages);
    if (const auto backend = arguments.value("--backend"))
        options.backend = QString::fromUtf8(*backend);

    for (const QByteArray &text : arguments.values("--mount")) {
        auto folder = readMount(text);
        if (!folder)
            return Refusal(folder.error());
        if (std::ranges::find(options.folders, folder->path, &FolderGrant::path) != options.folders.end())
            return Refusal(u"%1 is given twice."_s.arg(folder->path));
        options.folders.append(*std::move(folder));
    }

    for (const QByteArray &text : arguments.values("--allow")) {
        auto hosts = allowedBy(QString::fromUtf8(text));
        if (!hosts)
            return Refusal(hosts.error().message.english());
        options.allow += *std::move(hosts);
    }

    for (const QByteArray &text : arguments.values("--tool"))
        options.tools.append(QString::fromUtf8(text));

    if (arguments.has("--passphrase-file") && !arguments.has("--secret") && !arguments.has("--secret-file"))
        return Refusal(u"--passphrase-file has no effect without --secret or --secret-file."_s);
    if (auto status = readSecrets(arguments, options); !status)
        return Refusal(status.error());
    const auto longest = arguments.has("--detach") ? LimitRange::jobWallMax : LimitRange::wallMax;
    if (auto status = validate(options.on(Policy()), longest); !status)
        return Refusal(status.error().message.english());
    QSet<QByteArray> names;
    for (const QByteArray &path : options.files) {
        const QByteArray name = path.sliced(path.lastIndexOf('/') + 1);
        if (path.isEmpty())
            return Refusal(u"--file takes the name of a file, not nothing (an unset variable?)."_s);
        if (name.isEmpty() || name == "." || name == "..")
            return Refusal(u"--file takes a file, not a folder: \"%1\"."_s.arg(QString::fromUtf8(path)));
        if (names.contains(name))
            return Refusal(u"Two files called \"%1\" can't both be in /work."_s.arg(QString::fromUtf8(name)));
        names.insert(name);
    }
    return {};
}

std::expected<void, QString> checkHaveEffect(const Arguments &arguments, const RunOptions &options)
{
    for (const char *option : {"--traffic", "--bandwidth"}) {
        if (arguments.has(option) && options.allow.isEmpty() && options.session.isEmpty() && options.profile.isEmpty())
            return Refusal(u"%1 has no effect without --allow, as nothing else reaches the network."_s.arg(
                QString::fromLatin1(option)));
    }
    return {};
}

std::expected<RunOptions, QString> runOptions(const Arguments &arguments, bool stdinIsTerminal)
{
    RunOptions options;
    if (arguments.has("-k"))
        return Refusal(u"--keep-going has no effect without --stateful: there is one code to run."_s);
    if (auto status = readSource(arguments, stdinIsTerminal, options); !status)
        return Refusal(status.error());
    if (auto status = readSharedOptions(arguments, options); !status)
        return Refusal(status.error());
    if (auto status = checkHaveEffect(arguments, options); !status)
        return Refusal(status.error());
    options.input = arguments.value("--stdin");
    if (options.input && options.input->isEmpty())
        return Refusal(u"--stdin takes the name of a file, or - for this input, not nothing (an unset variable?)."_s);
    options.isDetached = arguments.has("--detach");
    if (options.isDetached && options.session.isEmpty())
        return Refusal(u"--detach needs a session, which keeps the job's files: --session SESSION"_s);
    for (const char *option : {"--stdin", "--tty", "--raw", "--apply", "--artifacts"}) {
        if (options.isDetached && arguments.has(option))
            return Refusal(u"%1 can't be used with --detach: a background job has no terminal and no input."_s.arg(
                QLatin1StringView(option)));
    }
    options.isParallel = arguments.has("--parallel") || options.isDetached;
    if (options.isParallel && options.session.isEmpty())
        return Refusal(u"--parallel needs a session: --session SESSION. Runs in none are parallel anyway."_s);
    options.terminal = arguments.has("--tty");
    if (options.terminal && !stdinIsTerminal && !options.input)
        return Refusal(u"--tty needs a terminal, and standard input isn't one. Name the input that is typed instead: "
                       "--stdin FILE, or --stdin - for standard input."_s);
    options.apply = arguments.has("--apply");
    if (const auto folder = arguments.value("--artifacts")) {
        options.artifacts = QFile::decodeName(*folder);
        if (options.artifacts.isEmpty())
            return Refusal(u"--artifacts takes the name of a folder, not nothing."_s);
    }
    if (options.apply
        && std::ranges::find(options.folders, FolderGrant::Mode::Stage, &FolderGrant::mode) == options.folders.end())
        return Refusal(u"--apply has no effect without a copy: --mount HOST:PATH:stage."_s);
    if (options.input == "-" && options.source == RunOptions::Source::StandardInput)
        return Refusal(u"Standard input can't be both the code and its input."_s);
    return options;
}

Policy RunOptions::on(Policy policy) const
{
    Limits &limits = policy.limits;
    limits.wall = wall.value_or(limits.wall);
    limits.cpu = cpu ? cpu : limits.cpu;
    limits.cpuPercent = cpuPercent ? cpuPercent : limits.cpuPercent;
    limits.memoryBytes = memoryBytes.value_or(limits.memoryBytes);
    limits.outputBytes = outputBytes.value_or(limits.outputBytes);
    limits.diskBytes = diskBytes.value_or(limits.diskBytes);
    limits.processes = processes.value_or(limits.processes);
    limits.trafficBytes = trafficBytes ? trafficBytes : limits.trafficBytes;
    limits.bandwidthBytes = bandwidthBytes ? bandwidthBytes : limits.bandwidthBytes;
    policy.backend = backend.value_or(policy.backend);
    policy.strict = policy.strict || strict;
    policy.folders += folders;
    for (const QString &host : allow) {
        if (!policy.allow.contains(host))
            policy.allow.append(host);
    }
    for (const QString &tool : tools) {
        if (!policy.tools.contains(tool))
            policy.tools.append(tool);
    }
    return policy;
}

bool RunOptions::relaysStandardInput() const
{
    if (isDetached)
        return false;
    if (input)
        return *input == "-";
    return !json && source != Source::StandardInput;
}

} // namespace glovebox
