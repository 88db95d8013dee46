// SPDX-License-Identifier: Apache-2.0
// Which sessions there are, and what is in them.
#include "files/sessiontree.h"
#include "sessionplace.h"
#include "sharedstore.h"

#include <QDir>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype shortestPrefix = 8; // of an id

} // namespace

Result<QList<Session>> Sessions::list(QList<Error> *damaged) const
{
    QList<Session> all;
    const QByteArray folder = QFile::encodeName(m_folder);
    if (!UniqueFd(::open(folder.constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) && errno != ENOENT) {
        const int error = errno;
        return fail(codeForErrno(error),
                    Text(QT_TRANSLATE_NOOP("engine", "The sessions in %1 can't be listed: %2. Check the folder's owner "
                                                     "and permissions."),
                         {m_folder, errnoText(error)}));
    }
    for (const QString &id : QDir(m_folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        if (!isId(id))
            continue;
        auto session = SessionPlace(m_folder, id).read();
        if (!session && session.error().code == ErrorCode::NotFound)
            continue; // deleted meanwhile
        if (!session && damaged)
            damaged->append({session.error().code, session.error().message, Text("%1", {id})});
        if (session && !hasExpired(*session))
            all.append(*std::move(session));
    }
    std::ranges::sort(all, std::greater(), &Session::usedMicroseconds);
    return all;
}

Result<Session> Sessions::find(const QString &wanted) const
{
    if (isId(wanted)) {
        ASSIGN_OR_RETURN(Session session, SessionPlace(m_folder, wanted).read());
        return hasExpired(session) ? expiredSession(session) : Result<Session>(session);
    }
    QList<Error> damaged;
    ASSIGN_OR_RETURN(auto all, list(&damaged));
    const auto isBegun = [&](const QString &id) { return wanted.size() >= shortestPrefix && id.startsWith(wanted); };
    const auto isCalled = [&](const Session &session) { return session.name == wanted && !wanted.isEmpty(); };
    for (const Session &session : all) { // whatever agents call theirs
        if (session.agent.isEmpty() && isCalled(session))
            return session;
    }
    all.removeIf([&](const Session &session) { return !isCalled(session) && !isBegun(session.id); });
    damaged.removeIf([&](const Error &error) { return !isBegun(error.detail.english()); });
    if (all.size() + damaged.size() > 1)
        return fail(ErrorCode::InvalidInput,
                    Text(QT_TRANSLATE_NOOP("engine", "Several sessions have the name \"%1\" or ids that begin so. Give "
                                                     "a whole id: \"glovebox session list --json\" shows them."),
                         {wanted}));
    if (!damaged.isEmpty())
        return std::unexpected(damaged.first());
    return all.isEmpty() ? whyNotFound(wanted) : Result<Session>(all.first());
}

// One that expired, and that nobody has deleted yet, is told of, and one that this version can't read.
std::unexpected<Error> Sessions::whyNotFound(const QString &wanted) const
{
    std::optional<Session> expired;
    for (const QString &id : QDir(m_folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const auto session = isId(id) ? SessionPlace(m_folder, id).read() : noSession(id);
        if (!session && session.error().code == ErrorCode::Newer && !wanted.isEmpty()
            && SessionPlace(m_folder, id).personsName() == wanted)
            return newerSession(wanted);
        const bool isIt =
            session && (session->name == wanted || (wanted.size() >= shortestPrefix && id.startsWith(wanted)));
        if (isIt && !wanted.isEmpty() && hasExpired(*session))
            expired = *session;
    }
    return expired ? expiredSession(*expired) : noSession(wanted);
}

bool Sessions::hasExpired(const Session &session) const
{
    const SessionPlace place(m_folder, session.id);
    if (!session.isExpired(m_clock.nowMicroseconds()) || !place.isGraceOver(session))
        return false;
    const auto copies = place.copies();
    return copies && copies->isEmpty();
}

bool Sessions::isBusy(const QString &id) const
{
    return FileLock::isHeld(SessionPlace(m_folder, id).lockFile());
}

Result<QStringList> Sessions::copies(const QString &id) const
{
    QStringList runs;
    ASSIGN_OR_RETURN(const auto copies, SessionPlace(m_folder, id).copies());
    for (const SessionPlace::Copy &copy : copies)
        runs.append(copy.run);
    return runs;
}

Result<FileLock> Sessions::markInterpreter(const QString &id, const QString &language) const
{
    return SessionPlace(m_folder, id).markInterpreter(language);
}

Result<QStringList> Sessions::interpreters(const QString &id) const
{
    return SessionPlace(m_folder, id).interpreters();
}

bool Sessions::isShared(const QString &id) const
{
    return !SessionPlace(m_folder, id).sharedStore().isEmpty();
}

std::optional<qint64> Sessions::sharedBytes(const Session &session) const
{
    const SessionPlace place(m_folder, session.id);
    const QString store = place.sharedStore();
    if (store.isEmpty())
        return 0;
    SessionPlace::Contents own, others;
    const auto all = place.addContents(session, own);
    const bool isKnown = SharedStore(m_folder, store).addContentsBut(session.id, others);
    const auto alone = place.addContents(session, others);
    return all && isKnown && alone ? std::optional(*all - *alone) : std::nullopt;
}

Result<SessionTree> Sessions::tree(const Session &session, int number) const
{
    const Snapshot *snapshot = session.snapshot(number == 0 ? session.head : number);
    if (!snapshot)
        return noSnapshot(session, number);
    return SessionPlace(m_folder, session.id).tree(*snapshot);
}

Result<QList<FolderChange>> Sessions::difference(const Session &session, int from, int to) const
{
    ASSIGN_OR_RETURN(const SessionTree before, tree(session, from));
    ASSIGN_OR_RETURN(const SessionTree now, tree(session, to));
    return differenceOf(before, now);
}

Status Sessions::pass(const Session &session, const SessionEntry &file, const ContentStore::Pass &to) const
{
    return SessionPlace(m_folder, session.id).store().pass(file.digest, to);
}

} // namespace glovebox
