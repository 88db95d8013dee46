// SPDX-License-Identifier: Apache-2.0
// Each entry is looked at again just before: if it is no more what was copied, the person or another program changed it, and
// theirs stays. New content comes by rename, so that nobody ever sees half a file.
#include "apply.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <ranges>

namespace glovebox {

namespace {

class Applier
{
public:
    Applier(int original, int copy, CopiedTree &tree, const QByteArray &temporary)
        : m_original(original)
        , m_copy(copy)
        , m_tree(tree)
        , m_temporary(temporary)
    {
    }

    ApplyReport run(const QList<FolderChange> &changes)
    {
        // What is removed first, the deepest before the folder that it is in; then what is new, folders before what is in them.
        for (const FolderChange &change : changes | std::views::reverse) {
            if (change.kind == FolderChange::Kind::Removed)
                report(remove(change));
        }
        for (const FolderChange &change : changes) {
            if (change.kind != FolderChange::Kind::Removed)
                report(put(change));
        }
        return m_report;
    }

private:
    void report(const Text &refusal)
    {
        if (refusal.isEmpty())
            ++m_report.applied;
        else
            m_report.refused.append(refusal);
    }

    static Text changedMeanwhile(const QByteArray &path)
    {
        return Text(QT_TRANSLATE_NOOP("engine", "%1 was changed in the original meanwhile, so it was left as it is."),
                    {textFromBytes(path)});
    }

    static Text failed(const QByteArray &path, int error)
    {
        return Text(QT_TRANSLATE_NOOP("engine", "%1 could not be written: %2."),
                    {textFromBytes(path), errnoText(error)});
    }

    // The folder that an entry of the original is in.
    UniqueFd parentOf(int root, const QByteArray &path) const
    {
        const qsizetype slash = path.lastIndexOf('/');
        return slash < 0 ? UniqueFd(::openat(root, ".", folderFlags)) : openBelow(root, path.first(slash), folderFlags);
    }

    static QByteArray nameOf(const QByteArray &path) { return path.sliced(path.lastIndexOf('/') + 1); }

    // Still what was copied?
    bool isUntouched(int parent, const QByteArray &path) const
    {
        struct stat info = {};
        const auto known = m_tree.constFind(path);
        return known != m_tree.constEnd()
               && ::fstatat(parent, nameOf(path).constData(), &info, AT_SYMLINK_NOFOLLOW) == 0
               && Stamp::of(info) == known->original;
    }

