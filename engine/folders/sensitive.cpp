// SPDX-License-Identifier: Apache-2.0
// The files that other programs run or obey, and how they were before a run.
#include "folders.h"

#include "copies/copy.h"
#include "obeyed/obeyed.h"

#include <QDateTime>
#include <QHash>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <vector>

namespace glovebox {

namespace {

constexpr qint64 mostLooks = 200'000; // a look costs about a microsecond each

// A folder that may hold something sensitive deeper down: the others are not worth an entry.
bool mayHoldSensitive(const QByteArray &path)
{
    return !path.endsWith(".git/objects") && !path.endsWith(".git/refs") && !path.endsWith(".git/logs");
}

} // namespace

struct Seen
{
    Stamp stamp;
    QByteArray target; // of a link
    std::optional<Text> why; // nothing: nobody obeys it as yet
};

struct SensitiveFiles::Private
{
    UniqueFd folder;
    QMap<QByteArray, Seen> before;
    bool isWhole = true;
    // A file system's time may be some milliseconds behind the clock's.
    const qint64 beginNs = (QDateTime::currentMSecsSinceEpoch() - 1000) * 1'000'000;
    std::vector<std::pair<qint64, QByteArray>> changed; // sizes and paths, of the last look

    QMap<QByteArray, Seen> look()
    {
        changed.clear();
        QMap<QByteArray, Seen> found;
        GitFolders git;
        const WalkEnd end = walkTree(
            folder.get(), mostLooks,
            [&](const QByteArray &path, int parent, const char *name, const struct stat &info) {
                const QByteArray target = S_ISLNK(info.st_mode) ? linkTarget(parent, name) : QByteArray();
                const auto why = whySensitive(path, S_ISLNK(info.st_mode) ? &target : nullptr);
                git.see(path);
                if (const Stamp stamp = Stamp::of(info); S_ISREG(info.st_mode) && stamp.changedNs >= beginNs)
                    changed.emplace_back(stamp.bytes, path);
                if (why || GitFolders::mayObey(path))
                    found.insert(path, {Stamp::of(info), target, why});
                return mayHoldSensitive(path);
            },
            Mounts::Entered);
        for (auto seen = found.begin(); seen != found.end(); ++seen) {
            if (!seen->why)
                seen->why = git.obeyedBy(seen.key());
        }
        isWhole = isWhole && end == WalkEnd::Whole;
        return found;
    }
};

SensitiveFiles::SensitiveFiles(int descriptor)
    : d(std::make_unique<Private>())
{
    d->folder.reset(::openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (d->folder)
        d->before = d->look();
    else
        d->isWhole = false;
}

SensitiveFiles::~SensitiveFiles() = default;
SensitiveFiles::SensitiveFiles(SensitiveFiles &&) noexcept = default;

QList<FolderChange> SensitiveFiles::changes() const
{
    if (!d->folder)
        return {};
    const QMap<QByteArray, Seen> after = d->look();
    QList<FolderChange> list;
    const auto note = [&](FolderChange::Kind kind, const QByteArray &path, const Seen &seen) {
        list.append({.kind = kind,
                     .type = typeOf(seen.stamp.mode),
                     .path = path,
                     .target = seen.target,
                     .bytes = seen.stamp.bytes,
                     .mode = seen.stamp.mode & 07777,
                     .isSensitive = true,
                     .why = *seen.why});
    };
    for (auto now = after.begin(); now != after.end(); ++now) {
        const auto then = d->before.constFind(now.key());
        if (!now->why)
            continue;
        if (then == d->before.constEnd())
            note(FolderChange::Kind::Added, now.key(), *now);
        else if (then->stamp != now->stamp || !then->why)
            note(FolderChange::Kind::Changed, now.key(), *now);
    }
    for (auto then = d->before.constBegin(); then != d->before.constEnd(); ++then) {
        if (then->why && !after.contains(then.key()))
            note(FolderChange::Kind::Removed, then.key(), *then);
    }
    std::ranges::sort(list, {}, &FolderChange::path);
    return list;
}

namespace {

// False: not all of the file is there.
bool takeContent(int folder, const QByteArray &path, int to, qint64 most, qint64 &taken)
{
    const UniqueFd file = openBelow(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    struct stat info = {};
    if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    std::array<char, 65536> part;
    for (;;) {
        const ssize_t count = ::read(file.get(), part.data(), part.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0;
        if (taken + count > most || ::write(to, part.data(), std::size_t(count)) != count)
            return false;
        taken += count;
    }
}

} // namespace

WrittenFiles SensitiveFiles::written(int to) const
{
    WrittenFiles written;
    const auto end = std::chrono::steady_clock::now() + WrittenFiles::mostTime;
    std::ranges::sort(d->changed);
    qint64 all = 0;
    for (const auto &[bytes, path] : d->changed) {
        qint64 taken = 0;
        const bool mayGoOn = written.files.size() < WrittenFiles::mostFiles && std::chrono::steady_clock::now() < end;
        if (!mayGoOn || !takeContent(d->folder.get(), path, to, WrittenFiles::mostBytes - all, taken))
            ++written.left;
        if (mayGoOn) // by its name, and what there is of it
            written.files.append({path, taken});
        all += taken;
    }
    return written;
}

bool SensitiveFiles::isWhole() const
{
    return d->isWhole;
}

QList<FolderChange> inOrderOfReview(QList<FolderChange> changes)
{
    QHash<QString, qsizetype> turns; // by reason
    std::vector<std::pair<qsizetype, FolderChange>> ordered;
    for (FolderChange &change : changes) {
        const qsizetype place = change.isWithheld    ? 0
                                : change.isSensitive ? ++turns[change.why.source]
                                                     : changes.size() + 1;
        ordered.emplace_back(place, std::move(change));
    }
    std::ranges::stable_sort(ordered, {}, &std::pair<qsizetype, FolderChange>::first);
    std::ranges::transform(ordered, changes.begin(), [](auto &each) { return std::move(each.second); });
    return changes;
}

} // namespace glovebox
