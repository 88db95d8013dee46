// SPDX-License-Identifier: Apache-2.0
// What a person is shown on a terminal before they answer.
#include "terminalapprover.h"

#include "app/cli/terminal/console.h"
#include "app/cli/terminal/terminal.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestShownName = 200; // characters
constexpr qsizetype longestCodeLine = 400; // bytes of a line of code
constexpr qsizetype mostCodeLines = 200;
constexpr qsizetype mostListed = 20; // of hosts, files and the like

QByteArray shortName(const QString &text)
{
    const QByteArray shown = escapedLine(text.left(longestShownName).toUtf8());
    return text.size() > longestShownName
               ? shown + " (and " + QByteArray::number(text.size() - longestShownName) + " more characters)"
               : shown;
}

QByteArray shownCode(const QByteArray &code)
{
    QByteArray shown;
    const QByteArrayList lines = code.split('\n');
    for (qsizetype i = 0; i < std::min(lines.size(), mostCodeLines); ++i) {
        const QByteArray &line = lines[i];
        shown += "  | " + escapedLine(line.left(longestCodeLine));
        if (line.size() > longestCodeLine)
            shown += " (and " + QByteArray::number(line.size() - longestCodeLine) + " more bytes)";
        shown += '\n';
    }
    if (lines.size() > mostCodeLines)
        shown += "  | ... and " + QByteArray::number(lines.size() - mostCodeLines)
                 + " more lines, which are NOT shown here. Deny it if you don't know them.\n";
    return shown;
}

// "* " before what the person's settings don't give.
QByteArray listed(const char *title, const QStringList &items, const auto &isNew)
{
    QByteArray shown = QByteArray("  ") + title + ": ";
    if (items.isEmpty())
        return shown + "none\n";
    QByteArrayList words;
    for (const QString &item : items.mid(0, mostListed))
        words.append((isNew(item) ? "* " : "") + shortName(item));
    if (items.size() > mostListed)
        words.append("and " + QByteArray::number(items.size() - mostListed) + " more, which are NOT shown");
    return shown + words.join(", ") + '\n';
}

QStringList whatOf(const QList<Want> &wants, std::initializer_list<Want::Kind> kinds)
{
    QStringList items;
    for (const Want &want : wants) {
        if (std::ranges::find(kinds, want.kind) == kinds.end())
            continue;
        const bool isNamedAlone = want.kind == Want::Kind::Host || want.kind == Want::Kind::Secret
                                  || want.kind == Want::Kind::Folder || want.kind == Want::Kind::ServerTool;
        items.append(isNamedAlone ? want.what : want.words());
    }
    return items;
}

// Who asks for what, in one line.
QByteArray headOf(const ApprovalRequest &request)
{
    const Caller &caller = request.caller;
    QByteArray shown = "glovebox: ";
    if (caller.pairing.isEmpty())
        shown += shortName(caller.program.isEmpty() ? u"a program"_s : caller.program) + ", process "
                 + QByteArray::number(caller.pid) + ',';
    else
        shown += "the paired client \"" + shortName(caller.claimed) + '"';
    const bool builds = request.install && !request.install->built.isEmpty();
    shown += builds            ? " wants to build this package from a source of " + shortName(request.install->source)
             : request.install ? " wants to install these packages from " + shortName(request.install->source)
             : request.tool.isEmpty() ? " wants to run this " + shortName(request.language) + " code"
                                      : " wants to call " + shortName(request.tool) + " with these arguments";
    return shown
           + (caller.claimed.isEmpty() || !caller.pairing.isEmpty()
                  ? ":\n"
                  : " (it calls itself \"" + shortName(caller.claimed) + "\", which proves nothing):\n");
}

QByteArray movedWords(const QString &moved)
{
    return moved.isEmpty() ? QByteArray()
                           : "  (The environment has moved Glovebox's files to " + shortName(moved) + ".)\n";
}

