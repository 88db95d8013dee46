// SPDX-License-Identifier: Apache-2.0
// The workspace is hostile, but nobody is left who could change it: each part of a path is opened by itself, and links never.
#include "collecting.h"

#include <QMap>
#include <QSet>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace glovebox {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int openFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int openFile = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr qint64 mostEntries = 2'000'000; // about two seconds
constexpr qsizetype mostFolders = 100'000; // that wait to be looked at
constexpr qsizetype longestPath = 1024; // bytes
constexpr qint64 mostNameBytes = 512 * kibibyte; // of all that are kept: the entry in the log has them
constexpr qsizetype shownNames = 10; // of what is skipped for one reason
constexpr qsizetype pieceBytes = 256 * kibibyte;
constexpr qsizetype beginningBytes = 4096;
constexpr qsizetype mostSyncedAlone =
    4; // each takes two waits for the disk; to write out all of it takes longer than a few of those

struct CloseFolderOfRun
{
    void operator()(DIR *folder) const { ::closedir(folder); }
};

// The entries of one folder, sorted, so that which files are kept doesn't depend on the file system.
struct Content
{
    std::vector<QByteArray> files;
    std::vector<QByteArray> folders;
};

class Collector
{
public:
    Collector(const ContentStore &store, const LeftFiles &left)
        : m_store(store)
        , m_unsynced(store.folder(), ContentStore::Syncing::Together)
        , m_left(left)
        , m_end(SteadyClock::now() + left.limits.time)
    {
    }

    Collector(const Collector &) = delete;
    Collector &operator=(const Collector &) = delete;
    ~Collector()
    {
        if (m_left.search) // values were in it
            ::explicit_bzero(m_piece.get(), std::size_t(pieceBytes));
    }

    Collection collect()
    {
        struct stat top = {};
        if (m_left.limits.files <= 0)
            return {};
        if (::fstat(m_left.workspace, &top) != 0) {
            skip(NotKept::NotStored, {});
        } else {
            m_device = top.st_dev;
            m_folders.emplace_back();
            while (!m_folders.empty() && !m_isOver) {
                const QByteArray folder = std::move(m_folders.back());
                m_folders.pop_back();
                visit(folder);
            }
        }
        syncRest();
        return {std::move(m_kept), groups()};
    }

private:
    // An entry commits to no file that a power cut could take.
    void syncRest()
    {
        if (m_kept.size() <= mostSyncedAlone)
            return;
        const Status synced = m_unsynced.sync();
        if (synced)
            return;
        const NotKept why = notStored(synced.error());
        for (const Artifact &artifact : m_kept.sliced(mostSyncedAlone))
            skip(why, artifact.path.toUtf8());
        m_kept.resize(mostSyncedAlone);
    }

    bool isLate()
    {
        const auto now = SteadyClock::now();
        if (m_left.stop.stop_requested())
            endWithin(m_left.limits.timeAfterStop);
        return now >= m_end;
    }

    void endWithin(std::chrono::milliseconds time) { m_end = std::min(m_end, SteadyClock::now() + time); }

    QString shown(QByteArrayView path) const
    {
        return textFromBytes(m_left.search ? QByteArrayView(m_left.search->scrubbed(path)) : path);
    }

    void skip(NotKept why, QByteArrayView path, qint64 count = 1)
    {
        SkippedFiles &group = m_skipped[why];
        group.count += count;
        if (!path.isEmpty() && group.paths.size() < shownNames)
            group.paths.append(shown(path));
    }

    UniqueFd open(const QByteArray &folder) const
    {
        UniqueFd inside(::openat(m_left.workspace, ".", openFolder));
        for (const QByteArray &part : folder.isEmpty() ? QList<QByteArray>() : folder.split('/')) {
            if (inside)
                inside.reset(::openat(inside.get(), part.constData(), openFolder));
        }
        return inside;
    }

