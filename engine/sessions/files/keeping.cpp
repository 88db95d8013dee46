// SPDX-License-Identifier: Apache-2.0
// The workspace is hostile, and where an interpreter stays, somebody may be changing it: each part of a path is opened by itself, and
// links never.
#include "keeping.h"

#include "sessiontree.h"

#include <QMap>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>

namespace glovebox {

namespace {

using EntryType = SessionEntry::Type;

constexpr qint64 mostVisited = 2'000'000; // more than any quota allows
constexpr qsizetype longestKeptPath = 4095; // PATH_MAX without its NUL
constexpr qint64 mostPathBytes = 64 * mebibyte; // of all names together
constexpr qsizetype shownLeft = 10; // names of one reason
constexpr qsizetype pieceOfFile = 256 * kibibyte;

enum class Why { Special, SetId, Unreadable, TooDeep, TooLarge, Secret };

Text leftText(Why why, const QString &names, const QString &count)
{
    switch (why) {
    case Why::Special:
        return {QT_TRANSLATE_NOOP("engine", "Sockets, pipes and devices aren't kept in a session: %1 (%2 in all)."),
                {names, count}};
    case Why::SetId:
        return {QT_TRANSLATE_NOOP("engine", "Set-user-id and set-group-id bits of files aren't kept in a session: %1 "
                                            "(%2 in all)."),
                {names, count}};
    case Why::Unreadable:
        return {QT_TRANSLATE_NOOP("engine", "Files that can't be read aren't kept in the session: %1 (%2 in all)."),
                {names, count}};
    case Why::TooDeep:
        return {QT_TRANSLATE_NOOP("engine", "Files more than 99 folders deep, or with names longer than 4,095 bytes, "
                                            "aren't kept in the session: %1 (%2 in all)."),
                {names, count}};
    case Why::TooLarge:
        return {QT_TRANSLATE_NOOP(
                    "engine", "The session's disk has no room for files, so they aren't kept: %1 (%2 in all). Holes "
                              "in files count."),
                {names, count}};
    case Why::Secret:
        return {QT_TRANSLATE_NOOP("engine", "A secret of the run is in files, so the session doesn't keep them: %1 "
                                            "(%2 in all)."),
                {names, count}};
    }
    return {};
}

class Keeper
{
public:
    Keeper(const ContentStore &store, const LeftWorkspace &left)
        : m_store(store)
        , m_left(left)
    {
        for (const SessionEntry &entry : left.before)
            m_before.insert(entry.path, &entry);
    }

    Keeper(const Keeper &) = delete;
    Keeper &operator=(const Keeper &) = delete;
    ~Keeper()
    {
        if (m_left.search) // values were in it
            ::explicit_bzero(m_piece.get(), std::size_t(pieceOfFile));
    }

    Result<NextTree> keep()
    {
        const WalkEnd end = walkTree(
            m_left.workspace.folder, mostVisited,
            [this](const QByteArray &path, int parent, const char *name, const struct stat &info) {
                return visit(path, parent, name, info);
            },
            Mounts::Skipped, &m_unseen);
        if (end == WalkEnd::TooMany)
            return fail(ErrorCode::Full, Text(QT_TRANSLATE_NOOP("engine", "The run left too many files.")));
        if (m_unseen > 0)
            note(Why::TooDeep, {}, m_unseen);
        std::ranges::sort(m_found, {}, [](const Found &found) { return found.entry.path; });
        for (const Found &found : m_found)
            reserve(found.entry.path);
        for (Found &found : m_found) {
            if (m_left.stop.stop_requested())
                return fail(ErrorCode::Cancelled, QT_TRANSLATE_NOOP("engine", "The installation was cancelled."));
            release(found.entry.path);
            RETURN_IF_ERROR(take(found));
        }
        std::ranges::sort(m_tree, {}, &SessionEntry::path);
        dropOrphans();
        return NextTree{std::move(m_tree), texts(false), texts(true), std::move(m_rewritten)};
    }

private:
    struct Found
    {
        SessionEntry entry;
        Stamp stamp;
        qint64 accessedNs = 0;
        quint64 inode = 0; // of a file with several names; else 0
    };

