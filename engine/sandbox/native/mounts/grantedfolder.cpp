// SPDX-License-Identifier: Apache-2.0
// Looks at a folder that somebody wants to show to a run. Names are compared by path and by where they really are (file system
// and place in it, from mountinfo), so that a bind mount of a closed folder is closed too.
#include "mounttable.h"

#include "engine/sandbox/sandbox.h"

#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace glovebox::native {

namespace {

// What is in them is the kernel's or the running system's, wherever they are mounted.
constexpr const char *systemTypes[] = {"proc",     "sysfs",       "devtmpfs",  "devpts",   "cgroup",
                                       "cgroup2",  "debugfs",     "tracefs",   "bpf",      "securityfs",
                                       "configfs", "binfmt_misc", "pstore",    "efivarfs", "mqueue",
                                       "fusectl",  "hugetlbfs",   "selinuxfs", "nsfs"};

// A folder that must stay closed, and what is said about it; %1 is what was asked for, %2 the closed folder.
struct Closed
{
    QByteArray path;
    const char *sentence;
    bool inside = true; // closed is also what lies in it
};

constexpr const char *wholeMachine =
    QT_TRANSLATE_NOOP("engine", "%1 can't be shown to a run: it is this whole machine. Name a folder further down.");
constexpr const char *home =
    QT_TRANSLATE_NOOP("engine", "%1 can't be shown to a run: it is or holds the home folder %2 with everything of "
                                "yours. Name the folder in it that the run needs.");
constexpr const char *keys =
    QT_TRANSLATE_NOOP("engine", "%1 can't be shown to a run: keys and settings are in %2. Copy what the run needs into "
                                "a folder of its own.");
constexpr const char *runningSystem =
    QT_TRANSLATE_NOOP("engine", "%1 can't be shown to a run: %2 is a part of the running system. Copy what the run "
                                "needs into a folder of its own.");
constexpr const char *ownData =
    QT_TRANSLATE_NOOP("engine", "%1 can't be shown to a run: Glovebox keeps its log and settings in %2. Copy what the "
                                "run needs into a folder of its own.");

QByteArray joined(const QByteArray &folder, const char *name)
{
    return folder.endsWith('/') ? folder + name : folder + '/' + name;
}

std::vector<Closed> closedFolders(const OwnFolders &own)
{
    std::vector<Closed> all;
    for (const char *path : {"/proc", "/sys", "/dev", "/run", "/var/run"})
        all.push_back({path, runningSystem});
    // All homes of the person: HOME may point elsewhere, and a root shell may be a person's.
    QByteArrayList homes{qgetenv("HOME")};
    bool isNumber = false;
    const uint behindSudo = qgetenv("SUDO_UID").toUInt(&isNumber);
    for (const uint uid : {::geteuid(), isNumber ? behindSudo : ::geteuid()}) {
        std::array<char, 16384> room{};
        passwd user{};
        passwd *found = nullptr;
        if (::getpwuid_r(uid, &user, room.data(), room.size(), &found) == 0 && found)
            homes.append(user.pw_dir);
    }
    for (const QByteArray &folder : std::as_const(homes)) {
        if (!folder.startsWith('/') || folder.count('/') == folder.size())
            continue;
        all.push_back({folder, home, false});
        for (const char *name : {".ssh", ".gnupg", ".config"})
            all.push_back({joined(folder, name), keys});
    }
    for (const QString &folder : own.data)
        all.push_back({QFile::encodeName(folder), ownData});
    return all;
}

// Where something really is.
struct Place
{
    std::string path; // without symbolic links
    std::string device; // empty: not known
    std::string root; // its path in the file system
};

bool sameOrBelow(const Place &inner, const Place &outer)
{
    return isAtOrBelow(inner.path, outer.path)
           || (!inner.device.empty() && inner.device == outer.device && isAtOrBelow(inner.root, outer.root));
}

std::string pathOf(int fd)
{
    std::array<char, 4096> path{};
    const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path.data(), path.size());
    return length > 0 && length < static_cast<ssize_t>(path.size()) ? std::string(path.data(), length) : std::string();
}

int mountIdOf(int fd)
{
    QFile info(QStringLiteral("/proc/self/fdinfo/%1").arg(fd));
    if (!info.open(QIODevice::ReadOnly))
        return -1;
    for (const QByteArray &line : info.readAll().split('\n')) {
        if (line.startsWith("mnt_id:"))
            return line.mid(7).trimmed().toInt();
    }
    return -1;
}

