// SPDX-License-Identifier: Apache-2.0
// `glovebox package list` and `remove`: what was installed for runs and lies on this machine's disk.
#include "command.h"
#include "session/sessionview.h"
#include "terminal/terminal.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int shownDigits = 12; // of an id

// Those that have these packages.
QList<Session> sessionsWith(const QList<Session> &all, const QString &packages)
{
    QList<Session> found;
    std::ranges::copy_if(all, std::back_inserter(found), [&](const Session &session) {
        return std::ranges::find(session.packages, packages, &SessionPackages::id) != session.packages.end();
    });
    return found;
}

QStringList namesOf(const QList<Session> &sessions)
{
    QStringList names;
    for (const Session &session : sessions)
        names.append(session.shownName());
    return names;
}

int listPackages(const Arguments &arguments)
{
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"\"package list\" takes options only."_s, u"package list"_s);
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    const auto sessions = (*engine)->sessions().list();
    if (!sessions)
        return sayFailure(sessions.error());
    const QList<KeptPackages> all = (*engine)->packages().list();
    for (const KeptPackages &kept : all) {
        const QList<Session> users = sessionsWith(*sessions, kept.id);
        if (arguments.has("--json")) {
            QStringList ids;
            std::ranges::transform(users, std::back_inserter(ids), &Session::id);
            printJson(toJson(kept, ids));
            continue;
        }
        const QString what = kept.lock ? u"%1: %2"_s.arg(kept.lock->language, kept.lock->names().join(u", "_s))
                                       : u"its notes can't be read"_s;
        const QString used = agoWords(kept.usedMicroseconds, Clock::system().nowMicroseconds());
        print(QByteArrayView(
            kept.id.first(shownDigits).toLatin1() + "  " + sizeWords(kept.bytes).rightJustified(10).toUtf8() + "  "
            + used.leftJustified(22).toUtf8() + "  " + escapedLine(what.toUtf8())
            + (users.isEmpty() ? QByteArray() : escapedLine((u"; for "_s + namesOf(users).join(u", "_s)).toUtf8()))
            + '\n'));
    }
    if (all.isEmpty() && !arguments.has("--json"))
        print(u"No packages are installed. \"glovebox run --with PACKAGE\" and \"glovebox session install\" install "
              "some.\n"_s);
    return 0;
}

int removePackages(const Arguments &arguments)
{
    const QByteArrayList words = arguments.positional + arguments.afterDashes;
    if (words.isEmpty())
        return sayUsage(u"Name packages by their ids. To list them: glovebox package list"_s, u"package remove"_s);
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    const auto sessions = (*engine)->sessions().list();
    if (!sessions)
        return sayFailure(sessions.error());
    const QList<KeptPackages> all = (*engine)->packages().list();
    int status = 0;
    for (const QByteArray &word : words) {
        constexpr qsizetype shortest = 8;
        QList<KeptPackages> meant;
        if (word.size() >= shortest)
            std::ranges::copy_if(all, std::back_inserter(meant),
                                 [&](const KeptPackages &kept) { return kept.id.startsWith(QString::fromUtf8(word)); });
        if (meant.size() != 1) {
            say(meant.isEmpty()
                    ? u"No installed packages have the id \"%1\". To list them: glovebox package list"_s.arg(
                          QString::fromUtf8(word))
                    : u"Several ids begin with \"%1\". Give more of the id."_s.arg(QString::fromUtf8(word)));
            status = ExitStatus::failed;
            continue;
        }
        const QStringList users = namesOf(sessionsWith(*sessions, meant.first().id));
        if (!users.isEmpty() && !arguments.has("--force")) {
            say(u"Sessions have these packages, so they weren't removed: %1. To remove them all the same: glovebox "
                u"package "
                "remove %2 --force"_s.arg(users.join(u", "_s), meant.first().id.first(shownDigits)));
            status = ExitStatus::failed;
            continue;
        }
        if (const Status removed = (*engine)->packages().remove(meant.first(), (*engine)->caller()); !removed)
            status = sayFailure(removed.error());
    }
    return status;
}

} // namespace

std::vector<Command> packageCommands()
{
    return {
        {.name = u"package list"_s,
         .summary = u"list the packages that are installed for runs"_s,
         .synopsis = u"[--json]"_s,
         .options = {{"--json", "", u"print JSON, one object a set of packages"_s}},
         .details =
             uR"(A line each, those used last first: id, size on the disk, last use, packages, sessions that have them. Packages
that nobody used for 90 days are removed by themselves.

Example:
  glovebox package list
)"_s,
         .run = listPackages},
        {.name = u"package remove"_s,
         .summary = u"remove installed packages from this machine's disk"_s,
         .synopsis = u"ID... [--force]"_s,
         .options = {{"--force", "", u"also those that sessions have"_s}},
         .details =
             uR"(ID is the id of a set of packages, or the first 8 characters or more of it. A run that uses the packages at the
moment can't import more of them. "session install SESSION" installs a session's packages again.

Example:
  glovebox package list
)"_s,
         .run = removePackages},
    };
}

} // namespace glovebox
