// SPDX-License-Identifier: Apache-2.0
#include "copy.h"

#include "obeyed.h"

#include <QDataStream>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace glovebox {

namespace {

constexpr qsizetype mostSkippedNames = 10;
constexpr qint64 mostCompared = 1'000'000;

// Set-id bits have no business in a copy.
mode_t copiedMode(mode_t mode)
{
    return mode & 0777;
}

class Copier
{
public:
    Copier(const CopyOrder &order, QStringList &skipped)
        : m_order(order)
        , m_skipped(skipped)
    {
    }

    Result<CopiedTree> run()
    {
        struct stat info = {};
        if (::fstat(m_order.from, &info) != 0)
            return failed({}, errno);
        m_device = info.st_dev;
        if (Status copied = copyFolder(m_order.from, m_order.to, {}, 0); !copied)
            return std::unexpected(copied.error());
        return std::move(m_tree);
    }

private:
    std::unexpected<Error> failed(const QByteArray &path, int error) const
    {
        return fail(codeForErrno(error),
                    Text(QT_TRANSLATE_NOOP("engine", "The folder %1 can't be copied: %2. Nothing was run."),
                         {m_order.hostPath, errnoText(error)}),
                    errnoDetail(error, textFromBytes(path)));
    }

    std::unexpected<Error> tooLarge() const
    {
        return fail(ErrorCode::InvalidInput,
                    Text(QT_TRANSLATE_NOOP(
                             "engine", "%1 has more than %2 MB or %3 files, which is what the disk limit leaves for a "
                                       "copy. Raise the limit, or name a folder further down."),
                         {m_order.hostPath, QString::number(m_order.mostBytes / mebibyte),
                          QString::number(m_order.mostEntries)}));
    }

    void skip(const QByteArray &path)
    {
        if (m_skipped.size() < mostSkippedNames)
            m_skipped.append(textFromBytes(path));
        else if (m_skipped.size() == mostSkippedNames)
            m_skipped.append(QStringLiteral("..."));
    }

    Status copyFolder(int from, int to, const QByteArray &prefix, int depth)
    {
        UniqueFd own(::openat(from, ".", folderFlags));
        const std::unique_ptr<DIR, CloseFolder> folder(own ? ::fdopendir(own.get()) : nullptr);
        if (!folder)
            return failed(prefix, errno);
        own.release();
        while (const dirent *entry =
                   ::readdir(folder.get())) { // NOLINT(concurrency-mt-unsafe): of one thread's own stream
            const char *name = entry->d_name;
            if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0)
                continue;
            if (std::ssize(m_tree) >= m_order.mostEntries)
                return tooLarge();
            if (Status copied = copyEntry(from, to, name, prefix + name, depth); !copied)
                return copied;
        }
        return {};
    }

