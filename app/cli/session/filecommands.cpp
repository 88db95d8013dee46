// SPDX-License-Identifier: Apache-2.0
// `glovebox session files`, `put`, `get` and `remove`: what is in a session's /work, and what goes in and out.
#include "app/cli/run/givenfiles.h"
#include "app/cli/terminal/terminal.h"
#include "copyline.h"
#include "innerpath.h"
#include "namedsession.h"
#include "sessioncommands.h"
#include "sessionview.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using EntryKind = SessionEntry::Type;

bool isNamed(const QByteArray &path, const QByteArray &wanted)
{
    return path == wanted || path.startsWith(wanted + '/');
}

// Files at these paths and below, as they are named or as they are listed; without paths: all. Nothing: one is missing, which is said.
std::optional<SessionTree> filesAt(const SessionWords &given, const SessionTree &tree, const QByteArrayList &paths)
{
    QList<QByteArray> wanted;
    for (const QByteArray &word : paths) {
        const QByteArray path = innerPath(word);
        if (path.isEmpty())
            return tree;
        auto entry = std::ranges::find(tree, path, &SessionEntry::path);
        if (entry == tree.end())
            entry = std::ranges::find(tree, path, [](const SessionEntry &each) { return escapedLine(each.path); });
        if (entry == tree.end()) {
            say(u"The session has no file \"%1\". To list its files: glovebox session files %2"_s.arg(
                textFromBytes(path), typedName(given.session)));
            return std::nullopt;
        }
        wanted.append(entry->path);
    }
    if (wanted.isEmpty())
        return tree;
    SessionTree chosen = tree;
    chosen.removeIf([&](const SessionEntry &entry) {
        return std::ranges::none_of(wanted, [&](const QByteArray &path) { return isNamed(entry.path, path); });
    });
    return chosen;
}

QJsonObject jsonOfEntry(const SessionEntry &entry)
{
    const bool isFile = entry.type == EntryKind::File || entry.type == EntryKind::SameFile;
    const QString type = isFile ? u"file"_s : entry.type == EntryKind::Folder ? u"folder"_s : u"link"_s;
    return {{u"path"_s, textFromBytes(entry.path)},
            {u"type"_s, type},
            {u"bytes"_s, isFile ? entry.bytes : 0},
            {u"mode"_s, u'0' + QString::number(entry.mode, 8)},
            {u"modified_us"_s, isFile ? QJsonValue(entry.modifiedNs / 1000) : QJsonValue()},
            {u"sha256"_s, orNull(QString::fromLatin1(isFile ? entry.digest.toHex() : QByteArray()))},
            {u"target"_s, entry.type == EntryKind::Link ? QJsonValue(textFromBytes(entry.target)) : QJsonValue()}};
}

QByteArray lineOfEntry(const SessionEntry &entry)
{
    const bool isFile = entry.type == EntryKind::File || entry.type == EntryKind::SameFile;
    QByteArray line = '0' + QByteArray::number(entry.mode, 8).rightJustified(3, '0') + "  "
                      + (isFile ? QByteArray::number(entry.bytes) : QByteArray("-")).rightJustified(12) + "  "
                      + (isFile ? minuteOf(entry.modifiedNs / 1000).toLatin1() : QByteArray("-")).leftJustified(16)
                      + "  " + escapedLine(entry.path);
    if (entry.type == EntryKind::Folder)
        line += '/';
    else if (entry.type == EntryKind::Link)
        line += " -> " + escapedLine(entry.target);
    return line + '\n';
}

int listFiles(const SessionWords &given)
{
    const auto tree = given.sessions.tree(given.session);
    if (!tree)
        return sayDamage(given.sessions, given.session, tree.error());
    const auto files = filesAt(given, *tree, given.words);
    if (!files)
        return ExitStatus::failed;
    for (const SessionEntry &entry : *files) {
        if (given.arguments.has("--json"))
            printJson(jsonOfEntry(entry));
        else
            print(QByteArrayView(lineOfEntry(entry)));
    }
    if (files->isEmpty() && !given.arguments.has("--json"))
        print(u"The session has no files yet.\n"_s);
    return 0;
}

// "session files ls" and the like, as other programs have them. Empty: it is none of them.
QString shorterForm(const QByteArrayList &words)
{
    static constexpr std::pair<const char *, const char16_t *> forms[] = {{"ls", u"files"},  {"list", u"files"},
                                                                          {"put", u"put"},   {"get", u"get"},
                                                                          {"rm", u"remove"}, {"remove", u"remove"}};
    for (const auto &[word, command] : forms) {
        if (words.value(0) != word || words.size() < 2)
            continue;
        QStringList typed{u"glovebox session"_s, QString::fromUtf16(command)};
        for (const QByteArray &argument : words.sliced(1))
            typed.append(asShellWord(argument));
        return typed.join(u' ');
    }
    return {};
}

