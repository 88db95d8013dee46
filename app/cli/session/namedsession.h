// SPDX-License-Identifier: Apache-2.0
// Finds the session that a person named, for commands about one.
#pragma once

#include "app/cli/command.h"

namespace glovebox {

// For looking at, no engine is needed.
Result<Sessions> openSessions();

// By name, id, the first eight or more characters of one, or "last": the person's own session that was used last.
Result<Session> sessionCalled(const Sessions &sessions, const QByteArray &wanted);
// Also one that can't be read, for whoever wants to be rid of it: it has its id only.
Result<Session> deletableSession(const Sessions &sessions, const QByteArray &wanted);

// What a command has: the session that its first word names, and the words after it.
struct SessionWords
{
    const Sessions &sessions;
    Session session;
    QByteArrayList words;
    const Arguments &arguments;
};
// name: of the command. least, most: words beside the session's name; else the sentence is said, and how the command is used.
std::function<int(const Arguments &)> overSession(const QString &name, qsizetype least, qsizetype most,
                                                  const QString &sentence, int (*act)(const SessionWords &given));
constexpr qsizetype anyNumberOfWords = 1'000'000;

// Says why the session's files can't be had, and how to come to a state whose files can; ExitStatus::failed.
int sayDamage(const Sessions &sessions, const Session &session, const Error &error);
// The newest other state that is whole: the command that goes back to it, in a sentence. Empty: none is.
QString wayBack(const Sessions &sessions, const Session &session);

// A snapshot by its number ("3" or "#3"). The error is a sentence.
std::expected<int, QString> snapshotNumber(const Session &session, const QByteArray &word);

// What a command knows just this session by: its name if it is the person's own, else its id. Agents choose names that others have, too.
QString commandName(const Session &session);
// The same, quoted where a shell needs that.
QString typedName(const Session &session);

} // namespace glovebox
