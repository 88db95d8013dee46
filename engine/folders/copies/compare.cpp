// SPDX-License-Identifier: Apache-2.0
// Compares a copy of a folder with what was copied.
#include "content.h"
#include "copy.h"

#include "engine/folders/obeyed/obeyed.h"

#include <QDataStream>

#include <algorithm>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace glovebox {

FolderChange::Type typeOf(quint32 mode)
{
    return S_ISREG(mode)   ? FolderChange::Type::File
           : S_ISDIR(mode) ? FolderChange::Type::Folder
           : S_ISLNK(mode) ? FolderChange::Type::Link
                           : FolderChange::Type::Other;
}

namespace {

constexpr qint64 mostCompared = 1'000'000;

quint32 permissions(const Stamp &stamp)
{
    return S_ISLNK(stamp.mode) ? 0 : stamp.mode & 0777;
}

// The copy goes, and nobody is left in it: a folder that the run closed hides nothing. What can't be opened is unreadable later.
void openToOwner(int parent, const char *name)
{
    [[maybe_unused]] const int ignored = ::fchmodat(parent, name, S_IRWXU, 0);
}

// original: for telling a file that was only touched; -1: not there, so that what was touched is taken for changed.
Compared compareTrees(const CopiedTree &before, int original, int copy)
{
    Compared compared;
    CopiedTree gone = before;
    GitFolders git;
    const auto note = [&](FolderChange change) {
        const Stamp was = before.value(change.path).original;
        compared.changes.append({.change = std::move(change), .original = was});
    };
    // Written to is not changed: only then both are read.
    const auto isSame = [&](const QByteArray &path, int parent, const char *name, quint32 mode) {
        if (S_ISLNK(mode)) {
            const qsizetype slash = path.lastIndexOf('/');
            const UniqueFd within = openBelow(original, slash < 0 ? QByteArray(".") : path.first(slash), folderFlags);
            const QByteArray was = within ? linkTarget(within.get(), path.sliced(slash + 1).constData()) : QByteArray();
            return !was.isEmpty() && was == linkTarget(parent, name);
        }
        const UniqueFd was = openBelow(original, path, fileFlags);
        const UniqueFd now(::openat(parent, name, fileFlags));
        return was && now && haveSameContent(was.get(), now.get());
    };
    static_cast<void>(changeMode(copy, S_IRWXU)); // "." can't be reached in a closed folder
    const WalkEnd end = walkTree(
        copy, mostCompared, [&](const QByteArray &path, int parent, const char *name, const struct stat &info) {
            git.see(path);
            if (S_ISDIR(info.st_mode) && (info.st_mode & S_IRWXU) != S_IRWXU)
                openToOwner(parent, name);
            const Stamp now = Stamp::of(info);
            FolderChange change{
                .type = typeOf(info.st_mode), .path = path, .bytes = now.bytes, .mode = permissions(now)};
            if (S_ISLNK(info.st_mode))
                change.target = linkTarget(parent, name);
            const auto known = before.constFind(path);
            if (known == before.constEnd() || typeOf(known->original.mode) != change.type) {
                change.kind = FolderChange::Kind::Added; // what was there before, if anything, is told as removed
                note(change);
                return true;
            }
            gone.remove(path);
            change.oldMode = permissions(known->original);
            const bool sameMode = permissions(known->copy) == change.mode;
            if (sameMode)
                change.mode = change.oldMode;
            const bool isFolder = change.type == FolderChange::Type::Folder;
            if (!sameMode || (!isFolder && known->copy != now && !isSame(path, parent, name, info.st_mode)))
                note(change);
            return true;
        });
    compared.isWhole = end == WalkEnd::Whole;
    for (auto entry = gone.constBegin(); compared.isWhole && entry != gone.constEnd(); ++entry) {
        note({.kind = FolderChange::Kind::Removed,
              .type = typeOf(entry->original.mode),
              .path = entry.key(),
              .bytes = entry->original.bytes,
              .oldMode = permissions(entry->original)});
    }
    for (KeptChange &kept : compared.changes) {
        FolderChange &change = kept.change;
        const bool isLink = change.type == FolderChange::Type::Link && change.kind != FolderChange::Kind::Removed;
        auto why = whySensitive(change.path, isLink ? &change.target : nullptr);
        if (!why)
            why = git.obeyedBy(change.path);
        change.isSensitive = why.has_value();
        change.why = why.value_or(Text());
    }
    sortChanges(compared.changes);
    return compared;
}

} // namespace

void sortChanges(QList<KeptChange> &changes)
{
    std::ranges::stable_sort(changes, [](const KeptChange &one, const KeptChange &other) {
        const FolderChange &a = one.change;
        const FolderChange &b = other.change;
        return a.path != b.path ? a.path < b.path : a.kind == FolderChange::Kind::Removed && b.kind != a.kind;
    });
}

QDataStream &operator<<(QDataStream &out, const FolderChange &change)
{
    return out << change.kind << change.type << change.path << change.target << change.bytes << change.mode
               << change.oldMode << change.isSensitive << change.why.source << change.why.args << change.isWithheld;
}

QDataStream &operator>>(QDataStream &in, FolderChange &change)
{
    return in >> change.kind >> change.type >> change.path >> change.target >> change.bytes >> change.mode
           >> change.oldMode >> change.isSensitive >> change.why.source >> change.why.args >> change.isWithheld;
}

QDataStream &operator<<(QDataStream &out, const FolderChanges &changes)
{
    return out << changes.hostPath << changes.path << changes.changes << changes.isWhole;
}

QDataStream &operator>>(QDataStream &in, FolderChanges &changes)
{
    return in >> changes.hostPath >> changes.path >> changes.changes >> changes.isWhole;
}

QDataStream &operator<<(QDataStream &out, const KeptChange &kept)
{
    return out << kept.change << kept.original << kept.digest << kept.number;
}

QDataStream &operator>>(QDataStream &in, KeptChange &kept)
{
    return in >> kept.change >> kept.original >> kept.digest >> kept.number;
}

QByteArray compareFolder(const QByteArray &tree, int original, int copy)
{
    CopiedTree before;
    QDataStream in(tree);
    in >> before;
    const UniqueFd folder(original < 0 ? -1 : ::openat(original, ".", folderFlags));
    const Compared compared = compareTrees(before, folder.get(), copy);
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    out << compared.isWhole << compared.changes;
    return bytes;
}

Compared decodedComparison(const QByteArray &bytes)
{
    Compared compared;
    QDataStream in(bytes);
    in >> compared.isWhole >> compared.changes;
    return compared;
}

} // namespace glovebox
