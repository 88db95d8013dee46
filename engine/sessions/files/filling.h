// SPDX-License-Identifier: Apache-2.0
// Makes a session's files in a run's workspace, and tells later which of them nobody touched.
#pragma once

#include "engine/sessions/sessions.h"

struct stat; // <sys/stat.h>

namespace glovebox {

// What a workspace was filled with.
struct FilledFiles
{
    Stamps stamps;
    // When each was accessed last: reading it or mapping it moves this (relatime), and writing through a map moves nothing else where
    // the first access was a reading one, as shmem has no page_mkwrite (mm/shmem.c).
    QHash<QByteArray, qint64> accessedNs;
};

qint64 accessedNs(const struct stat &info); // since 1970

// owner: whom files are made as; nobody: this user. The errors of SessionUse::fill().
Result<FilledFiles> fillWorkspace(const ContentStore &store, const SessionTree &tree, const SessionWorkspace &workspace,
                                  const std::optional<HostIdentity> &owner);

// Makes of the files of one tree those of another; nothing else in the workspace is touched.
Status refreshWorkspace(const ContentStore &store, const SessionTree &from, const SessionTree &to,
                        const SessionWorkspace &workspace, const std::optional<HostIdentity> &owner);

} // namespace glovebox