    void visit(const QByteArray &folder)
    {
        UniqueFd fd = open(folder);
        struct stat info = {};
        if (fd && (::fstat(fd.get(), &info) != 0 || info.st_dev != m_device))
            return; // a mount, whose files are the person's
        const std::unique_ptr<DIR, CloseFolderOfRun> stream(fd ? ::fdopendir(fd.get()) : nullptr);
        if (!stream)
            return skip(NotKept::Unreadable, folder);
        const int descriptor = fd.release(); // the stream's
        const QByteArray prefix = folder.isEmpty() ? QByteArray() : folder + '/';
        Content content = list(stream.get(), prefix);
        for (const QByteArray &name : content.files)
            take(descriptor, name, prefix);
        for (QByteArray &name : content.folders) {
            if (std::ssize(m_folders) >= mostFolders)
                skip(NotKept::TooMany, prefix + name);
            else
                m_folders.push_back(prefix + name);
        }
    }

    Content list(DIR *stream, const QByteArray &prefix)
    {
        Content content;
        std::vector<QByteArray> given;
        const int descriptor = ::dirfd(stream);
        while (const dirent *entry = ::readdir(stream)) { // NOLINT(concurrency-mt-unsafe): of one thread's own stream
            const QByteArray name(entry->d_name);
            if (name == "." || name == "..")
                continue;
            ++m_entries;
            if (m_entries > mostEntries || (m_entries % 1024 == 0 && isLate())) {
                skip(NotKept::Late, {});
                m_isOver = true;
                break;
            }
            const QByteArray path = prefix + name;
            struct stat info = {};
            if (m_left.mounted.contains(path))
                continue;
            if (::fstatat(descriptor, name.constData(), &info, AT_SYMLINK_NOFOLLOW) != 0)
                skip(NotKept::Unreadable, path);
            else if (path.size() > longestPath)
                skip(NotKept::TooDeep, path);
            else if (S_ISDIR(info.st_mode))
                content.folders.push_back(name);
            else if (S_ISREG(info.st_mode))
                (prefix.isEmpty() && givenFile(name) ? given : content.files).push_back(name);
            else
                skip(S_ISLNK(info.st_mode) ? NotKept::Link : NotKept::Special, path);
            bound(content.files, prefix);
        }
        content.files.insert(content.files.end(), given.begin(), given.end());
        std::ranges::sort(content.files);
        std::ranges::sort(content.folders, std::greater()); // the last one is visited first
        return content;
    }

    // Only files that can be kept have their names remembered: there may be a million.
    void bound(std::vector<QByteArray> &files, const QByteArray &prefix)
    {
        const auto most = std::size_t(std::min<qint64>(m_left.limits.files, mostEntries)) * 2;
        if (files.size() <= most * 2)
            return;
        const auto first = files.begin() + std::ptrdiff_t(most);
        std::ranges::nth_element(files, first);
        skip(NotKept::TooMany, prefix + *first, std::distance(first, files.end()));
        files.erase(first, files.end());
    }

    void take(int folder, const QByteArray &name, const QByteArray &prefix)
    {
        const QByteArray path = prefix + name;
        if (m_isOver)
            return skip(NotKept::Late, path);
        const UniqueFd file(::openat(folder, name.constData(), openFile));
        struct stat info = {};
        if (!file || ::fstat(file.get(), &info) != 0)
            return skip(NotKept::Unreadable, path);
        if (!S_ISREG(info.st_mode) || info.st_dev != m_device)
            return skip(NotKept::Special, path);
        if (const auto before = m_left.untouched.constFind(path);
            before != m_left.untouched.cend() && *before == Stamp::of(info))
            return;
        if (info.st_nlink != 1)
            return skip(NotKept::HardLink, path);
        if (prefix.isEmpty() && isAsGiven(file, name, info.st_size))
            return;
        if (m_kept.size() >= m_left.limits.files || m_nameBytes + path.size() > mostNameBytes) {
            endWithin(m_left.limits.timeAfterStop); // only to count the others
            return skip(NotKept::TooMany, path);
        }
        if (info.st_size > m_left.limits.bytes - m_bytes)
            return skip(NotKept::TooLarge, path);
        Artifact artifact{.path = shown(path), .bytes = info.st_size};
        if (m_paths.contains(artifact.path))
            return skip(NotKept::SameName, path);
        if (m_left.search)
            artifact.secrets = m_left.search->in(path);
        if (const auto why = keep(file, artifact))
            return skip(*why, path);
        m_bytes += artifact.bytes;
        m_nameBytes += artifact.path.size();
        m_paths.insert(artifact.path);
        m_kept.append(std::move(artifact));
    }

