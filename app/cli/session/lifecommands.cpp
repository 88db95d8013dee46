// SPDX-License-Identifier: Apache-2.0
// `glovebox session create`, `fork` and `delete`.
#include "app/cli/profile/namedprofile.h"
#include "namedsession.h"
#include "sessioncommands.h"
#include "sessionview.h"

#include <unistd.h>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using LifeTime = std::optional<std::chrono::seconds>; // none: for ever

// "30d", "12h", "90m" or "never". The error is a sentence.
std::expected<LifeTime, QString> lifeTimeOf(const QByteArray &text)
{
    if (text == "never")
        return LifeTime();
    constexpr qint64 longestDays = 3650;
    const std::pair<char, qint64> units[] = {{'d', 86'400}, {'h', 3'600}, {'m', 60}};
    for (const auto &[letter, seconds] : units) {
        bool isNumber = false;
        const qint64 count = text.endsWith(letter) ? text.chopped(1).toLongLong(&isNumber) : 0;
        if (isNumber && count > 0 && count <= longestDays * 86'400 / seconds)
            return LifeTime(std::chrono::seconds(count * seconds));
    }
    return std::unexpected(
        u"--ttl takes a time without use from 1m to %1d, such as 30d or 12h, or never, not \"%2\"."_s.arg(longestDays)
            .arg(QString::fromUtf8(text)));
}

// The options over what a session has without them. The error is a sentence.
std::expected<NewSession, QString> wantedBy(const Arguments &arguments, NewSession wanted)
{
    if (const auto name = arguments.value("--name")) {
        wanted.name = QString::fromUtf8(*name);
        if (wanted.name.isEmpty())
            return std::unexpected(u"--name takes a name, not nothing."_s);
        if (wanted.name == u"last")
            return std::unexpected(u"\"last\" stands for the session that was used last. Give another name."_s);
        if (const Status sound = checkSessionName(wanted.name); !sound)
            return std::unexpected(sentenceOf(sound.error()));
    }
    if (const auto disk = arguments.value("--disk")) {
        const auto bytes = sizeInBytes("--disk", *disk, LimitRange::diskMin, LimitRange::diskMax, mebibyte, u"MB"_s);
        if (!bytes)
            return std::unexpected(bytes.error());
        wanted.diskBytes = *bytes;
    }
    if (const auto text = arguments.value("--ttl")) {
        const auto time = lifeTimeOf(*text);
        if (!time)
            return std::unexpected(time.error());
        wanted.timeToLive = *time;
    }
    if (const auto profile = arguments.value("--profile")) {
        wanted.profile = QString::fromUtf8(*profile);
        if (wanted.profile.isEmpty())
            return std::unexpected(u"--profile takes the name of a profile, not nothing."_s);
    }
    for (const QByteArray &text : arguments.values("--allow")) {
        const auto hosts = allowedBy(QString::fromUtf8(text));
        if (!hosts)
            return std::unexpected(hosts.error().message.english());
        for (const QString &host : *hosts) {
            if (!wanted.allow.contains(host))
                wanted.allow.append(host);
        }
    }
    return wanted;
}

// The id alone on standard output, for scripts; the rest is for a person.
int tellNew(const Engine &engine, const Session &session, const Arguments &arguments)
{
    if (arguments.has("--json")) {
        printJson(sessionJson(engine.sessions(), session));
        return 0;
    }
    print(session.id + u'\n');
    if (isTerminal(STDERR_FILENO))
        say(u"Session %1: %2 for files, %3. To use it: glovebox run --session %4 FILE"_s.arg(
            session.shownName(), sizeWords(session.diskBytes),
            session.timeToLive ? u"deleted after %1 without use"_s.arg(ageWords(*session.timeToLive))
                               : u"never deleted by itself"_s,
            typedName(session)));
    return 0;
}

// The policy becomes that of the profile, which must be there, if the new session has one.
Status takeProfile(const Engine &engine, const NewSession &wanted, Policy &policy, const Arguments &arguments)
{
    if (wanted.profile.isEmpty())
        return {};
    ASSIGN_OR_RETURN(const Profile profile, profileCalled(engine.paths(), wanted.profile.toUtf8()));
    if (const QString more = moreThan(policy, profile); !more.isEmpty() && !arguments.has("--json"))
        say(more);
    ASSIGN_OR_RETURN(policy, profile.on(policy));
    return {};
}

int createSession(const Arguments &arguments)
{
    const QString name = u"session create"_s;
    if (arguments.positional.size() == 1 && !arguments.has("--name"))
        return sayUsage(
            u"Names follow --name: glovebox session create --name %1"_s.arg(asShellWord(arguments.positional.first())),
            name);
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"\"session create\" takes options only."_s, name);
    auto wanted = wantedBy(arguments, {});
    if (!wanted)
        return sayUsage(wanted.error(), name);
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    Policy policy = (*engine)->settings().policy();
    if (const Status known = takeProfile(**engine, *wanted, policy, arguments); !known)
        return sayFailure(known.error());
    if (!arguments.has("--disk"))
        wanted->diskBytes = policy.limits.diskBytes;
    const auto session = (*engine)->createSession(*wanted, (*engine)->caller());
    return session ? tellNew(**engine, *session, arguments) : sayFailure(session.error());
}

