// SPDX-License-Identifier: Apache-2.0
#include "copy.h"

#include "content.h"

#include <QDataStream>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace glovebox {

namespace {

constexpr qsizetype mostSkippedNames = 10;

// Set-id bits have no business in a copy.
mode_t copiedMode(mode_t mode)
{
    return mode & 0777;
}

std::unexpected<Error> tooLarge(const CopyOrder &order)
{
    return fail(
        ErrorCode::InvalidInput,
        Text(QT_TRANSLATE_NOOP("engine",
                               "%1 has more than %2 MB or %3 files, which is what the disk limit leaves for a "
                               "copy. Raise the limit, or name a folder further down."),
             {order.hostPath, QString::number(order.mostBytes / mebibyte), QString::number(order.mostEntries)}));
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
                    Text("%1", {textFromBytes(path)}));
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
                return tooLarge(m_order);
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
        if (makeFolder(to, name) != 0)
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
        const UniqueFd target(makeFile(to, name));
        if (!target)
            return failed(path, errno);
        const qint64 copied = copyContent(source.get(), target.get(), m_order.mostBytes - m_bytes);
        if (copied < 0)
            return failed(path, errno);
        m_bytes += copied;
        if (m_bytes > m_order.mostBytes)
            return tooLarge(m_order);
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
        if (makeLink(target, to, name) != 0 || !giveAway(to, name)
            || ::fstatat(to, name, &now, AT_SYMLINK_NOFOLLOW) != 0)
            return failed(path, errno);
        m_tree[path] = {Stamp::of(info), Stamp::of(now)};
        return {};
    }

    int makeFolder(int to, const char *name) const
    {
        const MakingAs owner(m_order.isMadeByOwner ? m_order.owner : std::nullopt);
        return ::mkdirat(to, name, 0700);
    }
    int makeFile(int to, const char *name) const
    {
        const MakingAs owner(m_order.isMadeByOwner ? m_order.owner : std::nullopt);
        return ::openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    int makeLink(const QByteArray &target, int to, const char *name) const
    {
        const MakingAs owner(m_order.isMadeByOwner ? m_order.owner : std::nullopt);
        return ::symlinkat(target.constData(), to, name);
    }

    // Of the folder, or what it holds by that name. True where nothing is to be given away, too.
    bool giveAway(int folder, const char *name = "") const
    {
        if (m_order.isMadeByOwner || !m_order.owner)
            return true;
        const auto [user, group] = *m_order.owner;
        return (*name ? ::fchownat(folder, name, user, group, AT_SYMLINK_NOFOLLOW) : ::fchown(folder, user, group))
               == 0;
    }

    const CopyOrder &m_order;
    QStringList &m_skipped;
    CopiedTree m_tree;
    dev_t m_device = 0;
    qint64 m_bytes = 0;
};

Result<TreeSize> countTree(const CopyOrder &order)
{
    constexpr qint64 page = 4096; // smaller than this nothing is on a file system in memory
    constexpr qint64 longestShortLink = 128; // kept with its inode (mm/shmem.c)
    TreeSize size;
    qint64 content = 0;
    const auto add = [&](const QByteArray &, int parent, const char *name, const struct stat &info) {
        ++size.entries;
        const bool isFile = S_ISREG(info.st_mode);
        const bool isLongLink = S_ISLNK(info.st_mode) && info.st_size >= longestShortLink;
        qint64 bytes = isFile || isLongLink ? info.st_size : 0;
        if (isFile && info.st_blocks * 512 < bytes) { // with holes; or compressed
            const UniqueFd file(::openat(parent, name, fileFlags));
            const qint64 found = file ? bytesOfContent(file.get()) : -1;
            bytes = found < 0 ? bytes : found;
        }
        content += isFile ? bytes : 0;
        size.bytes += (bytes + page - 1) / page * page;
        return true;
    };
    const WalkEnd end = walkTree(order.from, order.mostEntries, add);
    if (end == WalkEnd::TooMany || content > order.mostBytes)
        return tooLarge(order);
    return size;
}

} // namespace

QDataStream &operator<<(QDataStream &out, const Stamp &stamp)
{
    return out << stamp.inode << stamp.mode << stamp.bytes << stamp.modifiedNs << stamp.changedNs;
}

QDataStream &operator>>(QDataStream &in, Stamp &stamp)
{
    return in >> stamp.inode >> stamp.mode >> stamp.bytes >> stamp.modifiedNs >> stamp.changedNs;
}

QDataStream &operator<<(QDataStream &out, const Copied &copied)
{
    return out << copied.original << copied.copy;
}

QDataStream &operator>>(QDataStream &in, Copied &copied)
{
    return in >> copied.original >> copied.copy;
}

QByteArray encoded(const CopyOrder &order)
{
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    const HostIdentity owner = order.owner.value_or(HostIdentity());
    out << order.hostPath << order.mostBytes << order.mostEntries << order.owner.has_value() << owner.uid << owner.gid
        << order.isMadeByOwner;
    return bytes;
}

namespace {

// With from: from is the original's, and may be a name only.
Result<CopyOrder> decodedOrder(const QByteArray &bytes, int from, UniqueFd &readable)
{
    CopyOrder order;
    HostIdentity owner;
    bool hasOwner = false;
    QDataStream in(bytes);
    in >> order.hostPath >> order.mostBytes >> order.mostEntries >> hasOwner >> owner.uid >> owner.gid
        >> order.isMadeByOwner;
    if (hasOwner)
        order.owner = owner;
    readable.reset(::openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!readable)
        return fail(codeForErrno(errno),
                    Text(QT_TRANSLATE_NOOP("engine", "You may not read the folder %1, so it can't be copied."),
                         {order.hostPath}),
                    errnoDetail(errno, order.hostPath));
    order.from = readable.get();
    return order;
}

} // namespace

Result<QByteArray> copyFolder(const QByteArray &order, int from, int to)
{
    UniqueFd readable;
    auto what = decodedOrder(order, from, readable);
    if (!what)
        return std::unexpected(what.error());
    what->to = to;
    QStringList skipped;
    const auto tree = Copier(*what, skipped).run();
    if (!tree)
        return std::unexpected(tree.error());
    QByteArray copied;
    QDataStream out(&copied, QIODevice::WriteOnly);
    out << *tree << skipped;
    return copied;
}

Result<TreeSize> countFolder(const QByteArray &order, int from)
{
    UniqueFd readable;
    const auto what = decodedOrder(order, from, readable);
    return what ? countTree(*what) : std::unexpected(what.error());
}

} // namespace glovebox
