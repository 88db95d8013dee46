// SPDX-License-Identifier: Apache-2.0
#include "sessions.h"

#include "files/putting.h"
#include "sessionuse.h"
#include "sharedstore.h"

#include <QDir>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestSessionName = 64;
constexpr auto lookAgain =
    std::chrono::milliseconds(20); // whether a session is free: another program's lock wakes nobody

const QString unfinishedSuffix = u".new"_s; // of a folder that isn't a session yet

Status checkNewSession(const NewSession &wanted)
{
    RETURN_IF_ERROR(checkSessionName(wanted.name));
    Policy policy;
    policy.limits.diskBytes = wanted.diskBytes;
    policy.allow = wanted.allow;
    return validate(policy);
}

} // namespace

Status checkSessionName(const QString &name)
{
    const auto isAllowed = [](QChar c) { return c.isLetterOrNumber() || c == u'-' || c == u'_' || c == u'.'; };
    if (name.size() > longestSessionName || !std::ranges::all_of(name, isAllowed) || name.startsWith(u'-')
        || name.startsWith(u'.') || isId(name))
        return fail(
            ErrorCode::InvalidInput,
            Text(QT_TRANSLATE_NOOP("engine", "\"%1\" can't be a session's name. Use letters, digits, \"-\", \"_\" and "
                                             "\".\", at most 64 of them."),
                 {name.size() > longestSessionName ? name.left(longestSessionName) + QStringLiteral(" [...]") : name}));
    return {};
}

Sessions::Sessions(QString folder, const Clock &clock, std::function<std::optional<HostIdentity>()> owner)
    : m_folder(std::move(folder))
    , m_clock(clock)
    , m_owner(std::move(owner))
{
}

Result<SessionUse> Sessions::tryUse(const QString &id) const
{
    const SessionPlace place(m_folder, id);
    if (!isId(id))
        return noSession(id);
    ASSIGN_OR_RETURN(const Session before, place.read());
    ASSIGN_OR_RETURN(auto lock, place.lock());
    if (!lock && !QFile::exists(place.lockFile())) { // some ways of copying a folder leave empty files out
        auto made = FileLock::create(place.lockFile());
        if (!made)
            return made.error().code == ErrorCode::NotFound ? noSession(id) : std::unexpected(made.error());
        lock = *std::move(made);
    }
    if (!lock)
        return busySession(before);
    ASSIGN_OR_RETURN(Session session, place.read()); // nobody changes it from now on
    if (hasExpired(session))
        return expiredSession(session);
    auto use = std::make_unique<SessionUse::Private>(
        SessionUse::Private{place, *std::move(lock), m_clock, ::geteuid() == 0 ? m_owner() : std::nullopt, session});
    if (place.wasCutShort()) {
        ASSIGN_OR_RETURN(const FileLock notes, use->lockNotes());
        if (place.wasCutShort()) // and nobody is keeping the files of a copy
            use->takeBack();
    }
    return SessionUse(std::move(use));
}

Result<SessionUse> Sessions::copy(const QString &id, const QString &run) const
{
    const SessionPlace place(m_folder, id);
    for (;;) {
        ASSIGN_OR_RETURN(Session session, isId(id) ? place.read() : noSession(id));
        if (hasExpired(session))
            return expiredSession(session);
        const auto pins = place.lockPins();
        if (!pins)
            return pins.error().code == ErrorCode::NotFound ? noSession(id) : std::unexpected(pins.error());
        ASSIGN_OR_RETURN(FileLock pin, place.pin(session.now().tree, run));
        auto use = std::make_unique<SessionUse::Private>(SessionUse::Private{
            place, std::move(pin), m_clock, ::geteuid() == 0 ? m_owner() : std::nullopt, session, true});
        ASSIGN_OR_RETURN(const Session still, place.read());
        if (still.snapshot(session.head)) // so whoever removes contents from now on sees the pin
            return SessionUse(std::move(use));
    }
}

Result<SessionUse> Sessions::use(const QString &id, const std::stop_token &stop,
                                 const std::function<void()> &onWait) const
{
    for (bool waits = false;;) {
        auto use = tryUse(id);
        if (use || use.error().code != ErrorCode::Busy)
            return use;
        if (!waits && onWait)
            onWait();
        waits = true;
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock(mutex);
        if (stopped.wait_for(lock, stop, lookAgain, [&] { return stop.stop_requested(); }))
            return fail(ErrorCode::Cancelled,
                        Text(QT_TRANSLATE_NOOP("engine", "Waiting for the session was cancelled.")));
    }
}

