// SPDX-License-Identifier: Apache-2.0
// Checks everything that can be checked without an engine.
#include "runoptions.h"

#include "engine/network/network.h"

#include <QDir>
#include <QFile>
#include <QSet>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Refusal = std::unexpected<QString>;

std::expected<void, QString> readSource(const Arguments &arguments, bool stdinIsTerminal, RunOptions &options)
{
    const QByteArrayList code = arguments.values("-c");
    const qsizetype sources = code.size() + arguments.positional.size();
    if (sources > 1 && code.isEmpty())
        return Refusal(u"There is more than one file to run; arguments for the code go behind \"--\", further files "
                       "behind --file."_s);
    if (sources > 1)
        return Refusal(u"The code can come from one place only: -c CODE, FILE or \"-\"."_s);
    if (!code.isEmpty()) {
        options.source = RunOptions::Source::Argument;
        options.code = code.first();
    } else if (!arguments.positional.isEmpty() && arguments.positional.first() != "-") {
        options.source = RunOptions::Source::File;
        options.file = arguments.positional.first();
    } else if (arguments.positional.isEmpty() && stdinIsTerminal) {
        return Refusal(u"There is no code to run: give a FILE, -c CODE, or \"-\" to type it in."_s);
    } else {
        options.source = RunOptions::Source::StandardInput;
    }
    return {};
}

std::expected<void, QString> readLimits(const Arguments &arguments, RunOptions &options)
{
    using Range = LimitRange;
    if (const auto text = arguments.value("-t")) {
        const auto value = milliseconds("-t", *text, Range::wallMin.count(), Range::wallMax.count());
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
        qint64 minimum, maximum, unitBytes;
        const char16_t *unit;
        std::optional<qint64> &target;
    };
    std::optional<qint64> processes;
    std::optional<qint64> cpuPercent;
    const Number numbers[] = {
        {"--cpu-share", Range::cpuPercentMin, Range::cpuPercentMax, 1, u"percent", cpuPercent},
        {"-m", Range::memoryMin, Range::memoryMax, mebibyte, u"MB", options.memoryBytes},
        {"--procs", Range::processesMin, Range::processesMax, 1, u"", processes},
        {"-o", Range::outputMin, Range::outputMax, 1, u"bytes", options.outputBytes},
        {"--disk", Range::diskMin, Range::diskMax, mebibyte, u"MB", options.diskBytes},
        {"--traffic", Range::trafficMin, Range::trafficMax, mebibyte, u"MB", options.trafficBytes},
        {"--bandwidth", Range::bandwidthMin, Range::bandwidthMax, kibibyte, u"KB a second", options.bandwidthBytes},
    };
    for (const Number &number : numbers) {
        const auto text = arguments.value(number.option);
        if (!text)
            continue;
        const auto value = wholeNumber(number.option, *text, number.minimum / number.unitBytes,
                                       number.maximum / number.unitBytes, QString::fromUtf16(number.unit));
        if (!value)
            return Refusal(value.error());
        number.target = *value * number.unitBytes;
    }
    if (processes)
        options.processes = int(*processes);
    if (cpuPercent)
        options.cpuPercent = int(*cpuPercent);
    return {};
}