    const InnerFile *givenFile(const QByteArray &name) const
    {
        const auto given = std::ranges::find(m_left.given, name, &InnerFile::name);
        return given == m_left.given.end() ? nullptr : &*given;
    }

    bool isAsGiven(const UniqueFd &file, const QByteArray &name, qint64 bytes) const
    {
        const InnerFile *given = givenFile(name);
        if (!given || given->content.size() != bytes)
            return false;
        QByteArray content(bytes, Qt::Uninitialized);
        for (qint64 have = 0; have < bytes;) {
            const ssize_t count = ::pread(file.get(), content.data() + have, size_t(bytes - have), have);
            if (count <= 0)
                return false;
            have += count;
        }
        return content == given->content;
    }

    // Nothing: it is in the store.
    std::optional<NotKept> keep(const UniqueFd &file, Artifact &artifact)
    {
        auto body = IncomingBody::begin(m_kept.size() < mostSyncedAlone ? m_store : m_unsynced, artifact.bytes);
        if (!body)
            return notStored(body.error());
        QByteArray beginning;
        const auto failed = copy(file, artifact.bytes, *body, beginning);
        for (const QString &secret : m_left.search ? m_left.search->end() : QStringList()) {
            if (!artifact.secrets.contains(secret))
                artifact.secrets.append(secret);
        }
        if (failed)
            return failed;
        auto digest = artifact.isWithheld() ? body->withhold(m_left.run) : body->keep();
        if (!digest)
            return notStored(digest.error());
        artifact.digest = *std::move(digest);
        artifact.mediaType = mediaTypeOf(artifact.path, beginning);
        return {};
    }

    std::optional<NotKept> copy(const UniqueFd &file, qint64 bytes, IncomingBody &body, QByteArray &beginning)
    {
        qint64 have = 0;
        for (;;) {
            if (isLate()) {
                m_isOver = true;
                return NotKept::Late;
            }
            const ssize_t count = ::read(file.get(), m_piece.get(), size_t(pieceBytes));
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                return NotKept::Unreadable;
            const QByteArrayView piece(m_piece.get(), qsizetype(count));
            have += count;
            if (count == 0 || have > bytes)
                return have == bytes ? std::nullopt : std::optional(NotKept::Changed);
            if (beginning.isEmpty())
                beginning = piece.first(std::min(piece.size(), beginningBytes)).toByteArray();
            if (m_left.search)
                m_left.search->feed(piece);
            if (const Status added = body.add(piece); !added)
                return notStored(added.error());
        }
    }

    NotKept notStored(const Error &error)
    {
        if (error.code == ErrorCode::Full) // of which the result says all
            return NotKept::NoSpace;
        qCWarning(lcAudit).noquote() << error.message.english() << error.detail.english();
        return NotKept::NotStored;
    }

    QList<SkippedFiles> groups() const
    {
        QList<SkippedFiles> all;
        for (auto group = m_skipped.cbegin(); group != m_skipped.cend(); ++group) {
            SkippedFiles skipped = *group;
            skipped.why = group.key();
            skipped.sentence = sentence(skipped);
            all.append(std::move(skipped));
        }
        return all;
    }