    Status copyEntry(int from, int to, const char *name, const QByteArray &path, int depth)
    {
        struct stat info = {};
        if (::fstatat(from, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            return errno == ENOENT ? Status() : failed(path, errno);
        if (S_ISDIR(info.st_mode))
            return copySubfolder(from, to, name, path, info, depth);
        if (S_ISREG(info.st_mode))
            return copyFile(from, to, name, path);
        if (S_ISLNK(info.st_mode))
            return copyLink(from, to, name, path, info);
        skip(path);
        return {};
    }

    Status copySubfolder(int from, int to, const char *name, const QByteArray &path, const struct stat &info, int depth)
    {
        const UniqueFd source(::openat(from, name, folderFlags));
        if (info.st_dev != m_device || depth + 1 >= deepestTree || (!source && errno == EACCES)) {
            skip(path);
            return {};
        }
        if (!source)
            return failed(path, errno);
        if (::mkdirat(to, name, 0700) != 0)
            return failed(path, errno);
        const UniqueFd target(::openat(to, name, folderFlags));
        if (!target)
            return failed(path, errno);
        m_tree[path] = {};
        if (Status copied = copyFolder(source.get(), target.get(), path + '/', depth + 1); !copied)
            return copied;
        struct stat now = {};
        if (!giveAway(target.get()) || ::fchmod(target.get(), copiedMode(info.st_mode)) != 0
            || ::fstat(target.get(), &now) != 0)
            return failed(path, errno);
        m_tree[path] = {Stamp::of(info), Stamp::of(now)};
        return {};
    }

    Status copyFile(int from, int to, const char *name, const QByteArray &path)
    {
        const UniqueFd source(::openat(from, name, fileFlags));
        struct stat info = {};
        if (!source && (errno == EACCES || errno == ELOOP)) {
            skip(path);
            return {};
        }
        if (!source || ::fstat(source.get(), &info) != 0)
            return failed(path, errno);
        if (!S_ISREG(info.st_mode)) {
            skip(path);
            return {};
        }
        const UniqueFd target(::openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (!target)
            return failed(path, errno);
        const qint64 copied = copyContent(source.get(), target.get(), m_order.mostBytes - m_bytes);
        if (copied < 0)
            return failed(path, errno);
        m_bytes += copied;
        if (m_bytes > m_order.mostBytes)
            return tooLarge();
        struct stat after = {};
        if (::fstat(source.get(), &after) != 0 || Stamp::of(after) != Stamp::of(info))
            return fail(ErrorCode::Busy, Text(QT_TRANSLATE_NOOP("engine", "%1 in %2 was changed while it was copied. "
                                                                          "Nothing was run; try again."),
                                              {textFromBytes(path), m_order.hostPath}));
        const timespec times[2] = {info.st_atim, info.st_mtim};
        struct stat now = {};
        if (!giveAway(target.get()) || ::fchmod(target.get(), copiedMode(info.st_mode)) != 0
            || ::futimens(target.get(), times) != 0 || ::fstat(target.get(), &now) != 0)
            return failed(path, errno);
        m_tree[path] = {Stamp::of(info), Stamp::of(now)};
        return {};
    }

    Status copyLink(int from, int to, const char *name, const QByteArray &path, const struct stat &info)
    {
        const QByteArray target = linkTarget(from, name);
        struct stat now = {};
        if (target.isEmpty()) {
            skip(path);
            return {};
        }
        if (::symlinkat(target.constData(), to, name) != 0
            || (m_order.owner && ::fchownat(to, name, m_order.owner->uid, m_order.owner->gid, AT_SYMLINK_NOFOLLOW) != 0)
            || ::fstatat(to, name, &now, AT_SYMLINK_NOFOLLOW) != 0)
            return failed(path, errno);
        m_tree[path] = {Stamp::of(info), Stamp::of(now)};
        return {};
    }

    bool giveAway(int fd) const { return !m_order.owner || ::fchown(fd, m_order.owner->uid, m_order.owner->gid) == 0; }

    const CopyOrder &m_order;
    QStringList &m_skipped;
    CopiedTree m_tree;
    dev_t m_device = 0;
    qint64 m_bytes = 0;
};

quint32 permissions(const Stamp &stamp)
{
    return S_ISLNK(stamp.mode) ? 0 : stamp.mode & 0777;
}

} // namespace

FolderChange::Type typeOf(quint32 mode)
{
    return S_ISREG(mode)   ? FolderChange::Type::File
           : S_ISDIR(mode) ? FolderChange::Type::Folder
           : S_ISLNK(mode) ? FolderChange::Type::Link
                           : FolderChange::Type::Other;
}

QDataStream &operator<<(QDataStream &out, const Copied &copied)
{
    for (const Stamp &stamp : {copied.original, copied.copy})
        out << stamp.inode << stamp.mode << stamp.bytes << stamp.modifiedNs << stamp.changedNs;
    return out;
}

QDataStream &operator>>(QDataStream &in, Copied &copied)
{
    for (Stamp *stamp : {&copied.original, &copied.copy})
        in >> stamp->inode >> stamp->mode >> stamp->bytes >> stamp->modifiedNs >> stamp->changedNs;
    return in;
}

Result<CopiedTree> copyTree(const CopyOrder &order, QStringList &skipped)
{
    return Copier(order, skipped).run();
}

qint64 copyContent(int from, int to, qint64 most)
{
    qint64 copied = 0;
    bool byRange = true;
    std::array<char, 65536> part;
    while (copied <= most) {
        const auto wanted = static_cast<std::size_t>(std::min<qint64>(most + 1 - copied, 16 * mebibyte));
        ssize_t n = -1;
        if (byRange) {
            n = ::copy_file_range(from, nullptr, to, nullptr, wanted, 0);
            byRange = n > 0;
        }
        // Where that can't be had, or says that there is nothing (some file systems do, of files that have no size).
        if (n <= 0) {
            n = ::read(from, part.data(), std::min(wanted, part.size()));
            if (n == 0)
                return copied;
            if (n > 0 && !writeWhole(to, {part.data(), static_cast<std::size_t>(n)}))
                return -1;
        }
        if (n < 0 && errno != EINTR)
            return -1;
        copied += std::max<ssize_t>(n, 0);
    }
    return copied;
}

bool haveSameContent(int a, int b)
{
    std::array<char, 65536> first;
    std::array<char, 65536> second;
    for (off_t at = 0;;) {
        const ssize_t n = ::pread(a, first.data(), first.size(), at);
        if (n < 0)
            return false;
        ssize_t got = 0;
        while (got < n) {
            const ssize_t m = ::pread(b, second.data() + got, static_cast<std::size_t>(n - got), at + got);
            if (m <= 0)
                return false;
            got += m;
        }
        if (n == 0)
            return ::pread(b, second.data(), 1, at) == 0;
        if (std::memcmp(first.data(), second.data(), static_cast<std::size_t>(n)) != 0)
            return false;
        at += n;
    }
}

QByteArray linkTarget(int folder, const char *name)
{
    std::array<char, 4096> target;
    const ssize_t length = ::readlinkat(folder, name, target.data(), target.size());
    return length > 0 && length < static_cast<ssize_t>(target.size()) ? QByteArray(target.data(), length)
                                                                      : QByteArray();
}

UniqueFd openBelow(int folder, const QByteArray &path, int flags)
{
    UniqueFd parent(::openat(folder, ".", folderFlags));
    const QByteArrayList parts = path.split('/');
    for (qsizetype i = 0; parent && i + 1 < parts.size(); ++i)
        parent.reset(::openat(parent.get(), parts[i].constData(), folderFlags));
    return parent ? UniqueFd(::openat(parent.get(), parts.last().constData(), flags)) : UniqueFd();
}

Compared compareTrees(const CopiedTree &before, int original, int copy)
{
    Compared compared;
    CopiedTree gone = before;
    GitFolders git;
    const auto note = [&](const FolderChange &change) { compared.changes.append(change); };
    // Written to is not changed: only then both are read.
    const auto isSame = [&](const QByteArray &path, int parent, const char *name, quint32 mode) {
        if (S_ISLNK(mode)) {
            const UniqueFd was = openBelow(original, path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
            return was && linkTarget(was.get(), "") == linkTarget(parent, name);
        }
        const UniqueFd was = openBelow(original, path, fileFlags);
        const UniqueFd now(::openat(parent, name, fileFlags));
        return was && now && haveSameContent(was.get(), now.get());
    };
    const WalkEnd end = walkTree(
        copy, mostCompared, [&](const QByteArray &path, int parent, const char *name, const struct stat &info) {
            git.see(path);
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
    for (FolderChange &change : compared.changes) {
        const bool isLink = change.type == FolderChange::Type::Link && change.kind != FolderChange::Kind::Removed;
        auto why = whySensitive(change.path, isLink ? &change.target : nullptr);
        if (!why)
            why = git.obeyedBy(change.path);
        change.isSensitive = why.has_value();
        change.why = why.value_or(Text());
    }
    // Of one path the removal comes first.
    std::ranges::stable_sort(compared.changes, [](const FolderChange &a, const FolderChange &b) {
        return a.path != b.path ? a.path < b.path : a.kind == FolderChange::Kind::Removed && b.kind != a.kind;
    });
    return compared;
}

} // namespace glovebox
