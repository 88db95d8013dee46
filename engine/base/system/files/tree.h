// SPDX-License-Identifier: Apache-2.0
// Walks folders in which anybody may have put anything: links are never followed, numbers and depth are bounded.
#pragma once

#include "engine/base/system/descriptor.h"

#include "engine/base/result.h"

#include <QByteArray>
#include <QHash>

#include <functional>

struct stat; // <sys/stat.h>
struct timespec;

namespace glovebox {

constexpr int deepestTree = 100; // folders below each other; one descriptor each while walking
extern const int folderFlags; // for open(2) of a folder that is no link
extern const int fileFlags; // for open(2) of what may be a FIFO or a terminal, without waiting

// Of opendir(3).
struct CloseFolder
{
    template<typename Folder> void operator()(Folder *folder) const { closedir(folder); }
};

// A time of a file in ns since 1970. A run can set a file to any year: one that isn't between 1677 and 2262 becomes the first or the last
// that fits.
qint64 fileTimeNs(const timespec &time);

// What tells whether a file was touched. A run can set the time of modification back, but not that of change.
struct Stamp
{
    quint64 inode = 0;
    quint32 mode = 0; // type and permissions
    qint64 bytes = 0; // of a folder 0
    qint64 modifiedNs = 0; // of a folder 0: it tells only that an entry came or went
    qint64 changedNs = 0; // the same

    static Stamp of(const struct stat &info);
    bool operator==(const Stamp &) const = default;
};

using Stamps = QHash<QByteArray, Stamp>; // of files, by their paths below a folder

enum class WalkEnd {
    Whole,
    TooMany, // entries: the rest was not visited
    TooDeep, // what lies deeper was not visited
    Unreadable, // a folder, or what is in it, could not be read
};

enum class Mounts {
    Skipped, // what lies on another file system is visited, and not gone into
    Entered,
};

// path: relative to the folder. True: go into it, if it is a folder.
using Visit = std::function<bool(const QByteArray &path, int parent, const char *name, const struct stat &info)>;

// Parents come before what is in them; otherwise in no order. unseen: counts folders and entries that could not be looked at.
WalkEnd walkTree(int folder, qint64 mostEntries, const Visit &visit, Mounts mounts = Mounts::Skipped,
                 qint64 *unseen = nullptr);

// By a path below a folder, without following a link on the way: each part is opened by itself. flags: of the last one.
UniqueFd openBelow(int folder, const QByteArray &path, int flags);
// Where a link leads; empty: it can't be read, or is too long.
QByteArray linkTarget(int folder, const char *name);

// Removes a folder with everything in it, however deep and whatever its permissions.
Status removeTree(const QString &path);
// The same, in turn, on one thread that nobody waits for; at once where none starts. A program's end leaves the rest. Any thread.
void removeTreeMeanwhile(const QString &path);
// Whether this program is at it, or will be.
bool isBeingRemoved(const QString &path);

} // namespace glovebox
