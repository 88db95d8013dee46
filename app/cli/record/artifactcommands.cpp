// SPDX-License-Identifier: Apache-2.0
// `glovebox artifact ...`: the files that runs left in /work.
#include "app/cli/command.h"
#include "app/cli/terminal/terminal.h"
#include "recordedrun.h"

#include <QFile>

#include <unistd.h>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// The files that a run left, for looking at: no engine is needed.
struct Left
{
    QString run;
    QList<Artifact> artifacts;
    QList<Text> notKept;
    ContentStore store;
};

Result<Left> leftBy(const QByteArray &wanted)
{
    const auto paths = Paths::standard();
    if (!paths)
        return std::unexpected(paths.error());
    const auto reader = AuditReader::open(paths->auditFile());
    if (!reader)
        return std::unexpected(reader.error());
    std::optional<StoredEntry> found;
    const auto run = findRun(**reader, wanted, found);
    if (!run)
        return std::unexpected(run.error());
    if (run->isEmpty())
        return fail(ErrorCode::NotFound,
                    Text("Entry %1 of the log belongs to no run. \"glovebox audit list\" shows the "
                         "runs with their numbers.",
                         {QString::fromUtf8(wanted)}));
    const auto artifacts = artifactsOf(**reader, *run);
    if (!artifacts)
        return std::unexpected(artifacts.error());
    const auto notKept = whyNotKept(**reader, *run);
    if (!notKept)
        return std::unexpected(notKept.error());
    return Left{*run, *artifacts, *notKept, ContentStore(paths->storeFolder())};
}

// Its number, by its path or the line that lists it; -1 and a sentence on standard error where there is none.
qsizetype numberOf(const Left &left, const QByteArray &path)
{
    const QString wanted = textFromBytes(path);
    auto artifact = std::ranges::find(left.artifacts, wanted, &Artifact::path);
    if (artifact == left.artifacts.end())
        artifact = std::ranges::find(left.artifacts, path,
                                     [](const Artifact &listed) { return escapedLine(listed.path.toUtf8()); });
    if (artifact != left.artifacts.end())
        return std::distance(left.artifacts.begin(), artifact);
    say(u"The run left no file \"%1\" that is kept. \"glovebox artifact list %2\" lists those that are."_s.arg(
        wanted, left.run));
    return -1;
}

int listArtifacts(const Left &left, const Arguments &arguments)
{
    for (const Artifact &artifact : left.artifacts) {
        if (arguments.has("--json")) {
            printJson(toJson(artifact));
            continue;
        }
        const QByteArray size = QByteArray::number(artifact.bytes).rightJustified(12) + "  ";
        const QByteArray type = artifact.mediaType.toUtf8().leftJustified(25) + ' ';
        const QString remark = artifact.isDeleted ? u"  (deleted)"_s
                               : artifact.isWithheld()
                                   ? u"  (withheld: it holds the value of %1)"_s.arg(artifact.secrets.join(u", "_s))
                                   : QString();
        print(QByteArrayView(size + escapedLine(type) + escapedLine((artifact.path + remark).toUtf8()) + '\n'));
    }
    if (left.artifacts.isEmpty() && !arguments.has("--json"))
        print(u"This run left no files that are kept.\n"_s);
    for (const Text &sentence : left.notKept)
        say(sentence.english());
    return 0;
}

int getArtifact(const Left &left, qsizetype number, const Arguments &arguments)
{
    const Artifact &artifact = left.artifacts.at(number);
    if (const auto file = arguments.value("-o"); file && *file != "-") {
        const Status saved = saveArtifact(left.store, artifact, QFile::decodeName(*file));
        return saved ? 0 : sayFailure(saved.error());
    }
    if (artifact.isDeleted)
        return sayFailure(wasDeleted(artifact).error());
    if (artifact.isWithheld()) {
        say(u"\"%1\" is withheld, as it holds the value of %2. \"glovebox artifact release\" releases it."_s.arg(
            artifact.path, artifact.secrets.join(u", "_s)));
        return ExitStatus::failed;
    }
    // Nobody gets bytes that turn out to be others.
    if (const Status whole = left.store.pass(artifact.digest, {}); !whole)
        return sayFailure(whole.error());
    const bool isShown = isTerminal(STDOUT_FILENO);
    const Status passed = left.store.pass(artifact.digest, [&](QByteArrayView piece) -> Status {
        print(isShown ? QByteArrayView(escapedText(piece)) : piece);
        return {};
    });
    return passed ? 0 : sayFailure(passed.error());
}