int forkSession(const SessionWords &given)
{
    const Session &from = given.session;
    const auto number = given.words.isEmpty() ? std::expected<int, QString>(0) : snapshotNumber(from, given.words[0]);
    if (!number)
        return sayUsage(number.error(), u"session fork"_s);
    const auto wanted = wantedBy(
        given.arguments,
        {.timeToLive = from.timeToLive, .diskBytes = from.diskBytes, .allow = from.allow, .profile = from.profile});
    if (!wanted)
        return sayUsage(wanted.error(), u"session fork"_s);
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    Policy policy = (*engine)->settings().policy(); // the disk is as the other's, or --disk
    if (const Status known =
            given.arguments.has("--profile") ? takeProfile(**engine, *wanted, policy, given.arguments) : Status();
        !known)
        return sayFailure(known.error());
    const auto session = (*engine)->forkSession(from.id, *number, *wanted, (*engine)->caller());
    return session ? tellNew(**engine, *session, given.arguments) : sayFailure(session.error());
}

int renameSession(const SessionWords &given)
{
    const QString name = QString::fromUtf8(given.words.first());
    if (name == u"last")
        return sayUsage(u"\"last\" stands for the session that was used last. Give another name."_s,
                        u"session rename"_s);
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    const auto renamed = (*engine)->changeSession(given.session.id, RenameSession{name}, (*engine)->caller());
    if (!renamed)
        return sayFailure(renamed.error());
    say(u"Session %1 is called %2 now."_s.arg(given.session.shownName(), renamed->shownName()));
    return 0;
}

// What would be lost.
QString lossOf(const Session &session)
{
    if (session.snapshots.isEmpty())
        return u"Session %1, which can't be read"_s.arg(session.id);
    const qint64 files = session.now().files;
    return u"Session %1: %2 of %3, and %4"_s.arg(
        session.shownName(), files == 1 ? u"1 file"_s : u"%1 files"_s.arg(files), sizeWords(session.now().bytes),
        session.snapshots.size() == 1 ? u"1 snapshot"_s : u"%1 snapshots"_s.arg(session.snapshots.size()));
}

// Whether to go on.
bool isLossWanted(const QList<Session> &doomed)
{
    QStringList losses;
    for (const Session &session : doomed)
        losses.append(lossOf(session));
    const QString sentence = losses.join(u"; "_s) + u'.';
    if (!isTerminal(STDIN_FILENO) || !isTerminal(STDERR_FILENO)) {
        say(sentence + u" Nobody is here to be asked, so nothing was deleted. --yes asks nothing."_s);
        return false;
    }
    if (asksWhether(
            sentence
            + (doomed.size() == 1
                   ? u" Nothing restores the session; what its runs left is in the log until \"glovebox audit prune\". Delete it?"_s
                   : u" Nothing restores the sessions; what their runs left is in the log until \"glovebox audit prune\". Delete them?"_s)))
        return true;
    say(u"Nothing was deleted."_s);
    return false;
}

// False: there are some, and they go on; that is told.
bool hasNoJobs(const Jobs &jobs, const Session &session, bool stops)
{
    const auto all = jobs.list(); // jobs that can't be listed keep the session by themselves
    QStringList running;
    for (const Job &job : all.value_or(QList<Job>())) {
        if (job.session != session.id)
            continue;
        const Status stopped = stops ? jobs.stop(job) : Status();
        if (!stopped && stopped.error().code != ErrorCode::NotFound) {
            sayFailure(stopped.error());
            return false;
        }
        if (!stops)
            running.append(job.run);
    }
    if (running.isEmpty())
        return true;
    say(u"Session %1 has running jobs, so it wasn't deleted. To stop them: glovebox session stop %2. To stop them and "
        "delete the session: glovebox session delete %3 --force"_s.arg(session.shownName(), running.join(u' '),
                                                                       typedName(session)));
    return false;
}

// Packages are kept for all runs, whoever wanted them first.
void sayPackagesThatStay(const Engine &engine, const QList<Session> &deleted)
{
    const auto has = [](const QList<Session> &sessions, const QString &id) {
        return std::ranges::any_of(sessions, [&](const Session &session) {
            return std::ranges::find(session.packages, id, &SessionPackages::id) != session.packages.end();
        });
    };
    if (std::ranges::all_of(deleted, [](const Session &session) { return session.packages.isEmpty(); }))
        return;
    const QList<Session> others = engine.sessions().list().value_or(QList<Session>());
    constexpr qsizetype digits = 12; // as "package list" shows them
    QStringList ids;
    for (const KeptPackages &kept : engine.packages().list()) {
        if (has(deleted, kept.id) && !has(others, kept.id))
            ids.append(kept.id.first(digits));
    }
    if (!ids.isEmpty())
        say(u"Installed packages stay for other runs until nobody used them for 90 days. To remove them: glovebox "
            "package remove %1"_s.arg(ids.join(u' ')));
}

