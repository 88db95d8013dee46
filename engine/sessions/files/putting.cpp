// SPDX-License-Identifier: Apache-2.0
#include "putting.h"

#include "sessiontree.h"

#include <QDateTime>
#include <QFile>
#include <QMap>

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

namespace glovebox {

namespace {

constexpr qsizetype longestPutPath = 4095; // PATH_MAX without its NUL

// A way inside of /work that every machine understands the same.
Status checkInnerPath(const QByteArray &path)
{
    const QByteArrayList parts = path.split('/');
    const bool isPlain = std::ranges::none_of(parts, [](const QByteArray &part) {
        return part.isEmpty() || part == "." || part == ".." || part.size() > 255;
    });
    if (isPlain && path.size() <= longestPutPath && parts.size() < deepestTree && !path.contains('\0'))
        return {};
    return fail(
        ErrorCode::InvalidInput,
        Text(QT_TRANSLATE_NOOP("engine", "\"%1\" is not a path inside of a session. Give one relative to /work, "
                                         "without \"..\"."),
             {textFromBytes(path.first(std::min<qsizetype>(path.size(), 200)))}));
}

class Putter
{
public:
    Putter(const ContentStore &store, const SessionTree &tree, qint64 diskBytes)
        : m_store(store)
        , m_diskBytes(diskBytes)
    {
        for (const SessionEntry &entry : tree) {
            m_entries.insert(entry.path, entry);
            m_bytes += entry.type == SessionEntry::Type::File ? bytesInMemory(entry.bytes) : 0;
        }
    }

