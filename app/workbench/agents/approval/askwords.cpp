// SPDX-License-Identifier: Apache-2.0
#include "askwords.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/words/limitwords.h"
#include "app/workbench/shell/words/words.h"

#include <QCoreApplication>
#include <QStringDecoder>
#include <QStringTokenizer>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Kind = Want::Kind;

constexpr qsizetype mostAskedShown = 12; // of hosts, files and the like
constexpr qsizetype longestCodeShown = 100'000; // characters
constexpr qsizetype longestCodeLineShown = 2'000;

struct AskWords
{
    Q_DECLARE_TR_FUNCTIONS(AskWords)
};

QString listWords(const QStringList &items)
{
    if (items.isEmpty())
        return AskWords::tr("none");
    QStringList shown;
    for (const QString &item : items.mid(0, mostAskedShown))
        shown.append(plainWord(item));
    if (items.size() > mostAskedShown)
        shown.append(AskWords::tr("and %L1 more, not shown here").arg(items.size() - mostAskedShown));
    return shown.join(AskWords::tr(", "));
}

bool isAskedFor(const QList<Want> &wants, Kind kind)
{
    return std::ranges::any_of(wants, [kind](const Want &want) { return want.kind == kind; });
}

// All of this kind, also what was granted before.
AskRow rowOf(const ApprovalRequest &request, Kind kind, const QString &title)
{
    QStringList all;
    for (const Want &want : wantsOf(request, {})) {
        if (want.kind == kind)
            all.append(want.what);
    }
    const bool isNew = isAskedFor(request.wants, kind);
    return {isNew, title, listWords(all), !all.isEmpty(), isNew ? AskWords::tr("not granted to it so far") : QString()};
}

// In the order of Limits, as the ids of wants name them.
QString limitWant(const Want &want)
{
    static const QStringList ids{u"wall_ms"_s,      u"cpu_ms"_s,        u"cpu_percent"_s,
                                 u"memory_bytes"_s, u"processes"_s,     u"output_bytes"_s,
                                 u"disk_bytes"_s,   u"traffic_bytes"_s, u"bandwidth_bytes"_s};
    const qsizetype at = ids.indexOf(want.what);
    return at < 0 ? plainWord(want.words()) : limitPhrase(allLimits[at], want.amount.value_or(0));
}

QString limitsWords(const Limits &limits)
{
    return AskWords::tr("%1, %2").arg(durationWord(limits.wall), sizeWord(limits.memoryBytes));
}

} // namespace

QString plainWord(const QString &text)
{
    QString shown = withHiddenShown(text.left(longestShownWord));
    shown.replace(u'\n', u"\\n"_s).replace(u'\t', u"\\t"_s).replace(u'\r', u"\\r"_s);
    if (text.size() > longestShownWord)
        shown += AskWords::tr(" (and %L1 more characters)").arg(text.size() - longestShownWord);
    return shown;
}