Place placeOf(int fd, const std::vector<Mount> &mounts)
{
    Place place{.path = pathOf(fd)};
    const auto mount = std::ranges::find(mounts, mountIdOf(fd), &Mount::id);
    if (mount == mounts.end() || !isAtOrBelow(place.path, mount->point))
        return place;
    const std::string rest = mount->point == "/" ? place.path : place.path.substr(mount->point.size());
    place.device = mount->device;
    place.root = mount->root == "/" ? rest : mount->root + rest;
    if (place.root.empty())
        place.root = "/";
    else if (place.root.size() > 1 && place.root.ends_with('/'))
        place.root.pop_back();
    return place;
}

Place placeOf(const QByteArray &path, const std::vector<Mount> &mounts)
{
    const UniqueFd fd(::open(path.constData(), O_PATH | O_CLOEXEC));
    return fd ? placeOf(fd.get(), mounts) : Place{.path = path.toStdString()};
}

std::unexpected<Error> refuse(const char *sentence, const QString &asked, const QString &about = {})
{
    return fail(ErrorCode::InvalidInput,
                Text(sentence, about.isEmpty() ? QStringList{asked} : QStringList{asked, about}));
}

QString shown(const std::string &path)
{
    return textFromBytes(QByteArrayView(path.data(), static_cast<qsizetype>(path.size())));
}

bool isSystemType(const Mount &mount)
{
    return std::ranges::any_of(systemTypes, [&](const char *type) { return mount.type == type; });
}

// The folder itself and every mount of the host below it, which would come along.
std::vector<Place> placesShown(const Place &folder, const std::vector<Mount> &mounts)
{
    std::vector<Place> all{folder};
    for (const Mount &mount : mounts) {
        if (mount.point != folder.path && isAtOrBelow(mount.point, folder.path))
            all.push_back({mount.point, mount.device, mount.root});
    }
    return all;
}

Status checkClosed(const QString &asked, const Place &folder, const OwnFolders &own, const std::vector<Mount> &mounts)
{
    if (folder.path == "/")
        return refuse(wholeMachine, asked);
    const std::vector<Place> shownPlaces = placesShown(folder, mounts);
    for (const Closed &closed : closedFolders(own)) {
        const Place place = placeOf(closed.path, mounts);
        for (const Place &part : shownPlaces) {
            if (sameOrBelow(place, part) || (closed.inside && sameOrBelow(part, place)))
                return refuse(closed.sentence, asked, textFromBytes(closed.path));
        }
    }
    for (const Mount &mount : mounts) {
        if (isSystemType(mount) && isAtOrBelow(mount.point, folder.path))
            return refuse(runningSystem, asked, shown(mount.point));
    }
    return {};
}

// Besides the folder of a script, which may hold harmless ones: Node.js loads from node_modules there and above, Python from lib beside the
// bin of a virtual environment.
std::vector<QByteArray> modulesOf(const QByteArray &file)
{
    std::vector<QByteArray> places;
    QByteArray folder = file.first(std::max<qsizetype>(file.lastIndexOf('/'), 0));
    if (folder.endsWith("/bin"))
        places.push_back(folder.chopped(3) + "lib");
    for (; !folder.isEmpty(); folder.truncate(std::max<qsizetype>(folder.lastIndexOf('/'), 0)))
        places.push_back(folder + "/node_modules");
    return places;
}

Status checkWritable(const QString &asked, int fd, const Place &folder, const OwnFolders &own,
                     const std::vector<Mount> &mounts)
{
    struct statvfs info = {};
    if (::fstatvfs(fd, &info) == 0 && (info.f_flag & ST_RDONLY))
        return refuse(QT_TRANSLATE_NOOP("engine", "%1 is on a file system that is read-only. Show it without \":rw\"."),
                      asked);
    for (const QString &programs : own.programs) {
        const Place place = placeOf(QFile::encodeName(programs), mounts);
        if (sameOrBelow(place, folder) || sameOrBelow(folder, place))
            return refuse(QT_TRANSLATE_NOOP("engine",
                                            "%1 can't be shown writable: Glovebox's own programs are in %2, and a run "
                                            "that changes them gets out. Use \":stage\"."),
                          asked, programs);
    }
    for (const QString &server : own.servers) {
        const QByteArray file = QFile::encodeName(server);
        struct stat found = {};
        if (::stat(file.constData(), &found) != 0 || S_ISDIR(found.st_mode))
            continue; // what a server works with
        // Also a symbolic link that leads out of the folder could be changed.
        const bool isInside =
            sameOrBelow(placeOf(file, mounts), folder)
            || sameOrBelow(placeOf(file.left(std::max<qsizetype>(file.lastIndexOf('/'), 1)), mounts), folder);
        if (isInside)
            return refuse(QT_TRANSLATE_NOOP("engine",
                                            "%1 can't be shown writable: one of your MCP servers is started from %2, "
                                            "and a run that changes a server gets out. Use \":stage\"."),
                          asked, server);
        const QByteArray target = QFile::encodeName(QFileInfo(server).canonicalFilePath());
        for (const QByteArray &name : {file, target}) {
            for (const QByteArray &modules : modulesOf(name)) {
                if (sameOrBelow(folder, placeOf(modules, mounts)))
                    return refuse(QT_TRANSLATE_NOOP("engine",
                                                    "%1 can't be shown writable: one of your MCP servers loads modules "
                                                    "from %2, and a run that changes a server gets out. Use "
                                                    "\":stage\"."),
                                  asked, textFromBytes(modules));
            }
        }
    }
    return {};
}

