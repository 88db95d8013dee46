// SPDX-License-Identifier: Apache-2.0
#include "leafplace.h"

#include "hierarchies.h"
#include "systemdscope.h"

#include <QDir>
#include <QFile>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

using namespace glovebox::launcher;

namespace glovebox::native {

namespace {

constexpr int removeTries = 100; // of 1 ms: the kernel needs a moment to see that a cgroup is empty
constexpr const char *prefix = "glovebox-";

std::unexpected<Error> failed(const char *what, const std::string &path)
{
    return fail(ErrorCode::Unavailable,
                Text("%1 %2: %3", {QString::fromLatin1(what), QString::fromStdString(path), errnoText(errno)}));
}

Status write(const std::string &path, const std::string &text)
{
    if (!writeAtOnce(AT_FDCWD, path.c_str(), text))
        return failed("write", path);
    return {};
}

QByteArrayList controllersOf(const std::string &folder)
{
    QFile file(QString::fromStdString(folder + "/cgroup.controllers"));
    return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().split(' ') : QByteArrayList();
}

// With everything below it, as far as it is empty.
bool removeFolder(const std::string &path)
{
    const QStringList below =
        QDir(QString::fromStdString(path)).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Unsorted);
    for (const QString &name : below)
        removeFolder(path + "/" + name.toStdString());
    return ::rmdir(path.c_str()) == 0 || errno == ENOENT;
}

// A cgroup that somebody sits in can't be removed: out of the leaves that came to nothing, back to where the engine is. Where
// nothing was moved nothing is: the first move in a while takes the kernel 10 ms.
void takeBack(pid_t spawner)
{
    if (cgroupsOf(QString::number(spawner)) == cgroupsOf(QStringLiteral("self")))
        return;
    for (const Hierarchy &hierarchy : ownCgroups())
        static_cast<void>(write(hierarchy.own + "/cgroup.procs", std::to_string(spawner)));
}

// The lock is worth something only while the path still names what is locked.
bool lockFolder(const std::string &path, UniqueFd &folder)
{
    folder.reset(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat held = {};
    struct stat named = {};
    return folder && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 && ::fstat(folder.get(), &held) == 0
           && ::lstat(path.c_str(), &named) == 0 && held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

} // namespace

LeafPlace::~LeafPlace()
{
    // systemd removes it, and would wait for ever for the end of a scope whose cgroup somebody else removed.
    if (m_isScope)
        return;
    for (const Folder &folder : m_folders) {
        for (int i = 0; i < removeTries && !removeFolder(folder.path) && errno == EBUSY; ++i)
            ::usleep(1000);
    }
}

std::vector<std::string> LeafPlace::controllers() const
{
    std::vector<std::string> all;
    all.reserve(m_folders.size());
    for (const Folder &folder : m_folders)
        all.push_back(folder.controllers);
    return all;
}

std::vector<int> LeafPlace::descriptors() const
{
    std::vector<int> all;
    all.reserve(m_folders.size());
    for (const Folder &folder : m_folders)
        all.push_back(folder.descriptor.get());
    return all;
}

bool LeafPlace::boundsCpuShare() const
{
    // Not every kernel that shares the processors out can bound a share (CONFIG_CFS_BANDWIDTH).
    return std::ranges::any_of(m_folders, [](const Folder &folder) {
        return QByteArray::fromStdString(folder.controllers).split(',').contains("cpu")
               && (::faccessat(folder.descriptor.get(), "cpu.max", F_OK, 0) == 0
                   || ::faccessat(folder.descriptor.get(), "cpu.cfs_quota_us", F_OK, 0) == 0);
    });
}

Status LeafPlace::add(const std::string &parent, const std::string &controllers)
{
    const std::string path = parent + "/" + m_name;
    // Twice, should somebody have removed it as abandoned before it was locked.
    for (int i = 0; i < 2; ++i) {
        if (::mkdir(path.c_str(), 0755) < 0)
            return failed("make", path);
        Folder folder{controllers, path, {}};
        if (lockFolder(path, folder.descriptor)) {
            m_folders.push_back(std::move(folder));
            return {};
        }
        ::rmdir(path.c_str());
    }
    return failed("lock", path);
}

Status LeafPlace::giveTo(HostIdentity identity) const
{
    if (::geteuid() != 0)
        return {};
    for (const Folder &folder : m_folders) {
        if (::fchown(folder.descriptor.get(), identity.uid, identity.gid) < 0)
            return failed("chown", folder.path);
        // v2 asks for these when a process is put into a leaf, and nothing else is given away (cgroup-v2.rst, Delegation).
        for (const char *file : {"cgroup.procs", "cgroup.subtree_control", "cgroup.threads"}) {
            if (m_kind == LeafKind::Cgroup2
                && ::fchownat(folder.descriptor.get(), file, identity.uid, identity.gid, 0) < 0)
                return failed("chown", folder.path + "/" + file);
        }
    }
    return {};
}

Result<std::unique_ptr<LeafPlace>> LeafPlace::makeCgroup1(const std::string &name, HostIdentity identity)
{
    std::unique_ptr<LeafPlace> place(new LeafPlace(LeafKind::Cgroup1, name));
    QByteArrayList missing{"memory", "pids", "cpuacct"};
    for (const Hierarchy &hierarchy : ownCgroups()) {
        if (hierarchy.second)
            continue;
        const QByteArrayList controllers = QByteArray::fromStdString(hierarchy.controllers).split(',');
        const bool isWanted =
            std::ranges::any_of(controllers, [&](const QByteArray &c) { return c == "cpu" || missing.contains(c); });
        if (!isWanted)
            continue;
        RETURN_IF_ERROR(place->add(hierarchy.own, hierarchy.controllers));
        for (const QByteArray &controller : controllers)
            missing.removeAll(controller);
    }
    if (!missing.isEmpty())
        return fail(ErrorCode::Unavailable, Text("no cgroup v1 of %1", {QString::fromLatin1(missing.join(", "))}));
    RETURN_IF_ERROR(place->giveTo(identity));
    return place;
}

// The controllers that a folder's children get are its parent's to give, and a cgroup that has processes of its own gives
// none (cgroup-v2.rst, "No Internal Process Constraint").
Status LeafPlace::takeControllers(const std::string &parent, pid_t spawner)
{
    Folder &folder = m_folders.front();
    QByteArrayList present = controllersOf(folder.path);
    for (const QByteArray &wanted :
         {QByteArrayLiteral("memory"), QByteArrayLiteral("pids"), QByteArrayLiteral("cpu")}) {
        if (!present.contains(wanted))
            static_cast<void>(write(parent + "/cgroup.subtree_control", "+" + wanted.toStdString()));
    }
    present = controllersOf(folder.path);
    if (!present.contains("memory") || !present.contains("pids"))
        return fail(ErrorCode::Unavailable, Text("%1 gives no controllers", {QString::fromStdString(parent)}));

    const std::string keeper = folder.path + "/keeper";
    if (::mkdir(keeper.c_str(), 0755) < 0)
        return failed("make", keeper);
    RETURN_IF_ERROR(write(keeper + "/cgroup.procs", std::to_string(spawner)));
    folder.controllers = "memory,pids";
    RETURN_IF_ERROR(write(folder.path + "/cgroup.subtree_control", "+memory +pids"));
    if (present.contains("cpu") && write(folder.path + "/cgroup.subtree_control", "+cpu"))
        folder.controllers += ",cpu";
    return {};
}

Result<std::unique_ptr<LeafPlace>> LeafPlace::makeCgroup2(const std::string &name, HostIdentity identity, pid_t spawner)
{
    const std::vector<Hierarchy> hierarchies = ownCgroups();
    const auto unified = std::ranges::find(hierarchies, true, &Hierarchy::second);
    if (unified == hierarchies.end())
        return fail(ErrorCode::Unavailable, Text("no cgroup v2"));
    if (!controllersOf(unified->top).contains("memory"))
        return fail(ErrorCode::Unavailable, Text("cgroup v2 has no memory controller"));
    Error nearest;
    for (const std::string &parent : upwards(*unified)) {
        std::unique_ptr<LeafPlace> place(new LeafPlace(LeafKind::Cgroup2, name));
        Status ready = place->add(parent, {});
        if (ready)
            ready = place->giveTo(identity);
        if (ready)
            ready = place->takeControllers(parent, spawner);
        if (ready)
            return place;
        nearest = ready.error();
        takeBack(spawner);
    }
    return std::unexpected(nearest);
}

Result<std::unique_ptr<LeafPlace>> LeafPlace::makeScope(const std::string &name, HostIdentity identity, pid_t spawner)
{
    std::unique_ptr<LeafPlace> place(new LeafPlace(LeafKind::Cgroup2, name + ".scope"));
    ASSIGN_OR_RETURN(const std::string path, startScope(place->m_name, spawner));
    place->m_isScope = true;
    Folder folder{{}, path, {}};
    if (!lockFolder(folder.path, folder.descriptor))
        return failed("lock", folder.path);
    place->m_folders.push_back(std::move(folder));
    RETURN_IF_ERROR(place->giveTo(identity));
    RETURN_IF_ERROR(place->takeControllers(path.substr(0, path.rfind('/')), spawner));
    return place;
}

std::unique_ptr<LeafPlace> settleLeaves(const std::string &name, HostIdentity identity, pid_t spawner,
                                        const std::function<Status(const LeafPlace &)> &attempt)
{
    const std::function<Result<std::unique_ptr<LeafPlace>>()> choices[] = {
        [&] { return LeafPlace::makeScope(name, identity, spawner); },
        [&] { return LeafPlace::makeCgroup2(name, identity, spawner); },
        [&] { return LeafPlace::makeCgroup1(name, identity); },
    };
    for (const auto &make : choices) {
        Result<std::unique_ptr<LeafPlace>> place = make();
        const Status tried = place ? attempt(**place) : std::unexpected(place.error());
        if (tried)
            return std::move(*place);
        qCDebug(lcSandbox).noquote() << "no leaves:" << tried.error().message.english();
        takeBack(spawner);
    }
    return nullptr;
}

void removeAbandonedPlaces()
{
    for (const Hierarchy &hierarchy : ownCgroups()) {
        for (const std::string &parent : upwards(hierarchy)) {
            const QStringList names =
                QDir(QString::fromStdString(parent)).entryList(QDir::Dirs | QDir::NoSymLinks, QDir::Unsorted);
            for (const QString &name : names) {
                UniqueFd folder;
                const std::string path = parent + "/" + name.toStdString();
                if (name.startsWith(QLatin1StringView(prefix)) && !name.endsWith(QLatin1StringView(".scope"))
                    && lockFolder(path, folder))
                    removeFolder(path);
            }
        }
    }
}

} // namespace glovebox::native