    void note(Why why, const QByteArray &path, qint64 count = 1)
    {
        auto &[names, total] = m_notes[why];
        total += count;
        if (!path.isEmpty() && names.size() < shownLeft)
            names.append(shortPath(textFromBytes(m_left.search ? m_left.search->scrubbed(path) : path)));
    }

    bool visit(const QByteArray &path, int parent, const char *name, const struct stat &info)
    {
        if (m_left.workspace.mounted.contains(path))
            return false;
        m_pathBytes += path.size();
        if (path.size() > longestKeptPath || m_pathBytes > mostPathBytes) {
            note(Why::TooDeep, path);
            return false;
        }
        Found found{.entry = {.path = path, .mode = quint32(info.st_mode & 0777)},
                    .stamp = Stamp::of(info),
                    .accessedNs = accessedNs(info)};
        if (S_ISDIR(info.st_mode)) {
            found.entry.type = EntryType::Folder;
            constexpr mode_t needed = S_IRUSR | S_IXUSR;
            if ((info.st_mode & needed) != needed) // the run is over, and its owner wants to look
                open(parent, name, info, 0700);
        } else if (S_ISLNK(info.st_mode)) {
            found.entry.type = EntryType::Link;
            found.entry.mode = 0777;
            found.entry.target = linkTarget(parent, name);
            if (found.entry.target.isEmpty()) {
                note(Why::Unreadable, path);
                return false;
            }
        } else if (S_ISREG(info.st_mode)) {
            if (info.st_mode & (S_ISUID | S_ISGID))
                note(Why::SetId, path);
            found.entry.bytes = info.st_size;
            found.entry.modifiedNs = found.stamp.modifiedNs;
            found.inode = info.st_nlink > 1 ? info.st_ino : 0;
        } else {
            note(Why::Special, path);
            return false;
        }
        m_found.append(std::move(found));
        return true;
    }

    Status take(Found &found)
    {
        SessionEntry &entry = found.entry;
        if (m_left.search && hasSecret(m_left.search->in(entry.path))) {
            withhold(entry);
            return {};
        }
        if (entry.type == EntryType::File)
            return takeFile(found);
        if (m_left.search && entry.type == EntryType::Link && hasSecret(m_left.search->in(entry.target)))
            withhold(entry);
        else if (hasRoomFor(entry))
            add(std::move(entry));
        else
            note(Why::TooLarge, entry.path);
        return {};
    }

    static bool hasSecret(const QStringList &secrets) { return !secrets.isEmpty(); }

    void withhold(const SessionEntry &entry)
    {
        note(Why::Secret, entry.path);
        keepFormer(entry.path);
    }

    // A file that can't be kept is as it was before.
    void keepFormer(const QByteArray &path)
    {
        if (const auto former = m_before.constFind(path); former != m_before.cend())
            addFormer(**former);
    }

    void addFormer(SessionEntry former)
    {
        if (!hasRoomFor(former)) {
            note(Why::TooLarge, former.path);
            return;
        }
        if (former.type == EntryType::SameFile) { // by itself, as its first name may be gone
            const SessionEntry &first = *m_before.value(former.target);
            former.type = EntryType::File;
            former.target.clear();
            former.digest = first.digest;
        }
        add(std::move(former));
    }

    // A run that fills the disk loses what it added, never what the session had and the run left there.
    void reserve(const QByteArray &path)
    {
        const SessionEntry *former = m_before.value(path);
        if (!former)
            return;
        const qint64 bytes = former->type == EntryType::File ? bytesInMemory(former->bytes) : 0;
        m_reserved.insert(path, bytes);
        m_reservedBytes += bytes;
    }

    void release(const QByteArray &path) { m_reservedBytes -= m_reserved.take(path); }

    // The next run's memory has to hold them all beside its code.
    bool hasRoomFor(const SessionEntry &entry) const
    {
        const qint64 bytes = entry.type == EntryType::Folder || entry.type == EntryType::Link ? 0 : entry.bytes;
        const Limits whole{.diskBytes = m_left.diskBytes};
        constexpr qint64 ownFiles = 64;
        return m_bytes + m_reservedBytes + bytesInMemory(bytes) <= whole.diskBytes - roomForCode(whole.diskBytes)
               && m_tree.size() + m_reserved.size() < whole.diskFiles() - ownFiles;
    }

