// SPDX-License-Identifier: Apache-2.0
// Entries of folders that are held without being read: a link itself, a file that is closed to this user, a folder to go on from.
//
// By POSIX only what may be read can be held. Where that isn't enough, these refuse, and errno says ENOTSUP.
#pragma once

#include "engine/base/system/descriptor.h"

#include <QByteArray>

#include <optional>

struct timespec; // <time.h>

namespace glovebox {

// What has this name in a folder now, whichever it has later: never read, never waited for, and no link is followed; none with errno.
// By POSIX: a folder, or a regular file.
UniqueFd openPlace(int folder, const char *name);
// A folder for what is in it; none with errno. flags: O_NOFOLLOW, or none.
UniqueFd openFolderPlace(const char *path, int flags = 0);
// By a path below a folder out of which it doesn't lead, with "..", or links, or from the root: EXDEV. By POSIX no link is followed at
// all: ELOOP. None with errno; flags: of open(2).
UniqueFd openBeneath(int folder, const char *path, int flags);
// What is held, once more, to read or write it; none with errno. By POSIX never.
UniqueFd openHeld(int place, int flags);

// What is held gets these, also where it is none of what may be read. False: with errno.
bool changeMode(int place, mode_t mode);
bool changeOwner(int place, uid_t user, gid_t group);
bool changeTimes(int place, const timespec (&times)[2]);

// A path of this process that leads to what a descriptor has open.
QByteArray pathOfDescriptor(int descriptor);
// The other way round, of all such paths; nothing: it names no descriptor. Open or not.
std::optional<int> descriptorOfPath(const QByteArray &path);

} // namespace glovebox
