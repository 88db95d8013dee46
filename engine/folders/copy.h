// SPDX-License-Identifier: Apache-2.0
// The copy of a folder, and what was copied: by it changes are found afterwards.
#pragma once

#include "folders.h"
#include "tree.h"

class QDataStream;

namespace glovebox {

// How an entry was when it was copied, and how its copy was then.
struct Copied
{
    Stamp original;
    Stamp copy;
};
using CopiedTree = QMap<QByteArray, Copied>; // by path

QDataStream &operator<<(QDataStream &out, const Copied &copied);
QDataStream &operator>>(QDataStream &in, Copied &copied);

struct CopyOrder
{
    QString hostPath; // for sentences
    int from = -1; // folders, readable
    int to = -1;
    qint64 mostBytes = 0;
    qint64 mostEntries = 0;
    std::optional<HostIdentity> owner; // given to all of the copy
};

Result<CopiedTree> copyTree(const CopyOrder &order, QStringList &skipped);

// What was done to the copy. original: of the folder that was copied, for telling a file that was only touched; -1: not there.
struct Compared
{
    QList<FolderChange> changes;
    bool isWhole = true;
};
FolderChange::Type typeOf(quint32 mode);
Compared compareTrees(const CopiedTree &before, int original, int copy);

// By a path below a folder, without following a link on the way: each part is opened by itself. flags: of the last one.
UniqueFd openBelow(int folder, const QByteArray &path, int flags);
// Both are readable descriptors of regular files.
bool haveSameContent(int a, int b);
QByteArray linkTarget(int folder, const char *name);
// From one descriptor to the other, from their beginnings; bytes copied, or -1 with errno. Shares the blocks where the file
// system can. Stops past most bytes.
qint64 copyContent(int from, int to, qint64 most);

} // namespace glovebox
