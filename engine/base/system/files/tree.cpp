// SPDX-License-Identifier: Apache-2.0
#include "tree.h"

#include "engine/base/system/oserror.h"
#include "engine/base/system/signals.h"

#include "engine/base/json.h"

#include <QFile>
#include <QStringList>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace glovebox {

const int folderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
const int fileFlags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

namespace {

using Folder = std::unique_ptr<DIR, CloseFolder>;

Folder openFolderAt(int parent, const char *name)
{
    UniqueFd fd(::openat(parent, name, folderFlags));
    if (!fd)
        return {};
    errno = 0; // from here on it is fdopendir's
    Folder folder(::fdopendir(fd.get()));
    if (folder)
        fd.release();
    return folder;
}

const dirent *nextEntry(const Folder &folder)
{
    return ::readdir(folder.get()); // NOLINT(concurrency-mt-unsafe): of one thread's own stream, readdir(3)
}

bool isDots(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

bool isEmptyFolder(int parent, const char *name)
{
    const Folder folder = openFolderAt(parent, name);
    const dirent *entry = folder ? nextEntry(folder) : nullptr;
    while (entry && isDots(entry->d_name))
        entry = nextEntry(folder);
    return folder && !entry;
}

// What comes next fails where this did.
void allowOwner(int parent, const char *name)
{
    [[maybe_unused]] const int ignored = ::fchmodat(parent, name, 0700, 0);
}

std::unexpected<Error> cantRemove(const QByteArray &path, int error)
{
    return fail(codeForErrno(error),
                Text(QT_TRANSLATE_NOOP("engine", "%1 can't be removed. Remove it by hand."), {textFromBytes(path)}),
                errnoDetail(error, textFromBytes(path)));
}

} // namespace

qint64 fileTimeNs(const timespec &time)
{
    constexpr qint64 second = 1'000'000'000;
    constexpr qint64 most = std::numeric_limits<qint64>::max() / second - 1;
    return std::clamp<qint64>(time.tv_sec, -most, most) * second + time.tv_nsec;
}

Stamp Stamp::of(const struct stat &info)
{
    Stamp stamp{.inode = info.st_ino, .mode = info.st_mode};
    if (!S_ISDIR(info.st_mode)) {
        stamp.bytes = info.st_size;
        stamp.modifiedNs = fileTimeNs(info.st_mtim);
        stamp.changedNs = fileTimeNs(info.st_ctim);
    }
    return stamp;
}

WalkEnd walkTree(int folder, qint64 mostEntries, const Visit &visit, Mounts mounts, qint64 *unseen)
{
    struct Level
    {
        Folder folder;
        QByteArray path; // with a slash at the end, or empty
    };
    std::vector<Level> levels;
    WalkEnd end = WalkEnd::Whole;
    const auto leaveOut = [&](WalkEnd why) {
        end = why;
        if (unseen)
            ++*unseen;
    };
    levels.push_back({openFolderAt(folder, "."), {}});
    struct stat root = {};
    if (!levels.back().folder || ::fstat(folder, &root) != 0) {
        leaveOut(WalkEnd::Unreadable);
        return end;
    }
    while (!levels.empty()) {
        const dirent *entry = nextEntry(levels.back().folder);
        if (!entry) {
            levels.pop_back();
            continue;
        }
        if (isDots(entry->d_name))
            continue;
        if (mostEntries-- <= 0)
            return WalkEnd::TooMany;
        const int parent = ::dirfd(levels.back().folder.get());
        struct stat info = {};
        if (::fstatat(parent, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
            if (errno != ENOENT) // gone meanwhile
                leaveOut(WalkEnd::Unreadable);
            continue;
        }
        const QByteArray path = levels.back().path + entry->d_name;
        if (!visit(path, parent, entry->d_name, info) || !S_ISDIR(info.st_mode)
            || (mounts == Mounts::Skipped && info.st_dev != root.st_dev))
            continue;
        if (levels.size() >= deepestTree) {
            if (!isEmptyFolder(parent, entry->d_name)) // else nothing is left out
                leaveOut(WalkEnd::TooDeep);
        } else if (Folder inner = openFolderAt(parent, entry->d_name))
            levels.push_back({std::move(inner), path + '/'});
        else if (errno != ENOENT)
            leaveOut(WalkEnd::Unreadable);
    }
    return end;
}

// What lies deep is moved up first, so that the number of descriptors stays small.
Status removeTree(const QString &path)
{
    const QByteArray name = QFile::encodeName(path);
    const Folder top = openFolderAt(AT_FDCWD, name.constData());
    if (!top) // NOLINTNEXTLINE(clang-analyzer-unix.Errno): it tells by errno why there is none
        return errno == ENOENT ? Status() : cantRemove(name, errno);
    const int topFd = ::dirfd(top.get());
    int moved = 0;
    std::vector<Folder> levels;
    std::vector<QByteArray> names;
    const auto current = [&]() -> const Folder & { return levels.empty() ? top : levels.back(); };
    for (;;) {
        const dirent *entry = nextEntry(current());
        if (!entry) {
            if (levels.empty())
                break;
            levels.pop_back();
            if (::unlinkat(::dirfd(current().get()), names.back().constData(), AT_REMOVEDIR) != 0 && errno != ENOENT)
                return cantRemove(name + "/.../" + names.back(), errno);
            names.pop_back();
            ::rewinddir(
                current().get()); // what was moved here, and an entry that a reader skipped while another was removed
            continue;
        }
        if (isDots(entry->d_name))
            continue;
        const int parent = ::dirfd(current().get());
        if (::unlinkat(parent, entry->d_name, 0) == 0 || errno == ENOENT)
            continue;
        if (errno != EISDIR && errno != EPERM)
            return cantRemove(name + '/' + entry->d_name, errno);
        if (levels.size() > 16) {
            const QByteArray up = ".glovebox-moved-" + QByteArray::number(++moved);
            allowOwner(parent, entry->d_name); // moving a folder writes its ".."
            if (::renameat(parent, entry->d_name, topFd, up.constData()) == 0)
                continue;
        }
        Folder inner = openFolderAt(parent, entry->d_name);
        if (!inner || ::faccessat(parent, entry->d_name, R_OK | W_OK | X_OK, 0) != 0) {
            allowOwner(parent, entry->d_name);
            inner = openFolderAt(parent, entry->d_name);
        }
        if (!inner)
            return cantRemove(name + '/' + entry->d_name, errno);
        names.emplace_back(entry->d_name);
        levels.push_back(std::move(inner));
    }
    return ::rmdir(name.constData()) == 0 || errno == ENOENT ? Status() : cantRemove(name, errno);
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

namespace {

struct GoingTrees
{
    std::mutex mutex;
    QStringList paths; // the first is being removed
    bool isAtIt = false; // somebody removes them, one after the other
};

// Never destroyed: its thread may be the last of the program.
GoingTrees &goingTrees()
{
    static auto *const trees = new GoingTrees;
    return *trees;
}

void removeAll(GoingTrees &going)
{
    std::unique_lock lock(going.mutex);
    while (!going.paths.isEmpty()) {
        const QString path = going.paths.first();
        lock.unlock();
        static_cast<void>(removeTree(path));
        lock.lock();
        going.paths.removeFirst();
    }
    going.isAtIt = false;
}

} // namespace

void removeTreeMeanwhile(const QString &path)
{
    GoingTrees &going = goingTrees();
    {
        const std::scoped_lock lock(going.mutex);
        going.paths.append(path);
        if (std::exchange(going.isAtIt, true))
            return;
    }
    try {
        std::thread([&going] {
            blockSignals();
            removeAll(going);
        }).detach();
    } catch (const std::system_error &) { // no more threads
        removeAll(going);
    }
}

bool isBeingRemoved(const QString &path)
{
    GoingTrees &going = goingTrees();
    const std::scoped_lock lock(going.mutex);
    return going.paths.contains(path);
}

} // namespace glovebox
