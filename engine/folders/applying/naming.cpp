// SPDX-License-Identifier: Apache-2.0
#include "naming.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace glovebox {

Text changedMeanwhile(const QByteArray &path)
{
    return Text(QT_TRANSLATE_NOOP("engine", "%1 was changed in the original meanwhile, so it was left as it is."),
                {textFromBytes(path)});
}

Text failed(const QByteArray &path, int error)
{
    return Text(QT_TRANSLATE_NOOP("engine", "%1 could not be written: %2."), {textFromBytes(path), errnoText(error)});
}

Text notRemoved(const QByteArray &path, int error)
{
    return Text(QT_TRANSLATE_NOOP("engine", "%1 could not be removed: %2."), {textFromBytes(path), errnoText(error)});
}

// "." of the original itself.
QByteArray parentPathOf(const QByteArray &path)
{
    const qsizetype slash = path.lastIndexOf('/');
    return slash < 0 ? QByteArray(".") : path.first(slash);
}

QByteArray nameOf(const QByteArray &path)
{
    return path.sliced(path.lastIndexOf('/') + 1);
}

// Still what was copied?
bool isUntouched(int parent, const KeptChange &kept)
{
    struct stat info = {};
    return kept.original.inode != 0
           && ::fstatat(parent, nameOf(kept.change.path).constData(), &info, AT_SYMLINK_NOFOLLOW) == 0
           && Stamp::of(info) == kept.original;
}

// Replaces nothing that appeared meanwhile. Where the file system has no way for that, an empty file of our own takes the name, and is
// replaced at once. A folder then replaces an empty folder, if anything.
Text giveName(int parent, const QByteArray &made, const QByteArray &name, const FolderChange &change)
{
    int error = renameToNew(parent, made.constData(), name.constData());
    const bool isFolder = change.type == FolderChange::Type::Folder;
    if (isFolder && error == EOPNOTSUPP)
        error = ::renameat(parent, made.constData(), parent, name.constData()) == 0 ? 0 : errno;
    if (error == 0)
        return {};
    if (!isFolder && (error == EPERM || error == EOPNOTSUPP || error == ENOSYS)) {
        const int exclusively = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        const UniqueFd ours(::openat(parent, name.constData(), exclusively, 0600));
        if (ours && ::renameat(parent, made.constData(), parent, name.constData()) == 0)
            return {};
        error = errno;
        if (ours)
            ::unlinkat(parent, name.constData(), 0);
    }
    ::unlinkat(parent, made.constData(), isFolder ? AT_REMOVEDIR : 0);
    return error == EEXIST || error == ENOTEMPTY || error == ENOTDIR ? changedMeanwhile(change.path)
                                                                     : failed(change.path, error);
}

// After a last look.
Text replaceName(int parent, const QByteArray &made, const QByteArray &name, const KeptChange &kept)
{
    const bool isOurs = isUntouched(parent, kept);
    if (isOurs && ::renameat(parent, made.constData(), parent, name.constData()) == 0)
        return {};
    const int error = errno;
    ::unlinkat(parent, made.constData(), 0);
    return isOurs ? failed(kept.change.path, error) : changedMeanwhile(kept.change.path);
}

// The name of what was made beside its place becomes the one that it has there.
Text takeName(int parent, const QByteArray &made, const KeptChange &kept)
{
    const QByteArray name = nameOf(kept.change.path);
    return kept.change.kind == FolderChange::Kind::Added ? giveName(parent, made, name, kept.change)
                                                         : replaceName(parent, made, name, kept);
}

SharedFiles::SharedFiles(int original, const QList<KeptChange> &changes)
    : m_original(original)
{
    for (qsizetype i = 0; i < changes.size(); ++i) {
        if (changes[i].change.kind != FolderChange::Kind::Added && S_ISREG(changes[i].original.mode))
            m_names[changes[i].original.inode].append(i);
    }
    m_names.removeIf([](const auto &file) { return file.value().size() < 2; });
}

void SharedFiles::leave(QList<KeptChange> &changes, qsizetype name)
{
    const Stamp before = changes[name].original;
    const auto names = m_names.find(before.inode);
    if (names == m_names.end())
        return;
    names->removeOne(name);
    names->removeIf([&](qsizetype i) { return changes[i].original != before; });
    for (const qsizetype each : std::as_const(*names)) {
        Stamp now = stampOf(changes[each].change.path);
        const qint64 changedNs = std::exchange(now.changedNs, before.changedNs);
        if (now != before)
            continue; // that one was replaced by somebody else
        for (const qsizetype i : std::as_const(*names))
            changes[i].original.changedNs = changedNs;
        return;
    }
}

Stamp SharedFiles::stampOf(const QByteArray &path) const
{
    const UniqueFd parent = openBelow(m_original, parentPathOf(path), folderFlags);
    struct stat info = {};
    const bool is = parent && ::fstatat(parent.get(), nameOf(path).constData(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    return is ? Stamp::of(info) : Stamp();
}

} // namespace glovebox