    void add(SessionEntry entry)
    {
        m_bytes += entry.type == EntryType::File ? bytesInMemory(entry.bytes) : 0;
        m_tree.append(std::move(entry));
    }

    Status takeFile(Found &found)
    {
        SessionEntry &entry = found.entry;
        if (const auto first = m_firstNames.constFind(found.inode); found.inode != 0 && first != m_firstNames.cend()) {
            entry.type = EntryType::SameFile;
            entry.target = first->path;
            entry.digest = first->digest;
            entry.bytes = first->bytes;
            if (hasRoomFor({.type = EntryType::Folder})) // its content takes none
                add(std::move(entry));
            else
                note(Why::TooLarge, entry.path);
            return {};
        }
        const auto before = m_before.constFind(entry.path);
        if (isAsGiven(entry)) {
            keepFormer(entry.path); // which the run never saw
            return {};
        }
        if (!hasRoomFor(entry)) {
            note(Why::TooLarge, entry.path);
            if (before != m_before.cend() && hasRoomFor(**before))
                addFormer(**before);
            return {};
        }
        if (before != m_before.cend() && isUntouched(found, (*before)->digest)) {
            entry.digest = (*before)->digest;
        } else {
            ASSIGN_OR_RETURN(const bool isStored, storeFile(entry));
            if (!isStored)
                return {};
        }
        if (found.inode != 0)
            m_firstNames.insert(found.inode, {entry.path, entry.digest, entry.bytes});
        add(std::move(entry));
        return {};
    }

    // A program that maps a file, reads it there and then writes there leaves no other trace than that of reading.
    bool isUntouched(const Found &found, const QByteArray &digest)
    {
        const auto stamp = m_left.filled.stamps.constFind(found.entry.path);
        if (stamp == m_left.filled.stamps.cend() || *stamp != found.stamp)
            return false;
        if (m_left.filled.accessedNs.value(found.entry.path) == found.accessedNs)
            return true;
        const bool isSame = digestOfFile(found.entry) == digest;
        if (!isSame)
            m_rewritten.append(found.entry.path);
        return isSame;
    }

    // Empty: it can't be read.
    QByteArray digestOfFile(const SessionEntry &entry)
    {
        const UniqueFd file = openFile(entry);
        Sha256 hash(entry.bytes);
        qint64 have = 0;
        for (ssize_t count = 0; (count = ::read(file.get(), m_piece.get(), std::size_t(pieceOfFile))) != 0;) {
            if (count < 0 && errno != EINTR)
                return {};
            const qint64 read = std::max<ssize_t>(count, 0);
            have += read;
            if (have > entry.bytes)
                return {}; // somebody goes on writing
            hash.add({m_piece.get(), read});
        }
        return hash.result();
    }

    UniqueFd openFile(const SessionEntry &entry) const
    {
        UniqueFd file = openBelow(m_left.workspace.folder, entry.path, fileFlags);
        if (file || errno != EACCES)
            return file;
        // The run is over, and its owner wants to read the file.
        const qsizetype slash = entry.path.lastIndexOf('/');
        const UniqueFd folder = slash < 0 ? UniqueFd(::openat(m_left.workspace.folder, ".", folderFlags))
                                          : openBelow(m_left.workspace.folder, entry.path.first(slash), folderFlags);
        const QByteArray name = entry.path.sliced(slash + 1);
        struct stat info = {};
        if (folder && ::fstatat(folder.get(), name.constData(), &info, AT_SYMLINK_NOFOLLOW) == 0
            && open(folder.get(), name.constData(), info, 0600))
            file.reset(::openat(folder.get(), name.constData(), fileFlags));
        return file;
    }

    // chmod() follows links, and a name may have become one meanwhile.
    static bool open(int parent, const char *name, const struct stat &seen, mode_t mode)
    {
        const UniqueFd found = openPlace(parent, name);
        struct stat info = {};
        if (!found || ::fstat(found.get(), &info) != 0 || info.st_dev != seen.st_dev || info.st_ino != seen.st_ino
            || S_ISLNK(info.st_mode))
            return false;
        return changeMode(found.get(), mode);
    }

