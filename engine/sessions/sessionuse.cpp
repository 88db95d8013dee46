// SPDX-License-Identifier: Apache-2.0
#include "sessionuse.h"

#include "files/keeping.h"

#include <QSet>

#include <algorithm>

namespace glovebox {

namespace {

constexpr qint64 mostStoredShare = 4; // all snapshots take at most so many times the session's disk

// Oldest ones without a label go first. The last stays: its number is the highest that was given. True: some are gone, so that their
// contents may be.
bool dropOldest(Session &session, qsizetype most)
{
    const auto isDroppable = [&](const Snapshot &snapshot) {
        return snapshot.label.isEmpty() && snapshot.number != session.head
               && snapshot.number != session.snapshots.last().number;
    };
    qsizetype droppable = std::ranges::count_if(session.snapshots, isDroppable);
    const bool drops = droppable > most;
    for (auto it = session.snapshots.begin(); it != session.snapshots.end() && droppable > most;) {
        if (isDroppable(*it)) {
            it = session.snapshots.erase(it);
            --droppable;
        } else {
            ++it;
        }
    }
    return drops;
}

} // namespace

qint64 storedAnew(const SessionTree &next, const SessionTree &before)
{
    QSet<QByteArray> known;
    for (const SessionEntry &entry : before)
        known.insert(entry.digest);
    qint64 bytes = 0;
    for (const SessionEntry &entry : next) {
        if (entry.type == SessionEntry::Type::File && !known.contains(entry.digest)) {
            known.insert(entry.digest);
            bytes += entry.bytes;
        }
    }
    return bytes;
}

void addSnapshot(Session &session, Snapshot snapshot, const SessionTree &before, const SessionTree &tree)
{
    for (const FolderChange &change : differenceOf(before, tree)) {
        qint64 &count = change.kind == FolderChange::Kind::Added     ? snapshot.added
                        : change.kind == FolderChange::Kind::Changed ? snapshot.changed
                                                                     : snapshot.removed;
        ++count;
    }
    for (const SessionEntry &entry : tree)
        snapshot.bytes += entry.type == SessionEntry::Type::File ? entry.bytes : 0;
    snapshot.files = tree.size();
    snapshot.number = session.snapshots.isEmpty() ? 1 : session.snapshots.last().number + 1;
    if (!snapshot.isBeside) {
        snapshot.parent = session.head;
        session.head = snapshot.number;
    }
    session.snapshots.append(std::move(snapshot));
}

Result<FileLock> SessionUse::Private::lockNotes()
{
    ASSIGN_OR_RETURN(FileLock notes, place.lockNotes());
    ASSIGN_OR_RETURN(session, place.read());
    return notes;
}

Status SessionUse::Private::loadTree()
{
    ASSIGN_OR_RETURN(tree, place.tree(session.now()));
    return {};
}

Result<Session> SessionUse::Private::store(const SessionTree &next, Snapshot snapshot, const SessionTree &before)
{
    const ContentStore contents = place.store();
    const QByteArray bytes = encodedTree(next);
    snapshot.tree = sha256({bytes});
    snapshot.timeMicroseconds = clock.nowMicroseconds();
    Session changed = session;
    changed.useAt(snapshot.timeMicroseconds);
    if (next != before)
        addSnapshot(changed, std::move(snapshot), before, next);
    RETURN_IF_ERROR(contents.put(sha256({bytes}), bytes));
    RETURN_IF_ERROR(contents.sync());
    const bool drops = dropOldest(changed, mostSnapshots);
    changed.storedBytes += storedAnew(next, before);
    RETURN_IF_ERROR(place.write(changed));
    session = changed;
    if (drops || session.storedBytes > session.diskBytes * mostStoredShare)
        makeRoom();
    place.endKeeping();
    return session;
}

// What can't be removed now is found again by the next one who changes the session.
void SessionUse::Private::makeRoom()
{
    session.storedBytes = place.sweep(session);
    while (session.storedBytes > session.diskBytes * mostStoredShare
           && dropOldest(session, std::max<qsizetype>(session.snapshots.size() / 2, 1) - 1)) {
        if (!place.write(session)) // they must not be there without their contents
            return;
        session.storedBytes = place.sweep(session);
    }
    static_cast<void>(place.write(session));
}

void SessionUse::Private::takeBack()
{
    session.storedBytes = place.sweep(session);
    place.endKeeping();
}

SessionUse::SessionUse(std::unique_ptr<Private> data)
    : d(std::move(data))
{
}

SessionUse::~SessionUse()
{
    if (d && d->isCopy)
        d->lock.removeAndRelease();
}

SessionUse::SessionUse(SessionUse &&) noexcept = default;
SessionUse &SessionUse::operator=(SessionUse &&) noexcept = default;

const Session &SessionUse::session() const
{
    return d->session;
}

Result<Stamps> SessionUse::fill(const SessionWorkspace &workspace)
{
    RETURN_IF_ERROR(d->loadTree());
    ASSIGN_OR_RETURN(d->filled, fillWorkspace(d->place.store(), d->tree, workspace, d->owner));
    return d->filled.stamps;
}

Status SessionUse::refresh(const SessionWorkspace &workspace, const SessionTree &from)
{
    RETURN_IF_ERROR(d->loadTree());
    return refreshWorkspace(d->place.store(), from, d->tree, workspace, d->owner);
}

const SessionTree &SessionUse::tree() const
{
    return d->tree;
}

Result<KeptSession> SessionUse::keep(const SessionWorkspace &workspace, const QList<InnerFile> &given,
                                     const QString &run, SecretSearch *search, const std::stop_token &stop)
{
    const int begun = d->session.head;
    ASSIGN_OR_RETURN(const FileLock notes, d->lockNotes());
    const int before = d->session.snapshots.last().number;
    RETURN_IF_ERROR(d->place.beginKeeping());
    auto next = nextTree(d->place.store(), {.workspace = workspace,
                                            .given = given,
                                            .before = d->tree,
                                            .filled = d->filled,
                                            .diskBytes = d->session.diskBytes,
                                            .search = search,
                                            .stop = stop});
    const Snapshot left{.parent = begun, .isBeside = d->isCopy, .cause = SnapshotCause::Run, .run = run};
    const auto stored = next ? d->store(next->tree, left, d->tree) : Result<Session>(std::unexpected(next.error()));
    if (!stored) {
        d->takeBack();
        return std::unexpected(stored.error());
    }
    d->tree = std::move(next->tree);
    KeptSession kept{.left = next->left, .altered = next->altered, .rewritten = next->rewritten};
    if (const Snapshot &now = stored->snapshots.last(); now.number != before) {
        kept.number = now.number;
        kept.isBeside = now.isBeside;
        kept.added = now.added;
        kept.changed = now.changed;
        kept.removed = now.removed;
    }
    return kept;
}

} // namespace glovebox
