// SPDX-License-Identifier: Apache-2.0
// `glovebox session snapshots`, `snapshot`, `rollback` and `diff`: the way back.
#include "app/cli/changes/changesview.h"
#include "app/cli/terminal/terminal.h"
#include "namedsession.h"
#include "sessioncommands.h"
#include "sessionview.h"

#include <QJsonArray>

#include <unistd.h>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QString causeWords(const Snapshot &snapshot)
{
    switch (snapshot.cause) {
    case SnapshotCause::Created:
        return u"created"_s;
    case SnapshotCause::Run:
        return snapshot.isBeside ? u"parallel run %1, from %2"_s.arg(snapshot.run).arg(snapshot.parent)
                                 : u"run %1"_s.arg(snapshot.run);
    case SnapshotCause::Files:
        return u"put or remove"_s;
    case SnapshotCause::Rollback:
        return u"rollback to %1"_s.arg(snapshot.source);
    case SnapshotCause::Fork:
        return u"fork"_s;
    }
    return {};
}

// "+2 ~1 -0"
QString shortCounts(const Snapshot &snapshot)
{
    return u"+%1 ~%2 -%3"_s.arg(snapshot.added).arg(snapshot.changed).arg(snapshot.removed);
}

int listSnapshots(const SessionWords &given)
{
    const Session &session = given.session;
    for (const Snapshot &snapshot : session.snapshots) {
        const bool isHead = snapshot.number == session.head;
        if (given.arguments.has("--json")) {
            QJsonObject object = toJson(snapshot);
            object[u"head"_s] = isHead;
            printJson(object);
            continue;
        }
        const QString label = snapshot.label.isEmpty() ? QString() : u"  \"%1\""_s.arg(snapshot.label);
        const QString line = u"%1%2  %3  %4 %5%6"_s.arg(
            isHead ? u"*"_s : u" "_s, QString::number(snapshot.number).rightJustified(5),
            minuteOf(snapshot.timeMicroseconds), shortCounts(snapshot).leftJustified(16), causeWords(snapshot), label);
        printLine(line);
    }
    return 0;
}

int labelSnapshot(const SessionWords &given)
{
    const auto label = given.arguments.value("--label");
    if (!label || QString::fromUtf8(*label).trimmed().isEmpty())
        return sayUsage(
            u"Say why you keep it: glovebox session snapshot %1 --label TEXT"_s.arg(typedName(given.session)),
            u"session snapshot"_s);
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    const auto labelled =
        (*engine)->changeSession(given.session.id, LabelSnapshot{QString::fromUtf8(*label)}, (*engine)->caller());
    if (!labelled)
        return sayFailure(labelled.error());
    say(u"Session %1: snapshot %2 is kept as \"%3\". To come back: glovebox session rollback %4 %2"_s.arg(
        labelled->shownName(), QString::number(labelled->head), labelled->now().label, typedName(given.session)));
    return 0;
}

// The snapshot before the newest. The error is a sentence.
std::expected<int, QString> stateBefore(const Session &session)
{
    const int parent = session.now().parent;
    if (parent == 0)
        return std::unexpected(
            u"Nothing was changed in session %1 yet, so there is nothing to undo."_s.arg(session.shownName()));
    if (!session.snapshot(parent))
        return std::unexpected(
            u"Snapshot %1, the one before, is gone: only the latest are kept. Name another one that \"glovebox session "
            "snapshots %2\" lists."_s.arg(QString::number(parent), typedName(session)));
    return parent;
}

// Whether to go on, at a terminal. Without one: yes, as a rollback can be undone.
bool isRollbackWanted(const SessionWords &given, int number)
{
    if (given.arguments.has("--yes") || !isTerminal(STDIN_FILENO) || !isTerminal(STDERR_FILENO))
        return true;
    const auto changes = given.sessions.difference(given.session, given.session.head, number);
    constexpr qsizetype most = 40;
    if (changes)
        writeAll(STDERR_FILENO, shownChangeList(changes->first(std::min(most, changes->size()))));
    if (changes && changes->size() > most)
        say(u"%1: glovebox session diff %2 %3 %4"_s.arg(
            changes->size() - most == 1 ? u"1 more change"_s : u"%1 more changes"_s.arg(changes->size() - most),
            typedName(given.session), QString::number(given.session.head), QString::number(number)));
    if (!changes)
        say(sentenceOf(changes.error()));
    if (asksWhether(u"Make session %1 again as it was in snapshot %2?"_s.arg(given.session.shownName()).arg(number)))
        return true;
    say(u"Session %1 is as it was."_s.arg(given.session.shownName()));
    return false;
}

int rollBackSession(const SessionWords &given)
{
    const auto number =
        given.words.isEmpty() ? stateBefore(given.session) : snapshotNumber(given.session, given.words.first());
    if (!number && !given.words.isEmpty())
        return sayUsage(number.error(), u"session rollback"_s);
    if (!number) {
        say(number.error());
        return ExitStatus::failed;
    }
    if (const auto there = given.sessions.tree(given.session, *number); !there)
        return sayDamage(given.sessions, given.session, there.error());
    if (*number == given.session.head) {
        say(u"Session %1 is as in snapshot %2 already."_s.arg(given.session.shownName()).arg(*number));
        return 0;
    }
    if (!isRollbackWanted(given, *number))
        return ExitStatus::failed;
    return doToSession(given.session, RollBack{*number},
                       u"Session %1 is as in snapshot %2 already."_s.arg(given.session.shownName()).arg(*number));
}