// HOST:PATH, perhaps with ":rw" and the like behind it. HOST may contain colons; it may be relative, PATH may not.
std::expected<FolderGrant, QString> readMount(const QByteArray &text)
{
    QString rest = QFile::decodeName(text);
    const auto malformed = [&] {
        return Refusal(u"--mount takes HOST:PATH or HOST:PATH:MODE, such as data:/mnt/data, not \"%1\"."_s.arg(rest));
    };
    if (QFile::encodeName(rest) != text)
        return Refusal(u"--mount takes only names that are text: \"%1\"."_s.arg(QString::fromUtf8(text)));
    FolderGrant folder;
    const std::pair<QLatin1StringView, FolderGrant::Mode> modes[] = {{":ro"_L1, FolderGrant::Mode::ReadOnly},
                                                                     {":stage"_L1, FolderGrant::Mode::Stage},
                                                                     {":rw"_L1, FolderGrant::Mode::ReadWrite}};
    QString both = rest;
    for (const auto &[ending, mode] : modes) {
        if (rest.endsWith(ending)) {
            folder.mode = mode;
            both.chop(ending.size());
            break;
        }
    }
    const qsizetype colon = both.lastIndexOf(u":/"_s);
    folder.path = both.sliced(colon + 1);
    if (colon <= 0 || folder.path.contains(u':')) // a mode that doesn't exist, most likely
        return malformed();
    while (folder.path.size() > 1 && folder.path.endsWith(u'/'))
        folder.path.chop(1);
    if (!both.startsWith(u'/') && QDir::currentPath().isEmpty()) // else it would be taken from "/"
        return Refusal(
            u"The folder that this was started in is gone, so \"%1\" leads nowhere. Change to another folder, or "
            "name the whole path."_s.arg(both.first(colon)));
    folder.hostPath = QDir::current().absoluteFilePath(both.first(colon));
    return folder;
}

// NAME or NAME=VARIABLE. What makes sense is known where it is granted; here it is said before anything is recorded, as somebody
// may have written a value instead of a name.
std::expected<void, QString> readSecrets(const Arguments &arguments, RunOptions &options)
{
    for (const QByteArray &text : arguments.values("--secret")) {
        const qsizetype equals = text.indexOf('=');
        const QString name = QString::fromUtf8(equals < 0 ? text : text.first(equals));
        if (equals >= 0 && equals == text.size() - 1)
            return Refusal(u"--secret takes NAME or NAME=VARIABLE, and behind the \"=\" is nothing."_s);
        options.secrets.push_back({name, equals < 0 ? QString() : QString::fromUtf8(text.sliced(equals + 1)), false});
    }
    for (const QByteArray &text : arguments.values("--secret-file"))
        options.secrets.push_back({QString::fromUtf8(text), {}, true});
    if (const auto status = checkSecretGrants(options.secrets); !status)
        return Refusal(status.error().message.english());
    return {};
}

} // namespace

std::vector<Option> offeredRunOptions()
{
    return {
        {"-c", "CODE", u"the code itself"_s},
        {"-l", "LANGUAGE", u"python, node, bash or sh (by the file's name or #! line; python for -c and -)"_s},
        {"-t", "SECONDS", u"time limit (30; at most 3600; 0.5 is fine)"_s},
        {"--cpu", "SECONDS", u"limit of processor time (none: only -t counts)"_s},
        {"--cpu-share", "N", u"percent of one processor for all of it: 50 is half of one, 200 two (all there are)"_s},
        {"-m", "MB", u"memory of all processes together (256); their files count for --disk"_s},
        {"--procs", "N", u"processes and threads at once (64)"_s},
        {"-o", "BYTES", u"output kept of each stream (1048576); of more, the beginning and the end"_s},
        {"--disk", "MB", u"space for files in /work and /tmp together (256)"_s},
        {"--file", "PATH", u"put a copy of this file into /work; may be given again (none)"_s},
        {"--stdin", "FILE", u"what the code reads as its input; - is our own (our own; see below)"_s},
        {"--mount", "HOST:PATH",
         u"show the folder HOST at PATH inside, read-only; HOST:PATH:stage shows a copy, :rw lets it be changed"_s},
        {"--allow", "HOST[:PORT]",
         u"let it reach this host; *.HOST: all below it; pypi, npm, github: what those need (nothing)"_s},
        {"--traffic", "MB", u"what it may move over the network, both ways together (no limit)"_s},
        {"--bandwidth", "KB", u"how much of that in a second (no limit)"_s},
        {"--secret", "NAME[=VARIABLE]", u"lend it this secret of the vault, as an environment variable (none)"_s},
        {"--secret-file", "NAME", u"lend it this secret as the file /run/secrets/NAME (none)"_s},
        {"--apply", "", u"put what was changed in copies (:stage) into the originals without asking (off)"_s},
        {"--artifacts", "DIR",
         u"save the files that it leaves in /work in this new or empty folder (see: artifact list)"_s},
        {"--backend", "NAME", u"what seals the code off (native)"_s},
        {"--strict", "", u"refuse to run if any protection would be weaker than asked for (off)"_s},
        {"--no-warm", "", u"never take a sandbox that was built ahead (a single run never does)"_s},
        {"--tty", "", u"give the run a terminal of its own; leave it by Ctrl+] three times (off)"_s},
        {"--raw", "", u"send everything to the terminal as it is, also what could control it (off)"_s},
        {"--json", "", u"print one JSON object with everything about the run instead of its output (off)"_s},
    };
}