int verifyArtifacts(const Left &left, const Arguments &arguments)
{
    bool isWhole = true;
    for (const Artifact &artifact : left.artifacts) {
        const Status whole = verifyArtifact(left.store, left.run, artifact);
        const QString verdict = artifact.isDeleted ? u"deleted"_s
                                : whole            ? artifact.isWithheld() ? u"withheld"_s : u"ok"_s
                                : whole.error().code == ErrorCode::NotFound ? u"missing"_s
                                                                            : u"damaged"_s;
        isWhole = isWhole && (whole || artifact.isDeleted); // on purpose
        if (arguments.has("--json"))
            printJson({{u"path"_s, artifact.path}, {u"state"_s, verdict}});
        else
            printLine(u"%1  %2"_s.arg(verdict, -8).arg(artifact.path));
    }
    if (left.artifacts.isEmpty() && !arguments.has("--json"))
        print(u"This run left no files that are kept.\n"_s);
    return isWhole ? 0 : ExitStatus::failed;
}

int releaseArtifact(const Left &left, qsizetype number, const Arguments &arguments)
{
    const Artifact &artifact = left.artifacts.at(number);
    if (!artifact.isWithheld()) {
        say(u"\"%1\" isn't withheld."_s.arg(artifact.path));
        return 0;
    }
    if (!arguments.has("--yes")) {
        if (!isTerminal(STDIN_FILENO) || !isTerminal(STDERR_FILENO)) {
            say(u"Nobody is here to be asked, so nothing was released. --yes asks nothing."_s);
            return ExitStatus::failed;
        }
        if (!asksWhether(
                u"\"%1\" holds the value of %2. From now on anything that reads the file sees it. Release it?"_s.arg(
                    artifact.path, artifact.secrets.join(u", "_s)))) {
            say(u"Nothing was released."_s);
            return ExitStatus::failed;
        }
    }
    const auto engine = openEngine({.runsOnce = true});
    if (!engine)
        return sayFailure(engine.error());
    const Status released = (*engine)->releaseArtifact(left.run, number, (*engine)->caller());
    return released ? 0 : sayFailure(released.error());
}

// A command about all files of a run, which its one word names.
auto overFiles(const QString &name, int (*act)(const Left &left, const Arguments &arguments))
{
    return [=](const Arguments &arguments) {
        if (arguments.positional.size() != 1 || arguments.dashes)
            return sayUsage(u"Name one run: its id, or its number in \"glovebox audit list\"."_s, name);
        const auto left = leftBy(arguments.positional.first());
        return left ? act(*left, arguments) : sayFailure(left.error());
    };
}

// A command about one file: the run's name, and the file's.
auto overFile(const QString &name, int (*act)(const Left &left, qsizetype number, const Arguments &arguments))
{
    return [=](const Arguments &arguments) -> int {
        if (arguments.positional.size() != 2 || arguments.dashes)
            return sayUsage(u"Name one run, and one of its files."_s, name);
        if (const auto file = arguments.value("-o"); file && file->isEmpty())
            return sayUsage(u"-o takes the name of a new file, not nothing."_s, name);
        const auto left = leftBy(arguments.positional.first());
        if (!left)
            return sayFailure(left.error());
        const qsizetype number = numberOf(*left, arguments.positional.at(1));
        return number < 0 ? ExitStatus::failed : act(*left, number, arguments);
    };
}

} // namespace

std::vector<Command> artifactCommands()
{
    const std::vector<Option> json{{"--json", "", u"print JSON, one object a file"_s}};
    std::vector<Command> commands{
        {.name = u"artifact list"_s,
         .summary = u"list the files that a run left in /work"_s,
         .synopsis = u"RUN [--json]"_s,
         .options = json,
         .run = overFiles(u"artifact list"_s, listArtifacts)},
        {.name = u"artifact get"_s,
         .summary = u"give a file that a run left"_s,
         .synopsis = u"RUN PATH [-o FILE]"_s,
         .options = {{"-o", "FILE", u"save the file under this new name [default: -, standard output]"_s}},
         .run = overFile(u"artifact get"_s, getArtifact)},
        {.name = u"artifact verify"_s,
         .summary = u"check that the files of a run are as they were kept"_s,
         .synopsis = u"RUN [--json]"_s,
         .options = json,
         .run = overFiles(u"artifact verify"_s, verifyArtifacts)},
        {.name = u"artifact release"_s,
         .summary = u"let go a file that is withheld for a secret in it"_s,
         .synopsis = u"RUN PATH [--yes]"_s,
         .options = {{"--yes", "", u"ask nothing at a terminal"_s}},
         .run = overFile(u"artifact release"_s, releaseArtifact)},
    };
    for (Command &command : commands) {
        command.advice.takesNumbers = true;
        if (command.name == u"artifact get")
            command.advice.foreign = {{{"--to", "--output", "--out"}, u"-o FILE saves the file under a new name."_s}};
        command.details =
            uR"(Files that a run leaves in /work, new or changed, are kept: at most artifacts.files files of
artifacts.total_mb MB together. Links, pipes and files with several names are not kept. A file that
holds the value of a secret of the run is withheld until you release it. The log has the release.

Examples:
  glovebox run --artifacts out -c 'open("table.csv", "w").write("a,b")'
  glovebox %1 last%2
)"_s.arg(command.name, command.synopsis.contains(u"PATH"_s) ? u" table.csv"_s : QString());
    }
    return commands;
}

} // namespace glovebox