    Result<SessionTree> put(const QString &hostPath, const QByteArray &path, CopiedUntilNow &copied,
                            const CopyProgress &progress)
    {
        m_hostPath = hostPath;
        m_count = [&](qint64 files, qint64 bytes) {
            copied.files += files;
            copied.bytes += bytes;
            if (progress)
                progress(copied);
        };
        RETURN_IF_ERROR(checkInnerPath(path));
        RETURN_IF_ERROR(addParents(path));
        const UniqueFd top(
            ::open(QFile::encodeName(hostPath).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
        struct stat info = {};
        if (!top || ::fstat(top.get(), &info) != 0)
            return unreadable({}, errno);
        if (!S_ISDIR(info.st_mode)) {
            RETURN_IF_ERROR(addFile(path, top, {}));
            return m_entries.values();
        }
        RETURN_IF_ERROR(addFolder(path, info));
        Status added;
        const WalkEnd end =
            walkTree(top.get(), Limits{.diskBytes = m_diskBytes}.diskFiles(),
                     [&](const QByteArray &below, int parent, const char *name, const struct stat &each) {
                         if (added)
                             added = add(path + '/' + below, parent, name, each, below);
                         return added.has_value();
                     });
        RETURN_IF_ERROR(added);
        if (end == WalkEnd::Unreadable)
            return fail(
                ErrorCode::PermissionDenied,
                Text(QT_TRANSLATE_NOOP("engine", "A folder in %1 can't be read. Nothing was copied. Correct its "
                                                 "permissions, or name what you can read."),
                     {hostPath}));
        if (end != WalkEnd::Whole)
            return fail(ErrorCode::InvalidInput,
                        Text(QT_TRANSLATE_NOOP("engine", "%1 has too many files, or too many folders in each other. "
                                                         "Nothing was copied."),
                             {hostPath}));
        return m_entries.values();
    }

    Result<SessionTree> write(QByteArrayView content, const QByteArray &path)
    {
        m_hostPath = textFromBytes(path);
        RETURN_IF_ERROR(checkInnerPath(path));
        RETURN_IF_ERROR(addParents(path));
        RETURN_IF_ERROR(clear(path));
        SessionEntry entry{.path = path,
                           .mode = 0644,
                           .bytes = content.size(),
                           .modifiedNs = QDateTime::currentMSecsSinceEpoch() * 1'000'000,
                           .digest = sha256({content})};
        if (bytesInMemory(entry.bytes) > room())
            return tooLarge();
        RETURN_IF_ERROR(m_store.put(entry.digest, content));
        RETURN_IF_ERROR(insert(entry));
        return m_entries.values();
    }

private:
    std::unexpected<Error> unreadable(const QByteArray &below, int error) const
    {
        const QString path = below.isEmpty() ? m_hostPath : m_hostPath + u'/' + textFromBytes(below);
        return fail(codeForErrno(error), Text(QT_TRANSLATE_NOOP("engine", "%1 can't be read: %2. Nothing was copied."),
                                              {path, errnoText(error)}));
    }

    std::unexpected<Error> isSomethingElse(const QByteArray &path) const
    {
        return fail(
            ErrorCode::InvalidInput,
            Text(QT_TRANSLATE_NOOP("engine", "The session has \"%1\" as another kind of file. Remove that first, or "
                                             "give another path."),
                 {textFromBytes(path)}));
    }

    Status addParents(const QByteArray &path)
    {
        for (qsizetype slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1))
            RETURN_IF_ERROR(addFolder(path.first(slash), {}));
        return {};
    }

    Status addFolder(const QByteArray &path, const struct stat &info)
    {
        const auto there = m_entries.constFind(path);
        if (there != m_entries.cend())
            return there->type == SessionEntry::Type::Folder ? Status() : isSomethingElse(path);
        const quint32 mode = info.st_mode == 0 ? 0755 : (info.st_mode & 0777) | 0700;
        return insert({.path = path, .type = SessionEntry::Type::Folder, .mode = mode});
    }

    Status add(const QByteArray &path, int parent, const char *name, const struct stat &info, const QByteArray &below)
    {
        RETURN_IF_ERROR(checkInnerPath(path));
        if (S_ISDIR(info.st_mode))
            return addFolder(path, info);
        if (S_ISLNK(info.st_mode)) {
            if (const auto there = m_entries.constFind(path);
                there != m_entries.cend() && there->type != SessionEntry::Type::Link)
                return isSomethingElse(path);
            const QByteArray target = linkTarget(parent, name);
            return target.isEmpty()
                       ? unreadable(below, EIO)
                       : insert({.path = path, .type = SessionEntry::Type::Link, .mode = 0777, .target = target});
        }
        return addFile(path, UniqueFd(::openat(parent, name, fileFlags)), below);
    }

    Status addFile(const QByteArray &path, const UniqueFd &file, const QByteArray &below)
    {
        struct stat info = {};
        if (!file || ::fstat(file.get(), &info) != 0)
            return unreadable(below, errno);
        if (!S_ISREG(info.st_mode))
            return fail(ErrorCode::InvalidInput,
                        Text(QT_TRANSLATE_NOOP("engine", "%1 is a socket, pipe or device. Nothing was copied."),
                             {below.isEmpty() ? m_hostPath : m_hostPath + QLatin1Char('/') + textFromBytes(below)}));
        RETURN_IF_ERROR(clear(path));
        SessionEntry entry{.path = path, .mode = info.st_mode & 0777, .modifiedNs = Stamp::of(info).modifiedNs};
        if (bytesInMemory(info.st_size) > room())
            return tooLarge();
        ASSIGN_OR_RETURN(auto body, IncomingBody::begin(m_store, info.st_size));
        std::array<char, 65536> piece;
        for (ssize_t count = 0; (count = ::read(file.get(), piece.data(), piece.size())) != 0;) {
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                return unreadable(below, errno);
            entry.bytes += count;
            if (bytesInMemory(entry.bytes) > room()) // also one that says it is empty
                return tooLarge();
            RETURN_IF_ERROR(body.add({piece.data(), count}));
            m_count(0, count);
        }
        ASSIGN_OR_RETURN(entry.digest, body.keep());
        m_count(1, 0);
        return insert(entry);
    }

    // For a file.
    Status clear(const QByteArray &path)
    {
        const auto there = m_entries.constFind(path);
        if (there == m_entries.cend())
            return {};
        if (there->type != SessionEntry::Type::File && there->type != SessionEntry::Type::SameFile)
            return isSomethingElse(path);
        forget(path);
        return {};
    }

    // Another name of the same file becomes the file itself.
    void forget(const QByteArray &path)
    {
        const SessionEntry gone = m_entries.take(path);
        m_bytes -= gone.type == SessionEntry::Type::File ? bytesInMemory(gone.bytes) : 0;
        for (SessionEntry &other : m_entries) {
            if (other.type == SessionEntry::Type::SameFile && other.target == path) {
                other.type = SessionEntry::Type::File;
                other.target.clear();
                m_bytes += bytesInMemory(other.bytes);
            }
        }
    }

    qint64 room() const { return m_diskBytes - roomForCode(m_diskBytes) - m_bytes; }

    std::unexpected<Error> tooLarge() const
    {
        return fail(
            ErrorCode::Full,
            Text(QT_TRANSLATE_NOOP("engine", "The session's disk of %1 MB has no room for %2. Nothing was copied."),
                 {QString::number(m_diskBytes / mebibyte), m_hostPath}));
    }

    Status insert(const SessionEntry &entry)
    {
        constexpr qint64 ownFiles = 64;
        if (m_entries.size() >= Limits{.diskBytes = m_diskBytes}.diskFiles() - ownFiles)
            return tooLarge();
        m_bytes += entry.type == SessionEntry::Type::File ? bytesInMemory(entry.bytes) : 0;
        m_entries.insert(entry.path, entry);
        return {};
    }

    const ContentStore &m_store;
    const qint64 m_diskBytes;
    QString m_hostPath;
    QMap<QByteArray, SessionEntry> m_entries; // by path
    qint64 m_bytes = 0; // in memory
    std::function<void(qint64 files, qint64 bytes)> m_count; // what was copied just now
};

} // namespace

Result<SessionTree> treeWith(const ContentStore &store, const SessionTree &tree, const QString &hostPath,
                             const QByteArray &path, qint64 diskBytes, CopiedUntilNow &copied,
                             const CopyProgress &progress)
{
    return Putter(store, tree, diskBytes).put(hostPath, path, copied, progress);
}

Result<SessionTree> treeWithContent(const ContentStore &store, const SessionTree &tree, QByteArrayView content,
                                    const QByteArray &path, qint64 diskBytes)
{
    return Putter(store, tree, diskBytes).write(content, path);
}

Result<SessionTree> treeWithout(const SessionTree &tree, const QByteArray &path)
{
    QMap<QByteArray, SessionEntry> left;
    QMap<QByteArray, QByteArray> first; // of files whose first name goes: the name that is the file from now on
    for (const SessionEntry &entry : tree) {
        if (entry.path == path || entry.path.startsWith(path + '/'))
            continue;
        left.insert(entry.path, entry);
    }
    if (left.size() == tree.size())
        return fail(ErrorCode::NotFound,
                    Text(QT_TRANSLATE_NOOP("engine", "The session has no file \"%1\"."), {textFromBytes(path)}));
    for (SessionEntry &entry : left) {
        if (entry.type != SessionEntry::Type::SameFile || left.contains(entry.target))
            continue;
        const QByteArray target = entry.target;
        if (first.contains(target)) {
            entry.target = first[target];
            continue;
        }
        entry.type = SessionEntry::Type::File;
        entry.target.clear();
        first.insert(target, entry.path);
    }
    return left.values();
}

} // namespace glovebox