std::expected<RunOptions, QString> runOptions(const Arguments &arguments, bool stdinIsTerminal)
{
    RunOptions options;
    if (auto status = readSource(arguments, stdinIsTerminal, options); !status)
        return Refusal(status.error());
    if (auto status = readLimits(arguments, options); !status)
        return Refusal(status.error());
    options.args = arguments.afterDashes;
    options.files = arguments.values("--file");
    options.input = arguments.value("--stdin");
    options.raw = arguments.has("--raw");
    options.terminal = arguments.has("--tty");
    options.json = arguments.has("--json");
    options.strict = arguments.has("--strict");
    options.apply = arguments.has("--apply");
    options.mayBeWarm = !arguments.has("--no-warm");
    if (const auto language = arguments.value("-l")) {
        if (language->isEmpty()) // an unset variable of a script, most likely: not the wish to have it guessed
            return Refusal(u"-l takes the name of a language, not nothing: python, node, bash or sh."_s);
        options.language = QString::fromUtf8(*language);
    }
    if (const auto folder = arguments.value("--artifacts")) {
        options.artifacts = QFile::decodeName(*folder);
        if (options.artifacts.isEmpty())
            return Refusal(u"--artifacts takes the name of a folder, not nothing."_s);
        if (const auto status = checkSaveFolder(options.artifacts); !status)
            return Refusal(status.error().message.english());
    }
    if (const auto backend = arguments.value("--backend"))
        options.backend = QString::fromUtf8(*backend);

    for (const QByteArray &text : arguments.values("--mount")) {
        auto folder = readMount(text);
        if (!folder)
            return Refusal(folder.error());
        options.folders.append(*std::move(folder));
    }

    for (const QByteArray &text : arguments.values("--allow")) {
        auto hosts = allowedBy(QString::fromUtf8(text));
        if (!hosts)
            return Refusal(hosts.error().message.english());
        options.allow += *std::move(hosts);
    }

    if (auto status = readSecrets(arguments, options); !status)
        return Refusal(status.error());
    if (options.input == "-" && options.source == RunOptions::Source::StandardInput)
        return Refusal(u"Standard input can't be both the code and its input."_s);
    if (auto status = validate(options.on(Policy())); !status)
        return Refusal(status.error().message.english());
    QSet<QByteArray> names;
    for (const QByteArray &path : options.files) {
        const QByteArray name = path.sliced(path.lastIndexOf('/') + 1);
        if (name.isEmpty() || name == "." || name == "..")
            return Refusal(u"--file takes a file, not a folder: \"%1\"."_s.arg(QString::fromUtf8(path)));
        if (names.contains(name))
            return Refusal(u"Two files called \"%1\" can't both be in /work."_s.arg(QString::fromUtf8(name)));
        names.insert(name);
    }
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
    return policy;
}

bool RunOptions::relaysStandardInput() const
{
    if (input)
        return *input == "-";
    return !json && source != Source::StandardInput;
}

} // namespace glovebox
