// SPDX-License-Identifier: Apache-2.0
// `glovebox package list` and `remove`: what was installed for runs and lies on this machine's disk.
#include "command.h"
#include "session/sessionview.h"
#include "terminal/terminal.h"

#include <unistd.h>

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

QString setsOf(qsizetype count, qint64 bytes)
{
    return u"%1 (%2)"_s.arg(count == 1 ? u"1 set of packages"_s : u"%1 sets of packages"_s.arg(count),
                            sizeWords(bytes));
}

// Whether to go on with these.
bool isRemovingAllWanted(const QList<KeptPackages> &packages, const Arguments &arguments)
{
    qint64 bytes = 0;
    for (const KeptPackages &kept : packages)
        bytes += kept.bytes;
    if (arguments.has("--yes"))
        return true;
    const QString what = setsOf(packages.size(), bytes);
    if (!isTerminal(STDIN_FILENO) || !isTerminal(STDERR_FILENO)) {
        say(u"Nobody is here to be asked about %1, so nothing was removed. --yes asks nothing."_s.arg(what));
        return false;
    }
    if (asksWhether(u"Runs that need packages again install them again. Remove %1?"_s.arg(what)))
        return true;
    say(u"Nothing was removed."_s);
    return false;
}

// Without --force, those of sessions stay.
int removeAllPackages(Engine &engine, const QList<Session> &sessions, const Arguments &arguments)
{
    QList<KeptPackages> packages = engine.packages().list();
    const qsizetype all = packages.size();
    if (!arguments.has("--force"))
        packages.removeIf([&](const KeptPackages &kept) { return !sessionsWith(sessions, kept.id).isEmpty(); });
    const qsizetype stay = all - packages.size();
    if (stay > 0)
        say(stay == 1 ? u"1 set of packages stays, as sessions have it. --force also removes it."_s
                      : u"%1 sets of packages stay, as sessions have them. --force also removes them."_s.arg(stay));
    if (packages.isEmpty()) {
        say(u"There are no packages to remove."_s);
        return 0;
    }
    if (!isRemovingAllWanted(packages, arguments))
        return ExitStatus::failed;
    int status = 0;
    qint64 bytes = 0;
    qsizetype count = 0;
    for (const KeptPackages &kept : std::as_const(packages)) {
        if (const Status removed = engine.packages().remove(kept, engine.caller()); !removed) {
            status = sayFailure(removed.error());
            continue;
        }
        ++count;
        bytes += kept.bytes;
    }
    if (count > 0)
        say(u"Removed: %1."_s.arg(setsOf(count, bytes)));
    return status;
}

int removePackages(const Arguments &arguments)
{
    const QByteArrayList words = arguments.positional + arguments.afterDashes;
    const bool isAll = arguments.has("--all");
    if (isAll && !words.isEmpty())
        return sayUsage(u"--all removes all packages, so name none."_s, u"package remove"_s);
    if (words.isEmpty() && !isAll)
        return sayUsage(u"Name packages by their ids, or --all. To list them: glovebox package list"_s,
                        u"package remove"_s);
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    const auto sessions = (*engine)->sessions().list();
    if (!sessions)
        return sayFailure(sessions.error());
    if (isAll)
        return removeAllPackages(**engine, *sessions, arguments);
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
         .synopsis = u"ID...|--all [OPTIONS]"_s,
         .options = {{"--all", "", u"all packages, but those that sessions have"_s},
                     {"--force", "", u"also those that sessions have"_s},
                     {"--yes", "", u"with --all, ask nothing"_s}},
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
