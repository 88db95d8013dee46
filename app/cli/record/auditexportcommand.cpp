// SPDX-License-Identifier: Apache-2.0
// `glovebox audit export`: the entries of the log in a file for a colleague, and the line that stands for them.
#include "app/cli/command.h"
#include "loggedrun.h"

#include <QFile>

#include <fcntl.h>

#include <cerrno>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

Error writingFailed(const QString &path, const QString &why)
{
    return {ErrorCode::Io, Text("%1 could not be written: %2. Name another file.", {path, why}), {}};
}

// The file is new and the person's own: entries name folders, hosts and secrets.
Result<TreeHead> exportTo(const QString &path, const AuditReader &reader)
{
    const QByteArray name = QFile::encodeName(path);
    UniqueFd fd(::open(name.constData(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd && errno == EEXIST)
        return fail(ErrorCode::InvalidInput, Text("There is %1 already. Name a new file.", {path}));
    if (!fd)
        return std::unexpected(writingFailed(path, errnoText(errno)));
    QFile file;
    if (!file.open(fd.get(), QIODevice::WriteOnly))
        return std::unexpected(writingFailed(path, file.errorString()));
    auto head = exportLog(reader, [&](QByteArrayView line) -> Status {
        if (file.write(line.data(), line.size()) != line.size())
            return std::unexpected(writingFailed(path, file.errorString()));
        return {};
    });
    if (head && !file.flush())
        head = std::unexpected(writingFailed(path, file.errorString()));
    if (!head)
        QFile::remove(path);
    return head;
}

int exportCommand(const Arguments &arguments)
{
    if (arguments.positional.size() != 1 || arguments.positional.first().isEmpty() || arguments.dashes)
        return sayUsage(u"Name one new file, for example: glovebox audit export log.jsonl"_s, u"audit export"_s);
    const auto paths = Paths::standard();
    if (!paths)
        return sayFailure(paths.error());
    const auto reader = AuditReader::open(paths->auditFile());
    if (!reader && reader.error().code == ErrorCode::NotFound) {
        say(u"There is no log in %1, so there is nothing to export."_s.arg(paths->data));
        return ExitStatus::failed;
    }
    if (!reader)
        return sayFailure(reader.error());
    const QString path = QFile::decodeName(arguments.positional.first());
    const auto head = exportTo(path, **reader);
    if (!head)
        return sayFailure(head.error());
    const QString line = toText(*head);
    print(u"%1 in %2, without code and output. Your colleague runs: glovebox audit verify --file FILE --against LINE\n"
          "Give LINE by another way than the file, such as a call:\n%3\n"_s.arg(
              head->size == 1 ? u"1 entry is"_s : u"%1 entries are"_s.arg(head->size), path, line));
    return 0;
}

} // namespace

Command auditExportCommand()
{
    return {
        .name = u"audit export"_s,
        .summary = u"write the log's entries to a file that a colleague can check"_s,
        .synopsis = u"FILE"_s,
        .options = {},
        .details =
            uR"(FILE is new, and has one entry a line: JSON, byte for byte as in the log. Code and output stay here, and
entries have salted hashes of them. The last line that is printed stands for all entries. A colleague checks the
file with it, on any machine: glovebox audit verify --file FILE --against LINE

Nobody who can change the file on its way may be able to change that line.

Examples:
  glovebox audit export log.jsonl
)"_s,
        .run = exportCommand,
    };
}

} // namespace glovebox