    bool isAsGiven(const SessionEntry &entry) const
    {
        const auto given = std::ranges::find(m_left.given, entry.path, &InnerFile::name);
        if (given == m_left.given.end() || given->content.size() != entry.bytes)
            return false;
        const UniqueFd file = openFile(entry);
        return file && readWhole(file.get()) == std::string_view(given->content.constData(), std::size_t(entry.bytes));
    }

    // False: it isn't kept, and that is noted.
    Result<bool> storeFile(SessionEntry &entry)
    {
        const UniqueFd file = openFile(entry);
        struct stat info = {};
        if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
            note(Why::Unreadable, entry.path);
            keepFormer(entry.path);
            return false;
        }
        ASSIGN_OR_RETURN(auto body, IncomingBody::begin(m_store, info.st_size));
        qint64 have = 0;
        for (;;) { // as much as there is room for: somebody may go on writing
            const ssize_t count =
                ::read(file.get(), m_piece.get(), std::size_t(std::min<qint64>(pieceOfFile, entry.bytes - have)));
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0) {
                note(Why::Unreadable, entry.path);
                keepFormer(entry.path);
                return false;
            }
            if (count == 0)
                break;
            const QByteArrayView piece(m_piece.get(), count);
            have += count;
            if (m_left.search)
                m_left.search->feed(piece);
            RETURN_IF_ERROR(body.add(piece));
        }
        if (m_left.search && hasSecret(m_left.search->end())) {
            withhold(entry);
            return false;
        }
        entry.bytes = have;
        ASSIGN_OR_RETURN(entry.digest, body.keep());
        return true;
    }

    // What is in a folder that isn't kept isn't, either.
    void dropOrphans()
    {
        QSet<QByteArray> folders{{}};
        QSet<QByteArray> files;
        SessionTree whole;
        for (SessionEntry &entry : m_tree) {
            const qsizetype slash = entry.path.lastIndexOf('/');
            if (!folders.contains(slash < 0 ? QByteArray() : entry.path.first(slash)))
                continue;
            if (!whole.isEmpty() && whole.last().path == entry.path)
                continue;
            if (entry.type == EntryType::SameFile && !files.contains(entry.target)) {
                entry.type = EntryType::File;
                entry.target.clear();
            }
            if (entry.type == EntryType::Folder)
                folders.insert(entry.path);
            else if (entry.type == EntryType::File)
                files.insert(entry.path);
            whole.append(std::move(entry));
        }
        m_tree = std::move(whole);
    }

    QList<Text> texts(bool ofAltered) const
    {
        QList<Text> all;
        for (const auto &[why, noted] : m_notes.asKeyValueRange()) {
            if ((why == Why::SetId) != ofAltered)
                continue;
            QString names = noted.first.join(QStringLiteral(", "));
            if (noted.second > noted.first.size())
                names += names.isEmpty() ? QStringLiteral("...") : QStringLiteral(", ...");
            all.append(leftText(why, names, QString::number(noted.second)));
        }
        return all;
    }

    struct FirstName
    {
        QByteArray path;
        QByteArray digest;
        qint64 bytes = 0;
    };

    const ContentStore &m_store;
    const LeftWorkspace &m_left;
    QHash<QByteArray, const SessionEntry *> m_before; // by path
    QList<Found> m_found;
    QHash<quint64, FirstName> m_firstNames; // of files with several names, by inode
    QHash<QByteArray, qint64> m_reserved; // bytes in memory of what the session had, by path, until it is taken
    QMap<Why, std::pair<QStringList, qint64>> m_notes;
    SessionTree m_tree;
    QByteArrayList m_rewritten;
    const std::unique_ptr<char[]> m_piece = std::make_unique_for_overwrite<char[]>(std::size_t(pieceOfFile));
    qint64 m_unseen = 0;
    qint64 m_pathBytes = 0;
    qint64 m_bytes = 0; // of files, in memory
    qint64 m_reservedBytes = 0;
};

} // namespace

Result<NextTree> nextTree(const ContentStore &store, const LeftWorkspace &left)
{
    return Keeper(store, left).keep();
}

} // namespace glovebox