    Text remove(const FolderChange &change)
    {
        const UniqueFd parent = parentOf(m_original, change.path);
        const QByteArray name = nameOf(change.path);
        struct stat info = {};
        if (!parent || ::fstatat(parent.get(), name.constData(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
            m_tree.remove(change.path);
            return {}; // gone already
        }
        if (!isUntouched(parent.get(), change.path))
            return changedMeanwhile(change.path);
        if (::unlinkat(parent.get(), name.constData(), S_ISDIR(info.st_mode) ? AT_REMOVEDIR : 0) != 0)
            return errno == ENOTEMPTY ? changedMeanwhile(change.path) : failed(change.path, errno);
        m_tree.remove(change.path);
        return {};
    }

    Text put(const FolderChange &change)
    {
        const UniqueFd parent = parentOf(m_original, change.path);
        const UniqueFd from = parentOf(m_copy, change.path);
        if (!parent || !from)
            return changedMeanwhile(change.path);
        const bool isNew = change.kind == FolderChange::Kind::Added;
        Text refusal;
        if (change.type == FolderChange::Type::Other)
            return Text(QT_TRANSLATE_NOOP("engine", "%1 is no file, folder or link, and is never taken over."),
                        {textFromBytes(change.path)});
        if (!isNew && !isUntouched(parent.get(), change.path) && !isThereAlready(parent.get(), from.get(), change))
            return changedMeanwhile(change.path);
        ::unlinkat(parent.get(), m_temporary.constData(), 0); // of an earlier try that was killed
        if (change.type == FolderChange::Type::Folder)
            refusal = putFolder(parent.get(), change);
        else if (change.type == FolderChange::Type::Link)
            refusal = putLink(parent.get(), from.get(), change);
        else
            refusal = putFile(parent.get(), from.get(), change);
        // The same may have been done to the original, or this is what an earlier try had come to.
        if (!refusal.isEmpty() && !isThereAlready(parent.get(), from.get(), change))
            return refusal;
        struct stat there = {};
        struct stat here = {};
        const QByteArray name = nameOf(change.path);
        if (::fstatat(parent.get(), name.constData(), &there, AT_SYMLINK_NOFOLLOW) == 0
            && ::fstatat(from.get(), name.constData(), &here, AT_SYMLINK_NOFOLLOW) == 0)
            m_tree[change.path] = {Stamp::of(there), Stamp::of(here)};
        return {};
    }

    bool isThereAlready(int parent, int from, const FolderChange &change) const
    {
        const QByteArray name = nameOf(change.path);
        struct stat there = {};
        if (::fstatat(parent, name.constData(), &there, AT_SYMLINK_NOFOLLOW) != 0)
            return false;
        if (change.type == FolderChange::Type::Link)
            return S_ISLNK(there.st_mode) && linkTarget(parent, name.constData()) == linkTarget(from, name.constData());
        if ((there.st_mode & 07777) != change.mode)
            return false;
        if (change.type == FolderChange::Type::Folder)
            return S_ISDIR(there.st_mode);
        const UniqueFd a(::openat(parent, name.constData(), fileFlags));
        const UniqueFd b(::openat(from, name.constData(), fileFlags));
        return S_ISREG(there.st_mode) && a && b && haveSameContent(a.get(), b.get());
    }

    Text putFolder(int parent, const FolderChange &change)
    {
        const QByteArray name = nameOf(change.path);
        if (change.kind == FolderChange::Kind::Added && ::mkdirat(parent, name.constData(), 0700) != 0)
            return errno == EEXIST ? changedMeanwhile(change.path) : failed(change.path, errno);
        const UniqueFd folder(::openat(parent, name.constData(), folderFlags));
        if (!folder || !takeOwner(folder.get(), parent, change) || !takeMode(folder.get(), change))
            return failed(change.path, errno);
        return {};
    }

    // A new link needs no other name before: making it never replaces what is there.
    Text putLink(int parent, int from, const FolderChange &change)
    {
        const QByteArray name = nameOf(change.path);
        const QByteArray target = linkTarget(from, name.constData());
        const bool isNew = change.kind == FolderChange::Kind::Added;
        const QByteArray made = isNew ? name : m_temporary;
        if (target.isEmpty() || ::symlinkat(target.constData(), parent, made.constData()) != 0)
            return errno == EEXIST ? changedMeanwhile(change.path) : failed(change.path, errno);
        return isNew ? Text() : replace(parent, made, name, change);
    }

    Text putFile(int parent, int from, const FolderChange &change)
    {
        const QByteArray name = nameOf(change.path);
        const UniqueFd source(::openat(from, name.constData(), fileFlags));
        struct stat info = {};
        if (!source || ::fstat(source.get(), &info) != 0 || !S_ISREG(info.st_mode))
            return failed(change.path, source ? EINVAL : errno);
        const QByteArray &made = m_temporary;
        const UniqueFd target(
            ::openat(parent, made.constData(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (!target)
            return failed(change.path, errno);
        if (copyContent(source.get(), target.get(), std::numeric_limits<qint64>::max() - 1) < 0
            || !takeOwner(target.get(), parent, change) || !takeMode(target.get(), change)
            || ::fsync(target.get()) != 0) {
            const int error = errno;
            ::unlinkat(parent, made.constData(), 0);
            return failed(change.path, error);
        }
        return change.kind == FolderChange::Kind::Added ? giveName(parent, made, name, change)
                                                        : replace(parent, made, name, change);
    }

    // Replaces nothing that appeared meanwhile. Not every file system can rename so (some of FUSE), or has hard links (vfat, exfat,
    // some of FUSE). Where it has neither, an empty file of our own takes the name, and is replaced at once.
    Text giveName(int parent, const QByteArray &made, const QByteArray &name, const FolderChange &change)
    {
        int error = ::renameat2(parent, made.constData(), parent, name.constData(), RENAME_NOREPLACE) == 0 ? 0 : errno;
        if (error == 0)
            return {};
        if (error == EINVAL || error == ENOSYS)
            error = ::linkat(parent, made.constData(), parent, name.constData(), 0) == 0 ? 0 : errno;
        if (error == EPERM || error == EOPNOTSUPP || error == ENOSYS) {
            const int exclusively = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
            const UniqueFd ours(::openat(parent, name.constData(), exclusively, 0600));
            if (ours && ::renameat(parent, made.constData(), parent, name.constData()) == 0)
                return {};
            error = errno;
            if (ours)
                ::unlinkat(parent, name.constData(), 0);
        }
        ::unlinkat(parent, made.constData(), 0);
        if (error == 0)
            return {};
        return error == EEXIST ? changedMeanwhile(change.path) : failed(change.path, error);
    }

    // After a last look.
    Text replace(int parent, const QByteArray &made, const QByteArray &name, const FolderChange &change)
    {
        const bool isOurs = isUntouched(parent, change.path);
        if (isOurs && ::renameat(parent, made.constData(), parent, name.constData()) == 0)
            return {};
        const int error = errno;
        ::unlinkat(parent, made.constData(), 0);
        return isOurs ? failed(change.path, error) : changedMeanwhile(change.path);
    }

    // A file system without permissions (vfat) refuses those it can't hold, and gives all its files the same.
    static bool takeMode(int fd, const FolderChange &change)
    {
        const bool isNothingElse =
            change.type == FolderChange::Type::Folder && change.kind == FolderChange::Kind::Changed;
        return ::fchmod(fd, change.mode) == 0 || (errno == EPERM && !isNothingElse);
    }

    // Root writes for others: what it changes keeps its owner, what is new gets that of its folder.
    bool takeOwner(int fd, int parent, const FolderChange &change) const
    {
        struct stat info = {};
        const bool isKnown = change.kind == FolderChange::Kind::Changed
                             && ::fstatat(parent, nameOf(change.path).constData(), &info, AT_SYMLINK_NOFOLLOW) == 0;
        if (::geteuid() != 0 || (!isKnown && ::fstat(parent, &info) != 0))
            return ::geteuid() != 0;
        return ::fchown(fd, info.st_uid, info.st_gid) == 0;
    }

    const int m_original;
    const int m_copy;
    CopiedTree &m_tree;
    const QByteArray m_temporary;
    ApplyReport m_report;
};

} // namespace

ApplyReport applyChanges(const QList<FolderChange> &changes, int original, int copy, CopiedTree &tree,
                         const QByteArray &temporary)
{
    return Applier(original, copy, tree, temporary).run(changes);
}

} // namespace glovebox
