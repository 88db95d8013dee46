// SPDX-License-Identifier: Apache-2.0
#include "figures.h"

#include "engine/base/base.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <vector>

namespace glovebox::soak {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 kibi = 1024;
constexpr qint64 mebi = 1024 * kibi;

// A bound of growth between the first quarter of a soak and its last one. Slack is for what differs from one look to the next in an
// engine that holds nothing back.
struct Bound
{
    const char *name;
    std::optional<qint64> (*of)(const Figures &);
    qint64 slack;
    qint64 unit;
    const char *unitName;
};

template<auto member> std::optional<qint64> figure(const Figures &figures)
{
    return figures.*member;
}

// Sanitizers keep what was freed, and descriptions of it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr qint64 ofMemory = 1024;
#else
constexpr qint64 ofMemory = 1;
#endif

constexpr Bound bounds[] = {
    // SQLite has up to 2 MiB of the log at hand for each connection, and fills that slowly: 50 bytes a run of 100,000.
    {"heap", figure<&Figures::heapBytes>, 3 * mebi *ofMemory, kibi, "KiB"},
    // The same, with the holes between: what several threads allocate by turns isn't given back to the kernel.
    {"resident memory", figure<&Figures::residentBytes>, 24 * mebi *ofMemory, kibi, "KiB"},
    {"spawner's resident memory", figure<&Figures::spawnerBytes>, 1 * mebi *ofMemory, kibi, "KiB"},
    // What waits warm may be one sandbox more or less: its channel, its streams and its listener.
    {"descriptors", figure<&Figures::descriptors>, 24, 1, ""},
    {"spawner's descriptors", figure<&Figures::spawnerDescriptors>, 24, 1, ""},
    {"processes", figure<&Figures::processes>, 6, 1, ""},
    {"cgroups", figure<&Figures::cgroups>, 12, 1, ""}, // where v1 has three hierarchies
    {"threads", figure<&Figures::threads>, 3, 1, ""},
    {"mounts", figure<&Figures::mounts>, 0, 1, ""},
    // Codes and outputs are kept once each, and nearly all came with the first run of their kind; files that are written just now.
    {"files", figure<&Figures::files>, 8, 1, ""},
    // SQLite moves it into the database at 1,000 pages of 4 KiB, later while somebody reads.
    {"log that waits", figure<&Figures::walBytes>, 16 * mebi, kibi, "KiB"},
};

QByteArray contentOf(const QString &file)
{
    QFile opened(file);
    return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray();
}

qint64 entriesIn(const QString &folder)
{
    return QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot).size();
}

qint64 residentOf(qint64 process)
{
    return contentOf(u"/proc/%1/statm"_s.arg(process)).split(' ').value(1).toLongLong() * ::sysconf(_SC_PAGESIZE);
}

struct Process
{
    qint64 id;
    qint64 parent;
    QByteArray name;
};

QList<Process> allProcesses()
{
    QList<Process> all;
    for (const QString &entry : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
        const qint64 id = entry.toLongLong();
        const QByteArray stat = id > 0 ? contentOf(u"/proc/%1/stat"_s.arg(id)) : QByteArray();
        const qsizetype begin = stat.indexOf('('), end = stat.lastIndexOf(')');
        if (begin > 0 && end > begin)
            all.append({id, stat.mid(end + 4).split(' ').value(0).toLongLong(), stat.mid(begin + 1, end - begin - 1)});
    }
    return all;
}

QList<Process> descendants()
{
    const QList<Process> all = allProcesses();
    QList<Process> below;
    QList<qint64> parents{::getpid()};
    while (!parents.isEmpty()) {
        const qint64 parent = parents.takeFirst();
        for (const Process &process : all) {
            if (process.parent != parent)
                continue;
            below.append(process);
            parents.append(process.id);
        }
    }
    return below;
}

qint64 filesBelow(const QString &folder)
{
    qint64 files = 0;
    QDirIterator entries(folder, QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot,
                         QDirIterator::Subdirectories);
    for (; entries.hasNext(); entries.next())
        ++files;
    return files;
}