Status checkKind(const QString &asked, const struct stat &info, FolderGrant::Mode mode)
{
    const char *found = S_ISSOCK(info.st_mode)                           ? "socket"
                        : S_ISFIFO(info.st_mode)                         ? "FIFO"
                        : S_ISBLK(info.st_mode) || S_ISCHR(info.st_mode) ? "device"
                                                                         : nullptr;
    if (found)
        return refuse(
            QT_TRANSLATE_NOOP("engine", "%1 can't be shown to a run: it is a %2, not a folder. Name a folder."), asked,
            QString::fromLatin1(found));
    if (!S_ISDIR(info.st_mode) && mode != FolderGrant::Mode::ReadOnly)
        return refuse(QT_TRANSLATE_NOOP("engine", "%1 is a file. A file can be shown read-only; what is to be changed "
                                                  "must be a folder."),
                      asked);
    return {};
}

std::unexpected<Error> cantOpen(const QString &asked, int error)
{
    const Text detail("%1", {errnoText(error)});
    if (error == ENOENT || error == ENOTDIR)
        return fail(
            ErrorCode::NotFound,
            Text(QT_TRANSLATE_NOOP("engine", "There is no folder %1 to show to the run. Check its name."), {asked}),
            detail);
    if (error == EACCES || error == EPERM)
        return fail(
            ErrorCode::PermissionDenied,
            Text(QT_TRANSLATE_NOOP("engine", "You may not open the folder %1, so a run can't be shown it."), {asked}),
            detail);
    return fail(ErrorCode::Io, Text(QT_TRANSLATE_NOOP("engine", "The folder %1 can't be opened: %2. Name another one."),
                                    {asked, errnoText(error)}));
}

} // namespace

} // namespace glovebox::native

namespace glovebox {

Result<OpenedFolder> openFolder(const FolderGrant &grant, const OwnFolders &own)
{
    using namespace native;
    const QString &asked = grant.hostPath;
    const QByteArray name = QFile::encodeName(asked);
    if (!name.startsWith('/') || name.contains('\0') || QFile::decodeName(name) != asked)
        return fail(ErrorCode::InvalidInput,
                    Text(QT_TRANSLATE_NOOP("engine", "\"%1\" is not the name of a folder on this machine."), {asked}));
    UniqueFd fd(::open(name.constData(), O_PATH | O_CLOEXEC));
    struct stat info = {};
    if (!fd || ::fstat(fd.get(), &info) < 0)
        return cantOpen(asked, errno);
    if (Status kind = checkKind(asked, info, grant.mode); !kind)
        return std::unexpected(kind.error());
    const std::vector<Mount> mounts = *readMounts();
    if (mounts.empty())
        return fail(
            ErrorCode::Unavailable,
            Text(QT_TRANSLATE_NOOP("engine", "The folders below %1 can't be told, because /proc can't be read."),
                 {asked}));
    const Place place = placeOf(fd.get(), mounts);
    if (Status open = checkClosed(asked, place, own, mounts); !open)
        return std::unexpected(open.error());
    // By its real path it must be found again: not if it was removed or renamed just now, or lies outside of our root.
    struct stat again = {};
    if (place.path.empty() || ::lstat(place.path.c_str(), &again) < 0 || again.st_dev != info.st_dev
        || again.st_ino != info.st_ino)
        return fail(ErrorCode::Unavailable,
                    Text(QT_TRANSLATE_NOOP("engine", "The folder %1 was moved just now. Try again."), {asked}));
    if (grant.mode == FolderGrant::Mode::ReadWrite) {
        if (Status writable = checkWritable(asked, fd.get(), place, own, mounts); !writable)
            return std::unexpected(writable.error());
    }
    return OpenedFolder{.hostPath = QFile::decodeName(QByteArray::fromStdString(place.path)),
                        .path = grant.path,
                        .writable = grant.mode != FolderGrant::Mode::ReadOnly,
                        .device = info.st_dev,
                        .inode = info.st_ino,
                        .handle = std::make_shared<const UniqueFd>(std::move(fd))};
}

} // namespace glovebox