Result<FileLock> Sessions::lockNames() const
{
    return FileLock::create(m_folder + u"/names.lock"_s);
}

Status Sessions::checkFree(const QString &name, const QString &agent) const
{
    ASSIGN_OR_RETURN(const auto others, list());
    const auto hasTheName = [&](const Session &other) { // to others its name is a secret
        return other.name == name && other.agent == agent;
    };
    if (!name.isEmpty() && agent != unpairedAgents && std::ranges::any_of(others, hasTheName))
        return fail(ErrorCode::InvalidInput,
                    Text(QT_TRANSLATE_NOOP("engine", "There is a session \"%1\" already. Give another name."), {name}));
    if (!agent.isEmpty())
        return {};
    const auto newer = whyNotFound(name);
    return newer.error().code == ErrorCode::Newer ? Status(newer) : Status();
}

// Whole at once: a folder under another name until everything is in it.
Result<Session> Sessions::make(const NewSession &wanted, const Snapshot &first, const SessionTree &tree,
                               const SessionUse::Private *from, const QList<SessionPackages> &packages) const
{
    RETURN_IF_ERROR(checkNewSession(wanted));
    RETURN_IF_ERROR(makePrivateFolder(m_folder));
    // Of two programs that want the same name one is told.
    ASSIGN_OR_RETURN(const FileLock naming, lockNames());
    RETURN_IF_ERROR(checkFree(wanted.name, wanted.agent));
    const qint64 now = m_clock.nowMicroseconds();
    Session session{.id = newId(m_clock),
                    .name = wanted.name,
                    .createdMicroseconds = now,
                    .usedMicroseconds = now,
                    .timeToLive = wanted.timeToLive,
                    .diskBytes = wanted.diskBytes,
                    .allow = wanted.allow,
                    .profile = wanted.profile,
                    .agent = wanted.agent,
                    .packages = packages};
    const SessionPlace unfinished(m_folder, session.id + unfinishedSuffix);
    RETURN_IF_ERROR(makePrivateFolder(unfinished.folder()));
    const Status filled = fillNew(unfinished, session, first, tree, from);
    const QByteArray path = QFile::encodeName(m_folder + u'/' + session.id);
    if (!filled || ::rename(QFile::encodeName(unfinished.folder()).constData(), path.constData()) != 0) {
        const int error = errno;
        static_cast<void>(removeTree(unfinished.folder()));
        return filled ? fail(codeForErrno(error),
                             Text(QT_TRANSLATE_NOOP("engine", "The session can't be made in %1: %2. Check the free "
                                                              "space and the folder's permissions."),
                                  {m_folder, errnoText(error)}))
                      : std::unexpected(filled.error());
    }
    static_cast<void>(syncFolder(m_folder));
    return session;
}

Status Sessions::fillNew(const SessionPlace &place, Session &session, Snapshot first, const SessionTree &tree,
                         const SessionUse::Private *from) const
{
    ASSIGN_OR_RETURN(std::ignore, FileLock::create(place.lockFile()));
    // Now, as a full disk would have no room for it, and keep everybody from tidying a shared store.
    ASSIGN_OR_RETURN(std::ignore, place.lockNotes());
    session.storedBytes = storedAnew(tree, {});
    first.timeMicroseconds = session.createdMicroseconds;
    const auto shared = from ? SharedStore::of(from->place, from->session) : std::nullopt;
    if (shared && shared->giveTo(place)) {
        addSnapshot(session, std::move(first), {}, tree); // whose tree is there
        return place.write(session);
    }
    const ContentStore contents = place.store();
    RETURN_IF_ERROR(makePrivateFolder(contents.folder()));
    for (const SessionEntry &entry : tree) {
        if (entry.type == SessionEntry::Type::File)
            RETURN_IF_ERROR(contents.share(from->place.store(), entry.digest));
    }
    const QByteArray bytes = encodedTree(tree);
    first.tree = sha256({bytes});
    RETURN_IF_ERROR(contents.put(first.tree, bytes));
    addSnapshot(session, std::move(first), {}, tree);
    RETURN_IF_ERROR(contents.sync());
    return place.write(session);
}

