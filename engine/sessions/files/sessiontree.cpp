// SPDX-License-Identifier: Apache-2.0
#include "sessiontree.h"

#include <QDataStream>
#include <QIODevice>

#include <algorithm>

namespace glovebox {

namespace {

constexpr quint32 treeMagic = 0x47625401; // the last byte is the version

QDataStream &operator<<(QDataStream &out, const SessionEntry &entry)
{
    return out << entry.path << quint8(entry.type) << entry.mode << entry.bytes << entry.modifiedNs << entry.digest
               << entry.target;
}

QDataStream &operator>>(QDataStream &in, SessionEntry &entry)
{
    quint8 type = 0;
    in >> entry.path >> type >> entry.mode >> entry.bytes >> entry.modifiedNs >> entry.digest >> entry.target;
    if (type > quint8(SessionEntry::Type::SameFile))
        in.setStatus(QDataStream::ReadCorruptData);
    entry.type = SessionEntry::Type(type);
    return in;
}

FolderChange::Type shownType(const SessionEntry &entry)
{
    switch (entry.type) {
    case SessionEntry::Type::Folder:
        return FolderChange::Type::Folder;
    case SessionEntry::Type::Link:
        return FolderChange::Type::Link;
    case SessionEntry::Type::File:
    case SessionEntry::Type::SameFile:
        break;
    }
    return FolderChange::Type::File;
}

FolderChange changeOf(FolderChange::Kind kind, const SessionEntry *before, const SessionEntry *now)
{
    const SessionEntry &there = now ? *now : *before;
    return {.kind = kind,
            .type = shownType(there),
            .path = there.path,
            .target = there.type == SessionEntry::Type::Link ? there.target : QByteArray(),
            .bytes = now ? now->bytes : 0,
            .mode = now ? now->mode : 0,
            .oldMode = before ? before->mode : 0};
}

bool isSame(const SessionEntry &a, const SessionEntry &b)
{
    return shownType(a) == shownType(b) && a.mode == b.mode && a.digest == b.digest
           && (a.type != SessionEntry::Type::Link || a.target == b.target);
}

} // namespace

QByteArray encodedTree(const SessionTree &tree)
{
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    out.setVersion(QDataStream::Qt_6_4);
    out << treeMagic << qint64(tree.size());
    for (const SessionEntry &entry : tree)
        out << entry;
    return bytes;
}

std::optional<SessionTree> decodedTree(const QByteArray &bytes)
{
    QDataStream in(bytes);
    in.setVersion(QDataStream::Qt_6_4);
    quint32 magic = 0;
    qint64 count = 0;
    in >> magic >> count;
    if (magic != treeMagic || count < 0 || count > bytes.size())
        return std::nullopt;
    SessionTree tree;
    tree.reserve(count);
    for (qint64 i = 0; i < count && in.status() == QDataStream::Ok; ++i) {
        SessionEntry entry;
        in >> entry;
        tree.append(std::move(entry));
    }
    return in.status() == QDataStream::Ok && in.atEnd() ? std::optional(tree) : std::nullopt;
}

QList<FolderChange> differenceOf(const SessionTree &from, const SessionTree &to)
{
    QList<FolderChange> changes;
    auto before = from.cbegin();
    auto now = to.cbegin();
    while (before != from.cend() || now != to.cend()) {
        if (now == to.cend() || (before != from.cend() && before->path < now->path)) {
            changes.append(changeOf(FolderChange::Kind::Removed, &*before, nullptr));
            ++before;
        } else if (before == from.cend() || now->path < before->path) {
            changes.append(changeOf(FolderChange::Kind::Added, nullptr, &*now));
            ++now;
        } else {
            if (!isSame(*before, *now))
                changes.append(changeOf(FolderChange::Kind::Changed, &*before, &*now));
            ++before;
            ++now;
        }
    }
    return changes;
}

qint64 bytesInMemory(qint64 bytes)
{
    constexpr qint64 page = 4096;
    return (bytes + page - 1) / page * page;
}

qint64 roomForCode(qint64 diskBytes)
{
    return std::min(5 * mebibyte, diskBytes / 8);
}

} // namespace glovebox