// Everything about it but its code.
QByteArray factsOf(const ApprovalRequest &request)
{
    using Kind = Want::Kind;
    const auto isNew = [](const QString &) { return true; };
    const bool builds = request.install && !request.install->built.isEmpty();
    if (request.install)
        return listed("Packages", request.install->packages, isNew)
               + listed("Built from source", builds ? QStringList{request.install->built} : QStringList(), isNew)
               + listed("Look like others", request.install->doubtful, isNew)
               + listed("Install scripts that run, sealed and without a network", request.install->scripts, isNew)
               + listed("Install scripts, which aren't run", request.install->scripted, isNew);
    if (!request.tool.isEmpty())
        return listed("Tool", {request.tool}, isNew);
    QByteArray shown;
    const QStringList newHosts = whatOf(request.wants, {Kind::Host});
    const QStringList newFolders = whatOf(request.wants, {Kind::Folder});
    const QStringList newSecrets = whatOf(request.wants, {Kind::Secret});
    shown += listed("Network", request.policy.allow, [&](const QString &host) { return newHosts.contains(host); });
    QStringList secrets, folders;
    for (const Want &want : wantsOf(request, {})) {
        if (want.kind == Kind::Secret)
            secrets.append(want.what);
        if (want.kind == Kind::Folder)
            folders.append(want.what);
    }
    shown += listed("Secrets", secrets, [&](const QString &secret) { return newSecrets.contains(secret); });
    shown += listed("Folders", folders, [&](const QString &folder) { return newFolders.contains(folder); });
    const QStringList newTools = whatOf(request.wants, {Kind::ServerTool});
    if (!request.policy.tools.isEmpty())
        shown += listed("Tools of MCP servers", request.policy.tools,
                        [&](const QString &tool) { return newTools.contains(tool); });
    const QStringList more = whatOf(request.wants, {Kind::Limit, Kind::Weakness, Kind::Backend});
    shown += more.isEmpty() ? QByteArray("  Limits: the usual\n") : listed("More than usual", more, isNew);
    QStringList arguments, files;
    for (const QByteArray &argument : request.args)
        arguments.append(QString::fromUtf8(argument));
    for (const InnerFile &file : request.files)
        files.append(u"%1 (%2)"_s.arg(QString::fromUtf8(file.name), shownBytes(file.content.size())));
    const auto never = [](const QString &) { return false; };
    if (!arguments.isEmpty())
        shown += listed("Arguments", arguments, never);
    if (!request.session.isEmpty())
        shown += listed("Session whose files the code gets", {request.session}, never);
    if (request.isStateful)
        shown += "  Earlier code in the session's interpreter can use what you allow.\n";
    if (!files.isEmpty())
        shown += listed("Files beside the code", files, never);
    return shown;
}

} // namespace

QByteArray questionAbout(const ApprovalRequest &request, const QString &moved)
{
    return '\n' + headOf(request) + movedWords(moved) + shownCode(request.code) + factsOf(request);
}

// Facts first: windows show the beginning of a text, terminals its end. Four blanks: a client that reads this as Markdown takes these
// lines as they are, so that the code can't be an image, a heading or a fact.
QString questionInClient(const ApprovalRequest &request, const QString &moved)
{
    QByteArray shown = headOf(request);
    const QByteArray rest =
        movedWords(moved) + factsOf(request) + "  (*: not granted by your settings)\n" + shownCode(request.code);
    for (const QByteArray &line : rest.split('\n'))
        shown += "\n    " + line;
    return QString::fromUtf8(shown).trimmed();
}

QByteArray questionAbout(const PairingRequest &request, const QString &moved)
{
    const Caller &caller = request.caller;
    QByteArray shown = "\nglovebox: a program asks to be paired, and calls itself \"" + shortName(caller.claimed)
                       + "\", which proves nothing.\n" + movedWords(moved);
    shown +=
        "  Registered by: " + (caller.program.isEmpty() ? "a program that isn't known" : shortName(caller.program));
    if (caller.pid > 0)
        shown += ", process " + QByteArray::number(caller.pid);
    shown += "\n  Your browser brings the answer to: " + shortName(request.redirect)
             + "\n  Your browser shows this as request " + pairingMark(request.id).toUtf8()
             + ". Refuse another one, and one that you didn't start.\n"
               "  A paired program can run code here, as your settings allow.\n";
    return shown;
}

} // namespace glovebox