int deleteSessions(const Arguments &arguments)
{
    const QByteArrayList words = arguments.positional + arguments.afterDashes;
    if (words.isEmpty() || words.contains(QByteArray()))
        return sayUsage(u"Name the sessions to delete."_s, u"session delete"_s);
    const auto sessions = openSessions();
    if (!sessions)
        return sayFailure(sessions.error());
    QList<Session> doomed;
    for (const QByteArray &word : words) {
        const auto session = deletableSession(*sessions, word);
        if (!session)
            return sayFailure(session.error());
        if (std::ranges::find(doomed, session->id, &Session::id) == doomed.end())
            doomed.append(*session);
    }
    if (!arguments.has("--yes") && !isLossWanted(doomed))
        return ExitStatus::failed;
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    for (const Session &session : doomed) { // all or nothing
        const Jobs jobs((*engine)->paths().jobsFolder());
        if (!hasNoJobs(jobs, session, arguments.has("--force"))) {
            if (doomed.size() > 1)
                say(u"Nothing was deleted."_s);
            return ExitStatus::failed;
        }
    }
    int status = 0;
    QList<Session> gone;
    for (const Session &session : doomed) {
        if (const Status deleted = (*engine)->deleteSession(session.id, (*engine)->caller()); !deleted)
            status = sayFailure(deleted.error());
        else
            gone.append(session);
    }
    sayPackagesThatStay(**engine, gone);
    return status;
}

std::vector<Option> optionsOfNew(const QString &name, const QString &disk, const QString &ttl, const QString &hosts,
                                 const QString &profile)
{
    return {
        {"--name", "NAME", u"%1 [default: none; the id names it]"_s.arg(name)},
        {"--disk", "MB", u"space for its files, in memory while a run is in it, or 1G [default: %1]"_s.arg(disk)},
        {"--ttl", "TIME", u"delete it after this time without use: 30d, 12h, or never [default: %1]"_s.arg(ttl)},
        {"--allow", "HOST[:PORT]",
         u"allow its runs connections to HOST, *.HOST or a preset; repeatable [default: %1]"_s.arg(hosts)},
        {"--profile", "NAME",
         u"limits and hosts of its runs from the command line, unless they name another [default: %1]"_s.arg(profile)},
        {"--json", "", u"print one JSON object"_s},
    };
}

} // namespace

std::vector<Command> sessionLifeCommands()
{
    return {
        {.name = u"session create"_s,
         .summary = u"make a workspace that lasts from run to run"_s,
         .synopsis = u"[--name NAME] [OPTIONS]"_s,
         .options = optionsOfNew(u"name of the session: letters, digits, -, _ and ."_s, u"256"_s, u"30d"_s, u"none"_s,
                                 u"none"_s),
         .details =
             uR"(Prints the id of the session. A run in the session finds the files in /work that the run before left.
Everything else is as for any run: what isn't allowed stays sealed off, and no process outlives
its run. Each change is a snapshot, so each can be undone. One run at a time is in a session; others wait.
Parallel runs (run --parallel) and background jobs (run --detach) get a copy each, and don't wait.

Examples:
  glovebox session create --name shop
  glovebox run --session shop -c 'open("count", "a").write("x")'
  glovebox run --session shop -c 'print(open("count").read())'
  glovebox session snapshots shop
)"_s,
         .run = createSession},
        {.name = u"session fork"_s,
         .summary = u"make a session that begins as another one is, or was"_s,
         .synopsis = u"SESSION [NUMBER] [--name NAME] [OPTIONS]"_s,
         .options = optionsOfNew(u"name of the new session"_s, u"as the other"_s, u"as the other"_s, u"as the other"_s,
                                 u"as the other"_s),
         .details =
             uR"(The new session has the files of the snapshot NUMBER, or the newest without NUMBER. Both sessions go
their own ways from there. Their common files take space on this machine's disk once. A fork can have a
larger --disk than the other session. Prints the id of the new session.

Examples:
  glovebox session fork shop --name shop2
  glovebox session fork shop 1 --name from-the-start --disk 512
)"_s,
         .run = overSession(u"session fork"_s, 0, 1, u"Name one session, and perhaps the number of a snapshot."_s,
                            forkSession),
         .advice = {.takesNumbers = true}},
        {.name = u"session rename"_s,
         .summary = u"give a session another name"_s,
         .synopsis = u"SESSION NAME"_s,
         .details = uR"(NAME has letters, digits, -, _ and ., and no other session has it. The id of the session stays.

Example:
  glovebox session rename shop store
)"_s,
         .run = overSession(u"session rename"_s, 1, 1, u"Name one session, and its new name."_s, renameSession)},
        {.name = u"session delete"_s,
         .summary = u"delete sessions with all their files and snapshots"_s,
         .synopsis = u"SESSION... [--yes] [--force]"_s,
         .options = {{"--yes", "", u"ask nothing"_s}, {"--force", "", u"stop the session's background jobs first"_s}},
         .details =
             uR"(A session that is deleted can't be restored. The log keeps that it was there, and what its runs left
until "glovebox audit prune". A session that can't be read can be deleted by its id.

Example:
  glovebox session delete shop --yes
)"_s,
         .run = deleteSessions},
    };
}

} // namespace glovebox
