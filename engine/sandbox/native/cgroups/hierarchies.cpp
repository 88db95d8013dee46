// SPDX-License-Identifier: Apache-2.0
#include "hierarchies.h"

#include "engine/sandbox/native/mounts/mounttable.h"

#include <QFile>

#include <sys/stat.h>

#include <algorithm>

namespace glovebox::native {

namespace {

bool isFolder(const std::string &path)
{
    struct stat info = {};
    return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// All of the controllers are among the mount's options.
bool hasAll(const std::string &options, const std::string &controllers)
{
    const QByteArrayList present = QByteArray::fromStdString(options).split(',');
    return std::ranges::all_of(QByteArray::fromStdString(controllers).split(','),
                               [&](const QByteArray &controller) { return present.contains(controller); });
}

} // namespace

QByteArray cgroupsOf(const QString &process)
{
    QFile file(QStringLiteral("/proc/%1/cgroup").arg(process));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::vector<Hierarchy> ownCgroups()
{
    std::vector<Hierarchy> hierarchies;
    std::vector<Mount> mounts = *readMounts();
    std::erase_if(mounts, [](const Mount &mount) { return mount.type != "cgroup" && mount.type != "cgroup2"; });
    for (const QByteArray &line : cgroupsOf(QStringLiteral("self")).split('\n')) {
        // id ":" controllers ":" path; v2 has no controllers, and a v1 hierarchy without any has a name
        const qsizetype first = line.indexOf(':');
        const qsizetype second = line.indexOf(':', first + 1);
        if (first < 0 || second < 0)
            continue;
        Hierarchy found;
        found.controllers = line.sliced(first + 1, second - first - 1).toStdString();
        found.second = line.startsWith("0::");
        const std::string path = line.sliced(second + 1).toStdString();
        if (!found.second && (found.controllers.empty() || found.controllers.starts_with("name=")))
            continue;
        const auto mount = std::ranges::find_if(mounts, [&](const Mount &m) {
            return found.second ? m.type == "cgroup2" : m.type == "cgroup" && hasAll(m.superOptions, found.controllers);
        });
        if (mount == mounts.end())
            continue;
        found.top = mount->point;
        found.own = found.top;
        if (isAtOrBelow(path, mount->root)) {
            const std::string below = mount->root == "/" ? path : path.substr(mount->root.size());
            if (below.size() > 1 && isFolder(found.top + below))
                found.own = found.top + below;
        }
        hierarchies.push_back(found);
    }
    return hierarchies;
}

std::vector<std::string> upwards(const Hierarchy &hierarchy)
{
    std::vector<std::string> folders;
    for (std::string at = hierarchy.own; at.size() > hierarchy.top.size(); at.resize(at.rfind('/')))
        folders.push_back(at);
    folders.push_back(hierarchy.top);
    return folders;
}

} // namespace glovebox::native
