// SPDX-License-Identifier: Apache-2.0
#include "runplan.h"

#include "mounts/mountplan.h"

#include <QFile>

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <limits>

using namespace glovebox::launcher;

namespace glovebox::native {

namespace {

constexpr std::uint64_t openFiles =
    512; // descriptors in flight count against the person, who has twice as many at least
// What programs reserve and never touch: 8 MB for the stack of each thread, and V8 more.
constexpr qint64 reservedAddresses = 512 * mebibyte;

// Of what the kernel gives to each user a run gets so much that 16 of them leave three quarters.
constexpr std::uint64_t quotaParts = 64;
constexpr std::uint64_t mostOfAQuota = 1024;

std::uint64_t partOf(std::uint64_t quota)
{
    return std::max<std::uint64_t>(quota / quotaParts, 1);
}

std::uint64_t partOfLimit(__rlimit_resource resource)
{
    rlimit limit{};
    return ::getrlimit(resource, &limit) == 0 ? partOf(limit.rlim_cur) : 1;
}

// The machine's, or less in a user namespace that has a bound of its own (a container's).
std::uint64_t partOfInotify(const QString &machine, const QString &own)
{
    std::uint64_t quota = std::numeric_limits<int>::max();
    for (const QString &path : {machine, own}) {
        QFile file(path);
        bool isNumber = false;
        const std::uint64_t bound =
            file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().toULongLong(&isNumber) : 0;
        if (isNumber)
            quota = std::min(quota, bound);
    }
    return partOf(quota);
}

void planQuotas(Plan &plan)
{
    plan.pendingSignals = std::min(partOfLimit(RLIMIT_SIGPENDING), mostOfAQuota);
    plan.messageQueues = partOfLimit(RLIMIT_MSGQUEUE);
    static const std::uint64_t instances = partOfInotify(QStringLiteral("/proc/sys/fs/inotify/max_user_instances"),
                                                         QStringLiteral("/proc/sys/user/max_inotify_instances"));
    static const std::uint64_t watches = partOfInotify(QStringLiteral("/proc/sys/fs/inotify/max_user_watches"),
                                                       QStringLiteral("/proc/sys/user/max_inotify_watches"));
    plan.inotifyInstances = instances;
    plan.inotifyWatches = watches;
}

// Of this process, which enters no others; 0: can't be told.
std::array<std::uint64_t, namespaceNames.size()> namespaceInodes()
{
    std::array<std::uint64_t, namespaceNames.size()> inodes{};
    for (std::size_t i = 0; i < inodes.size(); ++i) {
        struct stat info = {};
        if (::stat((std::string("/proc/self/ns/") + namespaceNames[i]).c_str(), &info) == 0)
            inodes[i] = info.st_ino;
    }
    return inodes;
}

std::vector<std::string> strings(const QByteArrayList &list)
{
    std::vector<std::string> all;
    for (const QByteArray &text : list)
        all.push_back(text.toStdString());
    return all;
}

void planLimits(const SandboxShape &shape, const Assignment &assignment, Plan &plan)
{
    const Tmpfs &tmpfs = shape.workspace;
    const bool hasGranted = !assignment.granted.isEmpty() || !assignment.copies.isEmpty();
    plan.scratchBytes = static_cast<std::uint64_t>(tmpfs.bytes);
    plan.scratchInodes = static_cast<std::uint64_t>(tmpfs.files);
    if (hasGranted) // in memory, where a file may have holes, its file system bounds what it takes
        plan.fileSize = plan.scratchBytes;
    plan.openFiles = openFiles;
    planQuotas(plan);
    plan.refuseUnixSockets = !shape.folders.isEmpty() || hasGranted;
    plan.refuseSetId = hasGranted;
    plan.refuseAllocation = std::ranges::any_of(assignment.granted, &OpenedFolder::writable);
    if (const auto cpu = shape.limits.cpu)
        plan.cpuSeconds = static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(*cpu).count());
}

// What an interpreter that waits has loaded already. /usr is shown to runs as it is, so only that can be out of date: the
// interpreter changed, or a package was installed, upgraded or removed.
std::vector<std::string> filesOf(const SandboxShape &shape)
{
    std::vector<std::string> files{shape.argv.value(0).toStdString(),
                                   "/usr",
                                   "/usr/bin",
                                   "/usr/lib",
                                   "/usr/local/bin",
                                   "/usr/local/lib",
                                   "/etc/ld.so.cache",
                                   "/etc/alternatives",
                                   "/var/lib/dpkg/status",
                                   "/var/lib/rpm",
                                   "/var/lib/pacman/local"};
    for (const QString &folder : shape.folders)
        files.push_back(QFile::encodeName(folder).toStdString());
    return files;
}

} // namespace

void planTreeLimits(const SandboxShape &shape, LeafKind leaf, bool boundsCpuShare, Plan &plan)
{
    const SandboxLimits &limits = shape.limits;
    plan.leaf = leaf;
    plan.processMemory = static_cast<std::uint64_t>(limits.memoryBytes);
    plan.treeMemory = static_cast<std::uint64_t>(limits.memoryBytes + shape.workspace.bytes);
    plan.treeCpu = static_cast<std::uint64_t>(
        std::chrono::microseconds(limits.cpu.value_or(std::chrono::milliseconds(0))).count());
    const auto cpuPercent = static_cast<std::uint64_t>(limits.cpuPercent.value_or(0));
    if (boundsCpuShare)
        plan.cpuPercent = cpuPercent;
    else
        plan.processors = (cpuPercent + 99) / 100;
    const std::uint64_t processes = static_cast<std::uint64_t>(limits.processes) + 1; // PID 1 is not the person's
    if (leaf != LeafKind::None) {
        plan.treeProcesses = processes + (plan.builder == Builder::Bubblewrap ? 1 : 0);
        return;
    }
    plan.refuseUncountedMemory = 1;
    plan.processes = processes;
    plan.dataSegment = static_cast<std::uint64_t>(limits.memoryBytes + reservedAddresses);
}

Result<Plan> planFor(const SandboxShape &shape, const Assignment &assignment)
{
    Plan plan;
    plan.argv = strings(shape.argv);
    plan.environment = strings(shape.environment);
    plan.hasTerminal = shape.hasTerminal;
    plan.hasChannel = shape.hasDriver;
    plan.hasEgress = shape.hasEgress;
    for (const InnerSocket &socket : shape.listeners)
        plan.listeners.push_back({.port = socket.port, .datagram = socket.datagram, .everywhere = socket.everywhere});
    plan.connectors = static_cast<std::uint64_t>(shape.connectors);
    static const auto ownNamespaces = namespaceInodes();
    plan.hostNamespaces = ownNamespaces;
    planLimits(shape, assignment, plan);
    RETURN_IF_ERROR(planMounts(shape, assignment, plan));
    return plan;
}

void planForBubblewrap(const QString &program, Plan &plan)
{
    plan.builder = Builder::Bubblewrap;
    plan.bubblewrap = QFile::encodeName(program).toStdString();
    plan.refuseInotify = 1;
    // /work is a link under bwrap: without PWD a shell prints its target.
    plan.environment.emplace_back("PWD=/work");
}

WarmShape warmShape(const SandboxShape &shape, const Plan &plan)
{
    WarmShape warm{.shape = shape, .plan = plan.encode(), .watched = filesOf(shape)};
    warm.stamp = stampOf(warm.watched);
    return warm;
}

} // namespace glovebox::native
