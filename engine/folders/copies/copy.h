// SPDX-License-Identifier: Apache-2.0
// The copy of a folder, and what was copied: by it changes are found afterwards.
#pragma once

#include "engine/folders/folders.h"

#include <QDataStream>
#include <QIODevice>

namespace glovebox {

// How an entry was when it was copied, and how its copy was then.
struct Copied
{
    Stamp original;
    Stamp copy;
};
using CopiedTree = QMap<QByteArray, Copied>; // by path

QDataStream &operator<<(QDataStream &out, const Stamp &stamp);
QDataStream &operator>>(QDataStream &in, Stamp &stamp);
QDataStream &operator<<(QDataStream &out, const Copied &copied);
QDataStream &operator>>(QDataStream &in, Copied &copied);

// An order for copyFolder().
struct CopyOrder
{
    QString hostPath; // for sentences
    int from = -1; // folders, readable; not encoded
    int to = -1;
    qint64 mostBytes = 0;
    qint64 mostEntries = 0;
    std::optional<HostIdentity> owner; // given to all of the copy
    bool isMadeByOwner = false; // all is made as the owner, in whose own file system nobody else could
};
QByteArray encoded(const CopyOrder &order);

// Attributes that undoing gives back to a file beside its content and permissions.
struct Attributes
{
    quint32 uid = 0;
    quint32 gid = 0;
    qint64 modifiedNs = 0; // since the epoch
};

// A change, with what tells later that nobody touched what it is about.
struct KeptChange
{
    FolderChange change;
    Stamp original; // as it was copied; of what was added: nothing
    QByteArray digest; // of a file's content, as it was shown to the person
    qint64 number = 0; // its content is kept under this name
    std::optional<Attributes> attributes; // of what is put back; nothing: those that applying gives
};
QDataStream &operator<<(QDataStream &out, const KeptChange &kept);
QDataStream &operator>>(QDataStream &in, KeptChange &kept);

// By path; of one path the removal comes first.
void sortChanges(QList<KeptChange> &changes);

// Changes that were made in a copy.
struct Compared
{
    QList<KeptChange> changes; // by path; a folder that was removed is followed by all that was in it
    bool isWhole = true;
};
Compared decodedComparison(const QByteArray &bytes);

FolderChange::Type typeOf(quint32 mode); // stat(2), st_mode

} // namespace glovebox