std::optional<qint64> cgroupsOf(const QString &engineId)
{
    const QString root = u"/sys/fs/cgroup"_s;
    if (!QDir(root).exists())
        return std::nullopt;
    qint64 folders = 0;
    QDirIterator entries(root, QDir::Dirs | QDir::NoSymLinks | QDir::NoDotAndDotDot, QDirIterator::Subdirectories);
    while (entries.hasNext())
        folders += entries.next().contains(engineId) ? 1 : 0;
    return folders;
}

} // namespace

Figures look(const QString &home, const QString &engineId)
{
    Figures figures;
    const struct mallinfo2 heap = ::mallinfo2();
    figures.heapBytes = qint64(heap.uordblks) + qint64(heap.hblkhd);
    figures.residentBytes = residentOf(::getpid());
    figures.descriptors = entriesIn(u"/proc/self/fd"_s);
    figures.threads = entriesIn(u"/proc/self/task"_s);
    figures.mounts = contentOf(u"/proc/self/mountinfo"_s).count('\n');
    for (const Process &process : descendants()) {
        ++figures.processes;
        if (!process.name.startsWith("glovebox-spawn")) // the kernel cuts names off
            continue;
        const QString folder = u"/proc/%1"_s.arg(process.id);
        figures.spawnerBytes = residentOf(process.id);
        figures.spawnerDescriptors = entriesIn(folder + u"/fd"_s);
        figures.mounts += contentOf(folder + u"/mountinfo"_s).count('\n');
    }
    figures.cgroups = cgroupsOf(engineId);
    // Started by root, an engine has its copies there.
    const QByteArray data = QFile::encodeName(home + u"/data"_s);
    figures.files =
        filesBelow(home)
        + filesBelow(u"/var/lib/glovebox/staging-"_s + QString::fromLatin1(sha256({data}).toHex().first(16)));
    figures.walBytes = QFile(home + u"/data/audit.db-wal"_s).size();
    figures.logBytes = QFile(home + u"/data/audit.db"_s).size();
    return figures;
}

void printHeading()
{
    std::printf("%9s %8s %9s %9s %9s %6s %6s %7s %9s %7s %6s %6s %9s %10s\n", "runs", "seconds", "heap KiB", "RSS KiB",
                "spawner", "fds", "its", "threads", "processes", "cgroups", "mounts", "files", "WAL KiB", "log KiB");
}

void print(const Figures &figures)
{
    const std::string cgroups = figures.cgroups ? std::to_string(*figures.cgroups) : "-";
    std::printf("%9lld %8.1f %9lld %9lld %9lld %6lld %6lld %7lld %9lld %7s %6lld %6lld %9lld %10lld\n", figures.runs,
                figures.seconds, figures.heapBytes / kibi, figures.residentBytes / kibi, figures.spawnerBytes / kibi,
                figures.descriptors, figures.spawnerDescriptors, figures.threads, figures.processes, cgroups.c_str(),
                figures.mounts, figures.files, figures.walBytes / kibi, figures.logBytes / kibi);
    std::fflush(stdout);
}

// The least of the last quarter against the most of the first: a single look at a busy moment is no trend.
QList<std::string> whatGrew(const QList<Figures> &looks)
{
    QList<std::string> grew;
    const qsizetype quarter = (looks.size() + 3) / 4;
    for (const Bound &bound : bounds) {
        std::optional<qint64> before, after;
        for (const Figures &one : looks.first(quarter))
            before = std::max(before, bound.of(one));
        for (const Figures &one : looks.last(quarter))
            after = after ? std::min(after, bound.of(one)) : bound.of(one);
        if (before && after && *after - *before > bound.slack)
            grew.append(std::string(bound.name) + " grew from " + std::to_string(*before / bound.unit) + " to "
                        + std::to_string(*after / bound.unit) + " " + bound.unitName + ", by more than "
                        + std::to_string(bound.slack / bound.unit));
    }
    return grew;
}

} // namespace glovebox::soak