QList<AskRow> rowsOf(const ApprovalRequest &request, const QHash<QString, Text> &obstacles)
{
    if (request.install) {
        QList<AskRow> rows{{true, AskWords::tr("Packages"), listWords(request.install->packages), true,
                            AskWords::tr("from %1").arg(plainWord(request.install->source))}};
        if (!request.install->built.isEmpty())
            rows.append({true, AskWords::tr("Build"), plainWord(request.install->built), true,
                         AskWords::tr("from source: its code runs, sealed and without a network")});
        if (!request.install->doubtful.isEmpty())
            rows.append({true, AskWords::tr("Names"), listWords(request.install->doubtful), true,
                         AskWords::tr("look like other packages, which many use")});
        if (!request.install->scripts.isEmpty())
            rows.append({true, AskWords::tr("Scripts"), listWords(request.install->scripts), true,
                         AskWords::tr("install scripts that run, sealed and without a network")});
        if (!request.install->scripted.isEmpty())
            rows.append({true, AskWords::tr("Install scripts"), listWords(request.install->scripted), true,
                         AskWords::tr("not run: what one has to compile won't work")});
        return rows;
    }
    if (!request.tool.isEmpty())
        return {{true, AskWords::tr("Tool"), plainWord(request.tool), true,
                 AskWords::tr("you want to be asked about each call")}};
    QStringList barred;
    for (const SecretGrant &secret : request.secrets) {
        if (const auto found = obstacles.find(secret.name); found != obstacles.end() && barred.size() < mostAskedShown)
            barred.append(plainWord(translated(*found)));
    }
    barred.removeDuplicates();
    QList<AskRow> rows{rowOf(request, Kind::Host, AskWords::tr("Network")),
                       rowOf(request, Kind::Secret, AskWords::tr("Keys")),
                       rowOf(request, Kind::Folder, AskWords::tr("Folders"))};
    if (!request.policy.tools.isEmpty())
        rows.append(rowOf(request, Kind::ServerTool, AskWords::tr("Tools")));
    QStringList more;
    for (const Want &want : request.wants) {
        if (want.kind == Kind::Limit)
            more.append(limitWant(want));
    }
    rows[1].obstacle = barred.join(u' ');
    const QString limits = limitsWords(request.policy.limits);
    rows.append(more.isEmpty()
                    ? AskRow{false, AskWords::tr("Limits"), limits, false, {}}
                    : AskRow{true, AskWords::tr("Limits"), listWords(more), false, AskWords::tr("more than usual")});
    if (isAskedFor(request.wants, Kind::AnyRun))
        rows.append({true, AskWords::tr("Runs"), AskWords::tr("any within the usual limits"), false,
                     AskWords::tr("you want to be asked about each")});
    if (isAskedFor(request.wants, Kind::Weakness))
        rows.append({true, AskWords::tr("Protection"), AskWords::tr("may be weaker where this machine lacks something"),
                     false, AskWords::tr("your settings demand all of it")});
    if (isAskedFor(request.wants, Kind::Backend))
        rows.append({true, AskWords::tr("Backend"), plainWord(request.policy.backend), true,
                     AskWords::tr("not the usual one")});
    QStringList arguments, files;
    for (const QByteArray &argument : request.args)
        arguments.append(QString::fromUtf8(argument));
    for (const InnerFile &file : request.files)
        files.append(
            AskWords::tr("%1 (%2)").arg(plainWord(QString::fromUtf8(file.name)), sizeWord(file.content.size())));
    if (!arguments.isEmpty())
        rows.append({false, AskWords::tr("Arguments"), listWords(arguments), true, {}});
    if (!request.session.isEmpty()) // its files may be code, too
        rows.append({true, AskWords::tr("Session"), plainWord(request.session), true,
                     request.isStateful
                         ? AskWords::tr("the code gets the session's files, and earlier code in the same "
                                        "interpreter can use what you allow")
                         : AskWords::tr("the code gets the session's files")});
    if (!files.isEmpty()) // code may use them as code
        rows.append({true, AskWords::tr("Files"), listWords(files), true, AskWords::tr("choose each beside the code")});
    const auto weight = [](const AskRow &row) { return !row.obstacle.isEmpty() ? 0 : row.isNew ? 1 : 2; };
    std::ranges::stable_sort(rows, {}, weight);
    return rows;
}

QString wantWords(const Want &want)
{
    switch (want.kind) {
    case Kind::AnyRun:
        return AskWords::tr("any run within the usual limits");
    case Kind::Tool:
        return AskWords::tr("the tool %1").arg(plainWord(want.what));
    case Kind::Host:
        return AskWords::tr("host %1").arg(plainWord(want.what));
    case Kind::Secret:
        return want.hosts.isEmpty() ? AskWords::tr("key %1, without a network").arg(plainWord(want.what))
                                    : AskWords::tr("key %1, with %2").arg(plainWord(want.what), listWords(want.hosts));
    case Kind::Folder:
        return want.hosts.isEmpty()
                   ? AskWords::tr("folder %1, without a network").arg(plainWord(want.what))
                   : AskWords::tr("folder %1, with %2").arg(plainWord(want.what), listWords(want.hosts));
    case Kind::Limit:
        return AskWords::tr("up to %1").arg(limitWant(want));
    case Kind::Weakness:
        return AskWords::tr("weaker protection");
    case Kind::Backend:
        return AskWords::tr("backend %1").arg(plainWord(want.what));
    case Kind::Packages:
        return AskWords::tr("packages from %1").arg(plainWord(want.what));
    case Kind::ServerTool:
        return want.hosts.isEmpty() ? AskWords::tr("tool %1, without a network").arg(plainWord(want.what))
                                    : AskWords::tr("tool %1, with %2").arg(plainWord(want.what), listWords(want.hosts));
    }
    return {};
}

QString wantsInShort(const ApprovalRequest &request)
{
    // A place that data can go to, or come from, rather than a little more time.
    const auto weight = [](const Want &want) { return want.kind == Kind::Limit || want.kind == Kind::AnyRun; };
    const auto weightiest = std::ranges::min_element(request.wants, {}, weight);
    if (weightiest == request.wants.end())
        return {};
    const QString words = wantWords(*weightiest);
    return request.wants.size() == 1 ? words : AskWords::tr("%1 and %2 more").arg(words).arg(request.wants.size() - 1);
}