int filesOrShorterForm(const Arguments &arguments)
{
    static const auto files = overSession(u"session files"_s, 0, anyNumberOfWords,
                                          u"Name one session, and perhaps paths in it."_s, listFiles);
    const QString form = shorterForm(arguments.positional);
    return form.isEmpty() ? files(arguments)
                          : sayUsage(u"The command is one word shorter: %1"_s.arg(form), u"session files"_s);
}

// A file of this machine, and its name in the session. The error is a sentence.
std::expected<PutFile, QString> fileToPut(QByteArray file, const QByteArray &folder, std::vector<UniqueFd> &kept)
{
    while (file.size() > 1 && file.endsWith('/'))
        file.chop(1);
    QByteArray name = file.sliced(file.lastIndexOf('/') + 1);
    if (name.isEmpty() || name == "." || name == "..")
        name = QFile::encodeName(QFileInfo(QDir(QFile::decodeName(file)).absolutePath()).fileName());
    if (file.isEmpty() || name.isEmpty() || name == "." || name == "..")
        return std::unexpected(u"\"%1\" has no name that it could have in the session. Name a file or a folder."_s.arg(
            QString::fromUtf8(file)));
    PutFile put{.hostPath = QFile::decodeName(file), .path = folder.isEmpty() ? name : folder + '/' + name};
    const auto unreadable = [&](int error) {
        return std::unexpected(
            u"\"%1\" can't be read: %2. Nothing was copied."_s.arg(textFromBytes(file), errnoText(error)));
    };
    if (isUngivenDescriptor(file))
        return unreadable(EBADF);
    if (QFile::encodeName(put.hostPath) != file) { // no text, so that the engine gets another name of the same file
        kept.emplace_back(::open(file.constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
        if (!kept.back())
            return unreadable(errno);
        put.hostPath = QFile::decodeName(pathOfDescriptor(kept.back().get()));
    }
    return put;
}

int putFiles(const SessionWords &given)
{
    const auto to = given.arguments.value("--to");
    if (to && to->isEmpty())
        return sayUsage(u"--to takes the name of a folder, not nothing (an unset variable?)."_s, u"session put"_s);
    const QByteArray folder = innerPath(to.value_or(QByteArray()));
    std::vector<UniqueFd> kept;
    PutFiles deed;
    for (const QByteArray &word : given.words) {
        auto file = fileToPut(word, folder, kept);
        if (!file) {
            say(file.error());
            return ExitStatus::failed;
        }
        if (std::ranges::find(deed.files, file->path, &PutFile::path) != deed.files.end())
            return sayUsage(
                u"Two files called \"%1\" can't both be at one place of the session."_s.arg(textFromBytes(file->path)),
                u"session put"_s);
        deed.files.append(*std::move(file));
    }
    CopyLine line;
    deed.progress = line.progress();
    return doToSession(given.session, deed,
                       u"Session %1 has just these files already."_s.arg(given.session.shownName()), &line);
}

// To standard output, whole or not at all.
int passToOutput(const SessionWords &given, const SessionTree &files)
{
    if (files.size() != 1 || files.first().type == EntryKind::Folder || files.first().type == EntryKind::Link)
        return sayUsage(u"--to - takes the path of one file. To save several: --to FOLDER"_s, u"session get"_s);
    if (const Status whole = given.sessions.pass(given.session, files.first(), {}); !whole)
        return sayFailure(whole.error());
    const bool isShown = isTerminal(STDOUT_FILENO);
    const Status passed = given.sessions.pass(given.session, files.first(), [&](QByteArrayView piece) -> Status {
        print(isShown ? QByteArrayView(escapedText(piece)) : piece);
        return {};
    });
    return passed ? 0 : sayFailure(passed.error());
}

int getFiles(const SessionWords &given)
{
    const QString folder = QFile::decodeName(given.arguments.value("--to").value_or(QByteArray()));
    if (folder.isEmpty())
        return sayUsage(
            u"Name a new or empty folder: glovebox session get %1 --to FOLDER"_s.arg(typedName(given.session)),
            u"session get"_s);
    const auto tree = given.sessions.tree(given.session);
    if (!tree)
        return sayDamage(given.sessions, given.session, tree.error());
    const auto files = filesAt(given, *tree, given.words);
    if (!files)
        return ExitStatus::failed;
    if (folder == u"-"_s)
        return passToOutput(given, *files);
    CopyLine line(*files);
    const auto saved = given.sessions.save(given.session, *files, folder, line.progress());
    line.end();
    if (!saved)
        return sayFailure(saved.error());
    for (const Text &sentence : saved->told)
        say(sentence.english());
    constexpr qsizetype mostSaid = 20;
    for (const Text &sentence : saved->left.first(std::min(mostSaid, saved->left.size())))
        say(sentence.english());
    if (saved->left.size() > mostSaid)
        say(u"Files that can't be saved, beside these: %1"_s.arg(saved->left.size() - mostSaid));
    say(saved->saved == 1 ? u"1 file was saved in %1."_s.arg(folder)
                          : u"%1 files were saved in %2."_s.arg(QString::number(saved->saved), folder));
    return saved->left.isEmpty() ? 0 : ExitStatus::outputLost;
}

int removeFiles(const SessionWords &given)
{
    const auto tree = given.sessions.tree(given.session);
    if (!tree)
        return sayDamage(given.sessions, given.session, tree.error());
    RemoveFiles deed;
    for (const QByteArray &word : given.words) {
        if (innerPath(word).isEmpty())
            return sayUsage(u"/work itself can't be removed. Name files and folders in it."_s, u"session remove"_s);
        const auto files = filesAt(given, *tree, {word});
        if (!files)
            return ExitStatus::failed;
        const QByteArray path = files->first().path; // folders come before what is in them
        if (std::ranges::none_of(deed.paths, [&](const QByteArray &other) { return isNamed(path, other); })) {
            deed.paths.removeIf([&](const QByteArray &other) { return isNamed(other, path); });
            deed.paths.append(path);
        }
    }
    return doToSession(given.session, deed, {});
}

} // namespace

std::vector<Command> sessionFileCommands()
{
    return {
        {.name = u"session files"_s,
         .summary = u"list the files in a session's /work"_s,
         .synopsis = u"SESSION [PATH...] [--json]"_s,
         .options = {{"--json", "", u"print JSON, one object a file, folder or link"_s}},
         .details =
             uR"(A line each: permissions, size in bytes, time of the last change, path below /work. PATHs list only what is
there and below.

Examples:
  glovebox session files shop
  glovebox session files shop src
)"_s,
         .run = filesOrShorterForm},
        {.name = u"session put"_s,
         .summary = u"copy files and folders of this machine into a session"_s,
         .synopsis = u"SESSION FILE... [--to FOLDER]"_s,
         .options = {{"--to", "FOLDER", u"put them in this folder below /work, made if needed [default: /work]"_s}},
         .details =
             uR"(Files of the same names in the session are replaced, other files stay. Links in folders stay links. Either
all FILEs are copied, as one snapshot, or none. Sockets, pipes and devices are refused.

Examples:
  glovebox session put shop data.csv src
  glovebox session put shop data.csv --to input
)"_s,
         .run = overSession(u"session put"_s, 1, anyNumberOfWords, u"Name one session, and files to copy into it."_s,
                            putFiles)},
        {.name = u"session get"_s,
         .summary = u"copy files of a session into a folder of this machine"_s,
         .synopsis = u"SESSION [PATH...] --to FOLDER"_s,
         .options = {{"--to", "FOLDER", u"new or empty folder, or - for one file on standard output (required)"_s}},
         .details =
             uR"(PATHs are below /work [default: all]; files keep the folders that they are in. You alone can read the copies,
and no existing file is replaced. Links aren't saved. In names, characters that can't be seen become _.
The exit status is 74 if a file can't be saved.

Examples:
  glovebox session get shop --to shop-files
  glovebox session get shop out/report.txt --to -
)"_s,
         .run = overSession(u"session get"_s, 0, anyNumberOfWords, u"Name one session, and perhaps paths in it."_s,
                            getFiles)},
        {.name = u"session remove"_s,
         .summary = u"remove files and folders from a session"_s,
         .synopsis = u"SESSION PATH..."_s,
         .details =
             uR"(A folder goes with what is in it. "session rollback" brings the files back. To delete a whole session:
"session delete".

Example:
  glovebox session remove shop input/data.csv
)"_s,
         .run =
             overSession(u"session remove"_s, 1, anyNumberOfWords,
                         u"Name one session, and paths in it. To delete a session: glovebox session delete SESSION"_s,
                         removeFiles)},
    };
}

} // namespace glovebox