Result<Session> Sessions::create(const NewSession &wanted) const
{
    return make(wanted, {.cause = SnapshotCause::Created}, {}, nullptr, {});
}

Status Sessions::remove(const QString &id, BytesGo bytes) const
{
    if (!isId(id))
        return noSession(id);
    const SessionPlace place(m_folder, id);
    const QString shared = place.sharedStore();
    ASSIGN_OR_RETURN(const QString removed, place.setAside());
    QStringList going{removed};
    if (!shared.isEmpty())
        going += SharedStore::tidy(m_folder, shared);
    for (const QString &each : std::as_const(going)) {
        if (bytes == BytesGo::AtOnce)
            RETURN_IF_ERROR(removeTree(each));
        else
            removeTreeMeanwhile(each);
    }
    return {};
}

Result<Session> Sessions::label(const QString &id, const QString &label) const
{
    ASSIGN_OR_RETURN(auto use, tryUse(id));
    ASSIGN_OR_RETURN(const FileLock notes, use.d->lockNotes());
    Session session = use.d->session;
    const auto labelled =
        std::ranges::count_if(session.snapshots, [](const auto &each) { return !each.label.isEmpty(); });
    if (label.trimmed().isEmpty() || label.size() > 200)
        return fail(ErrorCode::InvalidInput,
                    Text(QT_TRANSLATE_NOOP("engine", "A snapshot's label has 1 to 200 characters.")));
    if (labelled >= mostSnapshots)
        return fail(
            ErrorCode::Full,
            Text(QT_TRANSLATE_NOOP("engine", "The session has %1 snapshots with labels already, and that is the "
                                             "most. Fork the session instead."),
                 {QString::number(labelled)}));
    std::ranges::find(session.snapshots, session.head, &Snapshot::number)->label = label.trimmed();
    RETURN_IF_ERROR(use.d->place.write(session));
    return session;
}

Result<Session> Sessions::rename(const QString &id, const QString &name) const
{
    RETURN_IF_ERROR(checkSessionName(name));
    ASSIGN_OR_RETURN(auto use, tryUse(id));
    ASSIGN_OR_RETURN(const FileLock naming, lockNames());
    ASSIGN_OR_RETURN(const FileLock notes, use.d->lockNotes());
    Session session = use.d->session;
    if (name == session.name)
        return session;
    RETURN_IF_ERROR(checkFree(name, session.agent));
    session.name = name;
    RETURN_IF_ERROR(use.d->place.write(session));
    return session;
}

Result<Session> Sessions::setPackages(const QString &id, const SessionPackages &packages, const QString &before) const
{
    ASSIGN_OR_RETURN(auto use, tryUse(id));
    ASSIGN_OR_RETURN(const FileLock notes, use.d->lockNotes()); // a run in a copy writes them, too
    Session session = use.d->session;
    const SessionPackages *const now = session.packagesOf(packages.language);
    if ((now ? now->id : QString()) != before)
        return fail(ErrorCode::Busy,
                    Text(QT_TRANSLATE_NOOP("engine", "Somebody else changed the packages of the session %1 meanwhile. "
                                                     "Try again."),
                         {session.shownName()}));
    session.packages.removeIf([&](const SessionPackages &each) { return each.language == packages.language; });
    if (!packages.id.isEmpty())
        session.packages.append(packages);
    session.useAt(m_clock.nowMicroseconds());
    RETURN_IF_ERROR(use.d->place.write(session));
    return session;
}

Result<Session> Sessions::rollBack(const QString &id, int number) const
{
    ASSIGN_OR_RETURN(auto use, tryUse(id));
    ASSIGN_OR_RETURN(const FileLock notes, use.d->lockNotes());
    if (!use.session().snapshot(number)) // 0 is none, but the newest elsewhere
        return noSnapshot(use.session(), number);
    ASSIGN_OR_RETURN(const SessionTree next, tree(use.session(), number));
    if (const Status loaded = use.d->loadTree(); !loaded && loaded.error().code != ErrorCode::Damaged)
        return std::unexpected(loaded.error()); // going back is the way out of a damaged one
    RETURN_IF_ERROR(use.d->place.beginKeeping());
    return use.d->store(next, {.cause = SnapshotCause::Rollback, .source = number}, use.d->tree);
}

