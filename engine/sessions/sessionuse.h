// SPDX-License-Identifier: Apache-2.0
// A session that nobody else changes meanwhile, or a copy of one.
#pragma once

#include "files/filling.h"
#include "files/sessiontree.h"
#include "sessionplace.h"
#include "sessions.h"

namespace glovebox {

constexpr qsizetype mostSnapshots = 100; // without a label

// How many bytes of contents a tree has that another has not.
qint64 storedAnew(const SessionTree &next, const SessionTree &before);
// The next of the session's snapshots, with its number and counts.
void addSnapshot(Session &session, Snapshot snapshot, const SessionTree &before, const SessionTree &tree);

struct SessionUse::Private
{
    SessionPlace place;
    FileLock lock; // of the session, or of a copy
    const Clock &clock;
    std::optional<HostIdentity> owner;
    Session session;
    bool isCopy = false;
    SessionTree tree;
    FilledFiles filled;

    // The session is as its notes say then.
    Result<FileLock> lockNotes();
    Status loadTree();
    // The next state of the session, or, after an error, the last one still. Contents are in the store already.
    Result<Session> store(const SessionTree &next, Snapshot snapshot, const SessionTree &before);
    void takeBack();

private:
    void makeRoom();
};

} // namespace glovebox