// Of packages, what is kept is what Want::what of them says.
static QString keptWords(const ApprovalRequest &request)
{
    if (request.install && !request.install->built.isEmpty())
        return AskWords::tr("Once is for this build alone. The others keep exactly this build.");
    if (request.install && !request.install->scripts.isEmpty())
        return request.install->doubtful.isEmpty()
                   ? AskWords::tr("Once is for these packages alone. The others keep the index where just these "
                                  "install scripts run.")
                   : AskWords::tr("Once is for these packages alone. The others keep the index where just these "
                                  "install scripts run, and just these names look like others.");
    if (request.install && !request.install->doubtful.isEmpty())
        return AskWords::tr(
            "Once is for these packages alone. The others keep the index where just these names look like others.");
    if (request.install)
        return AskWords::tr("Once is for these packages alone. The others keep the index, whatever its packages.");
    if (!request.tool.isEmpty())
        return AskWords::tr("Once is for this call alone. The others keep the tool, whatever its arguments.");
    return AskWords::tr("Once is for this code alone. The others keep what it wants, whatever the code.");
}

QString reachWords(const ApprovalRequest &request)
{
    return keptWords(request) + u' '
           + (request.caller.pairing.isEmpty() ? AskWords::tr("The others end when the program disconnects.")
                                               : AskWords::tr("You can take them back on the Agents page."));
}

QString callerName(const Caller &caller, const QString &client)
{
    if (!client.isEmpty())
        return plainWord(client);
    if (const QString claimed = shownName(caller.claimed); !claimed.isEmpty())
        return claimed;
    const QString program = shownName(caller.program.section(u'/', -1));
    return program.isEmpty() ? AskWords::tr("A program") : program;
}

static QString languageWord(const QString &id)
{
    const auto language = Languages::byId(id);
    return language ? (*language)->codeName() : plainWord(id);
}

QString askTitle(const ApprovalRequest &request, const QString &client)
{
    if (request.install)
        return (request.install->built.isEmpty() ? AskWords::tr("%1 wants to install packages")
                                                 : AskWords::tr("%1 wants to build a package from source"))
            .arg(callerName(request.caller, client));
    if (!request.tool.isEmpty())
        return AskWords::tr("%1 wants to call %2").arg(callerName(request.caller, client), plainWord(request.tool));
    return AskWords::tr("%1 wants to run %2").arg(callerName(request.caller, client), languageWord(request.language));
}

QString askOrigin(const Caller &caller, const QString &client, const QString &moved)
{
    const QString process = QString::number(caller.pid), program = plainWord(caller.program),
                  folder = plainWord(caller.folder);
    QStringList origin{program.isEmpty() ? AskWords::tr("Process %1.").arg(process)
                       : folder.isEmpty()
                           ? AskWords::tr("Process %1, %2.").arg(process, program)
                           : AskWords::tr("Process %1, %2, started in %3.").arg(process, program, folder)};
    if (!client.isEmpty())
        origin += AskWords::tr("You paired it under this name.");
    else if (!caller.claimed.isEmpty())
        origin += AskWords::tr("The name is the program's own claim.");
    if (!moved.isEmpty())
        origin += AskWords::tr("The environment has moved Glovebox's files to %1.").arg(plainWord(moved));
    return origin.join(u' ');
}

// notAll: with the size of all of it. notText: may be null.
static ShownCode shownTextOf(const QByteArray &content, const QString &notAll, const QString &notText)
{
    ShownCode shown;
    QStringDecoder decoder(QStringDecoder::Utf8);
    const QString text = decoder(shownPartOf(content));
    if (!notText.isEmpty() && (decoder.hasError() || text.contains(QChar::Null)))
        shown.sentences.append(notText);
    if (const auto hidden = findHiddenText(text))
        shown.sentences.append(hiddenTextSentence(*hidden));
    QStringList lines;
    qsizetype left = longestCodeShown;
    bool isCut = content.size() > shownPartOf(content).size();
    for (const QStringView line : qTokenize(text, u'\n')) {
        if (left <= 0) {
            isCut = true;
            break;
        }
        isCut = isCut || line.size() > longestCodeLineShown;
        lines.append(withHiddenShown(line.left(longestCodeLineShown).toString()));
        left -= lines.last().size() + 1;
    }
    shown.text = lines.join(u'\n');
    if (isCut)
        shown.sentences.append(notAll.arg(sizeWord(content.size())));
    return shown;
}

QByteArray shownPartOf(const QByteArray &text)
{
    return text.left(longestCodeShown * 4); // bytes of a character at most
}

ShownCode shownCodeOf(const ApprovalRequest &request)
{
    return shownTextOf(
        request.code, AskWords::tr("Not all of the code is shown: it has %1. Deny it if you don't know the rest."), {});
}

ShownCode shownFileOf(const InnerFile &file)
{
    return shownTextOf(
        file.content,
        AskWords::tr("Not all of this file is shown: it has %1. Deny the run if you don't know the rest."),
        AskWords::tr("This file is not text. Deny the run if you don't know the file."));
}

QString timeLeft(std::chrono::milliseconds left)
{
    const auto seconds = std::max<qint64>(0, std::chrono::ceil<std::chrono::seconds>(left).count());
    return u"%1:%2"_s.arg(seconds / 60).arg(seconds % 60, 2, 10, QChar(u'0'));
}

} // namespace glovebox