Result<Session> Sessions::fork(const QString &id, int number, const NewSession &wanted) const
{
    ASSIGN_OR_RETURN(const auto use, tryUse(id));
    ASSIGN_OR_RETURN(const FileLock notes, use.d->lockNotes()); // nobody removes contents meanwhile
    const Session &session = use.session();
    ASSIGN_OR_RETURN(const SessionTree begins, tree(session, number));
    const QByteArray digest = session.snapshot(number == 0 ? session.head : number)->tree;
    return make(wanted, {.cause = SnapshotCause::Fork, .tree = digest}, begins, use.d.get(), session.packages);
}

Result<Session> Sessions::change(const QString &id, const NextFiles &nextFiles) const
{
    ASSIGN_OR_RETURN(auto use, tryUse(id));
    ASSIGN_OR_RETURN(const FileLock notes, use.d->lockNotes());
    RETURN_IF_ERROR(use.d->loadTree());
    RETURN_IF_ERROR(use.d->place.beginKeeping());
    const auto next = nextFiles(use.d->place.store(), use.d->tree, use.session().diskBytes);
    auto stored = next ? use.d->store(*next, {.cause = SnapshotCause::Files}, use.d->tree)
                       : Result<Session>(std::unexpected(next.error()));
    if (!stored)
        use.d->takeBack();
    return stored;
}

Result<Session> Sessions::put(const QString &id, const QList<PutFile> &files, const CopyProgress &progress) const
{
    CopiedUntilNow copied;
    return change(id, [&](const ContentStore &store, const SessionTree &tree, qint64 diskBytes) {
        Result<SessionTree> next = tree;
        for (const PutFile &file : files) {
            if (next)
                next = treeWith(store, *next, file.hostPath, file.path, diskBytes, copied, progress);
        }
        return next;
    });
}

Result<Session> Sessions::write(const QString &id, const QByteArray &path, QByteArrayView content) const
{
    return change(id, [&](const ContentStore &store, const SessionTree &tree, qint64 diskBytes) {
        return treeWithContent(store, tree, content, path, diskBytes);
    });
}

Result<Session> Sessions::removeFiles(const QString &id, const QList<QByteArray> &paths) const
{
    return change(id, [&](const ContentStore &, const SessionTree &tree, qint64) {
        Result<SessionTree> next = tree;
        for (const QByteArray &path : paths) {
            if (next)
                next = treeWithout(*next, path);
        }
        return next;
    });
}

QList<Session> Sessions::recover() const
{
    QList<Session> expired;
    QStringList going; // of many files, nobody waits for the last: a command's end leaves them to the next
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    for (const QString &name : QDir(m_folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const SessionPlace place(m_folder, name);
        if (name.endsWith(removedSuffix)) {
            if (!isBeingRemoved(place.folder())) {
                removeTreeMeanwhile(place.folder());
                going.append(place.folder());
            }
        } else if (name.endsWith(unfinishedSuffix)) {
            const auto naming = FileLock::tryExisting(m_folder + u"/names.lock"_s);
            if (naming && *naming) // nobody is making one
                static_cast<void>(removeTree(place.folder()));
        } else if (const auto session = place.read()) {
            const qint64 now = m_clock.nowMicroseconds();
            place.look(*session, now);
            if (hasExpired(*session)) {
                if (const auto removed = place.setAside()) {
                    static_cast<void>(removeTree(*removed));
                    expired.append(*session);
                }
            } else if (session->usedMicroseconds > now && place.isGraceOver(*session)) {
                const auto use = tryUse(name);
                const auto notes = use ? place.tryLockNotes() : std::nullopt;
                auto still = notes && *notes ? place.read() : noSession(name);
                if (still && still->usedMicroseconds == session->usedMicroseconds) {
                    still->usedMicroseconds = now; // a clock that was ahead would keep it for that long
                    static_cast<void>(place.write(*still));
                }
            } else if (place.wasCutShort()) {
                static_cast<void>(tryUse(name));
            }
        }
    }
    for (const QString &store : SharedStore::tidy(m_folder)) { // of many that expired at once, too
        removeTreeMeanwhile(store);
        going.append(store);
    }
    while (std::ranges::any_of(going, isBeingRemoved) && std::chrono::steady_clock::now() < patience)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return expired;
}

} // namespace glovebox
