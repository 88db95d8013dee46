// SPDX-License-Identifier: Apache-2.0
#include "namedsession.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

Result<Sessions> openSessions()
{
    const auto paths = Paths::standard();
    if (!paths)
        return std::unexpected(paths.error());
    return Sessions(paths->sessionsFolder(), Clock::system(), runIdentity);
}

Result<Session> sessionCalled(const Sessions &sessions, const QByteArray &wanted)
{
    if (wanted != "last")
        return sessions.find(QString::fromUtf8(wanted));
    ASSIGN_OR_RETURN(const auto all, sessions.list());
    const auto own =
        std::ranges::find(all, QString(), &Session::agent); // an agent's own use is nothing to the person's habits
    if (own == all.end())
        return fail(ErrorCode::NotFound, Text("There is no session yet. \"glovebox session create\" makes one."));
    return *own;
}

Result<Session> deletableSession(const Sessions &sessions, const QByteArray &wanted)
{
    const auto session = sessionCalled(sessions, wanted);
    const bool isUnreadable =
        !session && (session.error().code == ErrorCode::Damaged || session.error().code == ErrorCode::Newer);
    if (!isUnreadable)
        return session;
    const QString beginning = QString::fromUtf8(wanted);
    QList<Error> unreadable;
    RETURN_IF_ERROR(sessions.list(&unreadable));
    for (const Error &error : unreadable) {
        if (const QString id = error.detail.english(); id.startsWith(beginning))
            return Session{.id = id};
    }
    return session;
}

std::function<int(const Arguments &)> overSession(const QString &name, qsizetype least, qsizetype most,
                                                  const QString &sentence, int (*act)(const SessionWords &given))
{
    return [=](const Arguments &arguments) {
        const QByteArrayList words = arguments.positional + arguments.afterDashes;
        if (words.isEmpty() || words.first().isEmpty() || words.size() - 1 < least || words.size() - 1 > most)
            return sayUsage(sentence, name);
        if (words.contains(QByteArray())) // "" for all files, or for no name, would be taken from a script's mistake
            return sayUsage(u"A word after %1 is empty (an unset variable?)."_s.arg(asShellWord(words.first())), name);
        const auto sessions = openSessions();
        if (!sessions)
            return sayFailure(sessions.error());
        auto session = sessionCalled(*sessions, words.first());
        if (!session)
            return sayFailure(session.error());
        return act({*sessions, *std::move(session), words.sliced(1), arguments});
    };
}

QString wayBack(const Sessions &sessions, const Session &session)
{
    for (auto snapshot = session.snapshots.rbegin(); snapshot != session.snapshots.rend(); ++snapshot) {
        if (snapshot->number != session.head && sessions.tree(session, snapshot->number))
            return u"To go back to the newest whole snapshot: glovebox session rollback %1 %2"_s.arg(
                typedName(session), QString::number(snapshot->number));
    }
    return {};
}

int sayDamage(const Sessions &sessions, const Session &session, const Error &error)
{
    if (error.code != ErrorCode::Damaged)
        return sayFailure(error);
    say(error.message.english());
    const QString way = wayBack(sessions, session);
    say(way.isEmpty() ? u"No other snapshot of the session is whole. To delete it: glovebox session delete %1"_s.arg(
                            typedName(session))
                      : way);
    return ExitStatus::failed;
}

std::expected<int, QString> snapshotNumber(const Session &session, const QByteArray &word)
{
    bool isNumber = false;
    const int number = (word.startsWith('#') ? word.sliced(1) : word).toInt(&isNumber);
    if (isNumber && number > 0)
        return number;
    return std::unexpected(
        u"\"%1\" is not the number of a snapshot. \"glovebox session snapshots %2\" lists them."_s.arg(
            QString::fromUtf8(word), typedName(session)));
}

QString commandName(const Session &session)
{
    return session.agent.isEmpty() ? session.shownName() : session.id;
}

QString typedName(const Session &session)
{
    return asShellWord(commandName(session).toUtf8());
}

} // namespace glovebox
