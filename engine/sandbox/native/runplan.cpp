// SPDX-License-Identifier: Apache-2.0
#include "runplan.h"

#include "mounts/mountplan.h"

#include <QFile>

#include <sys/stat.h>

using namespace glovebox::launcher;

namespace glovebox::native {

namespace {

constexpr std::uint64_t openFiles =
    512; // descriptors in flight count against the person, who has twice as many at least
constexpr std::uint64_t pendingSignals = 1024;
// V8 keeps code, stacks and young generation outside of the heap that its own flag bounds.
constexpr qint64 unboundedRuntimeReserve = 512 * mebibyte;

std::uint64_t namespaceInode(const char *name)
{
    struct stat info = {};
    return ::stat((std::string("/proc/self/ns/") + name).c_str(), &info) == 0 ? info.st_ino : 0;
}

std::vector<std::string> strings(const QByteArrayList &list)
{
    std::vector<std::string> all;
    for (const QByteArray &text : list)
        all.push_back(text.toStdString());
    return all;
}

void planLimits(const SandboxSpec &spec, Plan &plan)
{
    const Limits &limits = spec.policy.limits;
    plan.scratchBytes = static_cast<std::uint64_t>(limits.diskBytes);
    plan.scratchInodes = static_cast<std::uint64_t>(limits.diskFiles());
    plan.fileSize = plan.scratchBytes;
    plan.openFiles = openFiles;
    plan.pendingSignals = pendingSignals;
    plan.refuseUnixSockets = !spec.folders.isEmpty() || !spec.granted.isEmpty();
    plan.refuseSetId = !spec.granted.isEmpty();
    if (limits.cpu)
        plan.cpuSeconds = static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(*limits.cpu).count());
}

// What an interpreter that waits has loaded already. /usr is shown to runs as it is, so only that can be out of date: the
// interpreter changed, or a package was installed, upgraded or removed.
std::vector<std::string> filesOf(const SandboxSpec &spec)
{
    std::vector<std::string> files{spec.argv.value(0).toStdString(),
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
    for (const QString &folder : spec.folders)
        files.push_back(QFile::encodeName(folder).toStdString());
    return files;
}

} // namespace

void planTreeLimits(const SandboxSpec &spec, LeafKind leaf, bool boundsCpuShare, Plan &plan)
{
    const Limits &limits = spec.policy.limits;
    plan.leaf = leaf;
    plan.treeMemory = static_cast<std::uint64_t>(limits.memoryBytes + limits.diskBytes);
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
    if (spec.boundsAddressSpace)
        plan.addressSpace = static_cast<std::uint64_t>(limits.memoryBytes);
    else
        plan.dataSegment = static_cast<std::uint64_t>(limits.memoryBytes + unboundedRuntimeReserve);
}

Result<Plan> planFor(const SandboxSpec &spec)
{
    Plan plan;
    plan.argv = strings(spec.argv);
    plan.environment = strings(spec.environment);
    plan.hasTerminal = spec.terminal.has_value();
    plan.hasChannel = spec.hasDriver;
    for (const InnerSocket &socket : spec.listeners)
        plan.listeners.push_back({.port = socket.port, .datagram = socket.datagram, .everywhere = socket.everywhere});
    for (std::size_t i = 0; i < namespaceNames.size(); ++i)
        plan.hostNamespaces[i] = namespaceInode(namespaceNames[i]);
    planLimits(spec, plan);
    if (Status mounts = planMounts(spec, plan); !mounts)
        return std::unexpected(mounts.error());
    return plan;
}

void planForBubblewrap(const QString &program, Plan &plan)
{
    plan.builder = Builder::Bubblewrap;
    plan.bubblewrap = QFile::encodeName(program).toStdString();
    plan.refuseInotify = 1;
    // It is a link, and a shell that isn't told says where it leads.
    plan.environment.emplace_back("PWD=/work");
}

WarmShape shapeOf(const Plan &plan, const SandboxSpec &spec)
{
    WarmShape shape{.plan = plan.encode(),
                    .strict = spec.policy.strict,
                    .memoryBytes = spec.policy.limits.memoryBytes,
                    .watched = filesOf(spec)};
    shape.stamp = stampOf(shape.watched);
    return shape;
}

} // namespace glovebox::native