int diffSnapshots(const SessionWords &given)
{
    const Session &session = given.session;
    int ends[2] = {session.now().parent, session.head};
    for (qsizetype i = 0; i < given.words.size(); ++i) {
        const auto number = snapshotNumber(session, given.words[i]);
        if (!number)
            return sayUsage(number.error(), u"session diff"_s);
        ends[i] = *number;
    }
    if (given.words.isEmpty()) {
        if (const auto before = stateBefore(session); !before && ends[0] != 0) {
            say(before.error());
            return ExitStatus::failed;
        }
        ends[0] = ends[0] == 0 ? session.head : ends[0]; // the first state
    }
    const auto changes = given.sessions.difference(session, ends[0], ends[1]);
    if (!changes)
        return sayDamage(given.sessions, session, changes.error());
    if (given.arguments.has("--json")) {
        QJsonArray all;
        for (const auto change : toJson(FolderChanges{.changes = *changes}).value("changes"_L1).toArray()) {
            QJsonObject object = change.toObject();
            for (const QLatin1StringView ofCopies : {"sensitive"_L1, "why"_L1, "withheld"_L1})
                object.remove(ofCopies);
            all.append(object);
        }
        printJson({{u"session"_s, session.id}, {u"from"_s, ends[0]}, {u"to"_s, ends[1]}, {u"changes"_s, all}});
        return 0;
    }
    if (given.words.isEmpty() && ends[0] == ends[1])
        print(u"Nothing was changed in session %1 yet.\n"_s.arg(session.shownName()));
    else if (changes->isEmpty())
        print(u"Snapshots %1 and %2 are the same.\n"_s.arg(ends[0]).arg(ends[1]));
    else
        print(QByteArrayView(shownChangeList(*changes, changes->size())));
    return 0;
}

} // namespace

std::vector<Command> sessionPastCommands()
{
    return {
        {.name = u"session snapshots"_s,
         .summary = u"list the states that a session was in"_s,
         .synopsis = u"SESSION [--json]"_s,
         .options = {{"--json", "", u"print JSON, one object a snapshot"_s}},
         .details =
             uR"(A line each, the oldest first: number, time, files added (+), changed (~) and removed (-), cause, label.
A star marks the newest, which the next run gets. The latest 100 are kept, fewer where they take more
than four times the session's disk. Those with a label stay. A snapshot of a parallel run has the files of
the run's copy. The session has them only after a rollback to that snapshot.

Example:
  glovebox session snapshots shop
)"_s,
         .run = overSession(u"session snapshots"_s, 0, 0, u"Name one session, or last."_s, listSnapshots)},
        {.name = u"session diff"_s,
         .summary = u"show what differs between two snapshots"_s,
         .synopsis = u"SESSION [FROM [TO]] [--json]"_s,
         .options = {{"--json", "", u"print one JSON object"_s}},
         .details =
             uR"(FROM is the number of a snapshot [default: the one before the newest], TO that of another [default: the
newest]. A file differs by its content, permissions or kind, not by its time.

Examples:
  glovebox session diff shop
  glovebox session diff shop 1
)"_s,
         .run = overSession(u"session diff"_s, 0, 2, u"Name one session, and at most two snapshots by their numbers."_s,
                            diffSnapshots),
         .advice = {.takesNumbers = true}},
        {.name = u"session rollback"_s,
         .summary = u"make a session again as it was before"_s,
         .synopsis = u"SESSION [NUMBER] [--yes]"_s,
         .options = {{"--yes", "", u"ask nothing at a terminal"_s}},
         .details =
             uR"(Without NUMBER, undoes the last change: of a run, of put or remove, or of another rollback. With NUMBER,
makes the session as it was in that snapshot. Nothing is lost: the state before stays a snapshot, so
"session rollback" once more goes forward again.

Examples:
  glovebox session rollback shop
  glovebox session rollback shop 1 --yes
)"_s,
         .run = overSession(u"session rollback"_s, 0, 1, u"Name one session, and perhaps the number of a snapshot."_s,
                            rollBackSession),
         .advice = {.takesNumbers = true}},
        {.name = u"session snapshot"_s,
         .summary = u"give the newest snapshot a label, which keeps it"_s,
         .synopsis = u"SESSION --label TEXT"_s,
         .options = {{"--label", "TEXT", u"words that say why you keep it, at most 200 characters (required)"_s}},
         .details = uR"(Every change makes a snapshot by itself. One with a label is never dropped for newer ones.

Example:
  glovebox session snapshot shop --label "before the upgrade"
)"_s,
         .run = overSession(u"session snapshot"_s, 0, 0, u"Name one session, or last."_s, labelSnapshot)},
    };
}

} // namespace glovebox