    Text sentence(const SkippedFiles &skipped) const
    {
        QStringList shortened;
        for (const QString &path : skipped.paths)
            shortened.append(shortPath(path));
        QString names = shortened.join(QStringLiteral(", "));
        if (skipped.count > skipped.paths.size() && !names.isEmpty())
            names += QStringLiteral(", ...");
        const QString count = QString::number(skipped.count);
        switch (skipped.why) {
        case NotKept::Link:
            return {
                QT_TRANSLATE_NOOP("engine", "Symbolic links aren't kept, as they may lead anywhere: %1 (%2 in all)."),
                {names, count}};
        case NotKept::HardLink:
            return {QT_TRANSLATE_NOOP("engine",
                                      "Files with several names aren't kept; have them copied instead: %1 (%2 in "
                                      "all)."),
                    {names, count}};
        case NotKept::Special:
            return {QT_TRANSLATE_NOOP("engine", "Sockets, pipes and devices aren't kept: %1 (%2 in all)."),
                    {names, count}};
        case NotKept::TooMany:
            return {
                QT_TRANSLATE_NOOP(
                    "engine", "More than %3 files (artifacts.files), or %4 KB of names, aren't kept: %1 (%2 in all)."),
                {names, count, QString::number(m_left.limits.files), QString::number(mostNameBytes / kibibyte)}};
        case NotKept::TooLarge:
            return {QT_TRANSLATE_NOOP("engine",
                                      "More than %3 MB of files aren't kept (artifacts.total_mb allows more): %1 "
                                      "(%2 in all)."),
                    {names, count, QString::number(m_left.limits.bytes / mebibyte)}};
        case NotKept::TooDeep:
            return {QT_TRANSLATE_NOOP("engine", "Files aren't kept whose names with their folders are longer than %3 "
                                                "bytes (%2 in all)."),
                    {names, count, QString::number(longestPath)}};
        case NotKept::Unreadable:
            return {QT_TRANSLATE_NOOP("engine",
                                      "Files that their permissions keep from being read aren't kept: %1 (%2 in "
                                      "all)."),
                    {names, count}};
        case NotKept::Changed:
            return {QT_TRANSLATE_NOOP("engine", "Files that changed while they were read aren't kept: %1 (%2 in all)."),
                    {names, count}};
        case NotKept::SameName:
            return {QT_TRANSLATE_NOOP("engine", "Files aren't kept whose names look like another's: %1 (%2 in all)."),
                    {names, count}};
        case NotKept::NoSpace:
            return {QT_TRANSLATE_NOOP("engine",
                                      "This machine's disk has no space for some files, so they aren't kept: %1 "
                                      "(%2 in all). Make some space."),
                    {names, count}};
        case NotKept::NotStored:
            return {QT_TRANSLATE_NOOP("engine", "Files can't be stored, so they aren't kept: %1 (%2 in all). Check the "
                                                "disk of Glovebox's data."),
                    {names, count}};
        case NotKept::Late:
            return {QT_TRANSLATE_NOOP("engine", "Collecting the files took too long, so some aren't kept: %1 (at least "
                                                "%2)."),
                    {names.isEmpty() ? QStringLiteral("...") : names, count}};
        }
        return {};
    }

    const ContentStore &m_store;
    const ContentStore m_unsynced; // the same one
    const LeftFiles &m_left;
    SteadyClock::time_point m_end;
    dev_t m_device = 0;
    std::vector<QByteArray> m_folders; // still to be visited
    const std::unique_ptr<char[]> m_piece = std::make_unique_for_overwrite<char[]>(std::size_t(pieceBytes));
    qint64 m_entries = 0;
    qint64 m_bytes = 0;
    qint64 m_nameBytes = 0;
    bool m_isOver = false; // no time is left
    QSet<QString> m_paths;
    QList<Artifact> m_kept;
    QMap<NotKept, SkippedFiles> m_skipped;
};

} // namespace

Collection collectFiles(const ContentStore &store, const LeftFiles &left)
{
    return Collector(store, left).collect();
}

} // namespace glovebox
