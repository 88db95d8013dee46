// SPDX-License-Identifier: Apache-2.0
#include "insiders.h"

#include "sealed.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <algorithm>

using namespace Qt::StringLiterals;

namespace glovebox {

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// All memory of a process that can be read. Counts the bytes that it looked at.
bool memoryHolds(qint64 pid, const QByteArray &marker, qint64 &looked)
{
    const UniqueFd memory(::open(qPrintable(u"/proc/%1/mem"_s.arg(pid)), O_RDONLY | O_CLOEXEC));
    for (const QByteArray &line : contentOf(u"/proc/%1/maps"_s.arg(pid)).split('\n')) {
        const QByteArrayList words = line.simplified().split(' ');
        const QByteArrayList range = words.value(0).split('-');
        if (range.size() != 2 || !words.value(1).startsWith('r') || words.value(5).startsWith("[v"))
            continue;
        const auto from = range[0].toULongLong(nullptr, 16);
        QByteArray bytes(qsizetype(range[1].toULongLong(nullptr, 16) - from), Qt::Uninitialized);
        const ssize_t got = ::pread(memory.get(), bytes.data(), size_t(bytes.size()), off_t(from));
        bytes.truncate(std::max<ssize_t>(got, 0));
        looked += bytes.size();
        if (bytes.contains(marker))
            return true;
    }
    return false;
}

// In a name or a file below the folder; the path, or nothing.
QByteArray placeBelow(const QString &folder, const QByteArray &marker)
{
    QDirIterator files(folder, QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    while (files.hasNext()) {
        const QString path = files.next();
        // A place that is watched: until there is a run nobody answers whoever looks into it, and nothing is there.
        if (path.endsWith(u"/root/run/watched"_s))
            continue;
        const QFileInfo file = files.fileInfo();
        if (path.contains(QString::fromUtf8(marker)) || (file.isFile() && contentOf(path).contains(marker)))
            return path.toUtf8();
        if (file.isDir() && !file.isSymLink()) {
            if (const QByteArray below = placeBelow(path, marker); !below.isEmpty())
                return below;
        }
    }
    return {};
}

bool writeTo(const QString &path, const QByteArray &text)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly | QIODevice::ExistingOnly | QIODevice::Unbuffered)
           && file.write(text) == text.size();
}

} // namespace

QByteArray nameOf(qint64 pid)
{
    return contentOf(u"/proc/%1/comm"_s.arg(pid)).trimmed();
}

QList<qint64> insiders(qint64 ancestor)
{
    QList<qint64> found;
    for (const qint64 pid : descendantsOf(ancestor)) {
        const QByteArray name = nameOf(pid); // nothing has begun in a spare
        if (!name.startsWith("glovebox-spawn") && name != "glovebox-spare" && name != "bwrap")
            found.append(pid);
    }
    return found;
}

qint64 spawnerOf(qint64 ancestor)
{
    for (const qint64 pid : descendantsOf(ancestor)) {
        if (nameOf(pid).startsWith("glovebox-spawn"))
            return pid;
    }
    return 0;
}

QByteArray placeOf(const QByteArray &marker, qint64 &looked)
{
    for (const qint64 pid : insiders()) {
        const QString proc = u"/proc/%1/"_s.arg(pid);
        for (const QString &name : {u"cmdline"_s, u"environ"_s, u"comm"_s}) {
            if (contentOf(proc + name).contains(marker))
                return (proc + name).toUtf8();
        }
        if (memoryHolds(pid, marker, looked))
            return (proc + u"mem"_s).toUtf8();
        for (const QString &folder : {u"work"_s, u"tmp"_s, u"dev/shm"_s, u"var/tmp"_s, u"run"_s, u"etc"_s}) {
            if (const QByteArray path = placeBelow(proc + u"root/"_s + folder, marker); !path.isEmpty())
                return path;
        }
    }
    return {};
}

bool mayReadMemoryInUserNamespaces()
{
    QProcess other;
    other.start(u"unshare"_s, {u"--user"_s, u"sh"_s, u"-c"_s, u"echo ready; read -r line"_s});
    qint64 looked = 0;
    if (other.waitForReadyRead()) // so it is in there
        memoryHolds(other.processId(), "nothing of the kind", looked);
    other.kill();
    other.waitForFinished();
    return looked > 0;
}

QStringList leaves()
{
    QStringList found;
    QDirIterator places(u"/sys/fs/cgroup"_s, {u"glovebox-warm.%1*"_s.arg(spawnerOf())}, QDir::Dirs,
                        QDirIterator::Subdirectories);
    while (places.hasNext()) {
        const QDir place(places.next());
        for (const QString &leaf : place.entryList({u"run-*"_s}, QDir::Dirs))
            found.append(place.filePath(leaf));
    }
    return found;
}

bool change(const QString &leaf, const QByteArray &control)
{
    if (control == "processes")
        return writeTo(leaf + u"/pids.max"_s, "max");
    if (control == "memory") {
        static_cast<void>(writeTo(leaf + u"/memory.memsw.limit_in_bytes"_s, "-1")); // v1: never below the other
        return writeTo(leaf + u"/memory.limit_in_bytes"_s, "-1") || writeTo(leaf + u"/memory.max"_s, "max");
    }
    if (control == "cpu-share")
        return writeTo(leaf + u"/cpu.cfs_quota_us"_s, "-1") || writeTo(leaf + u"/cpu.max"_s, "max");
    if (!QFile::exists(leaf + u"/pids.max"_s))
        return false;
    const QByteArrayList inside = contentOf(leaf + u"/cgroup.procs"_s).split('\n');
    bool moved = false;
    for (const QByteArray &pid : inside)
        moved |= !pid.isEmpty() && writeTo(leaf + u"/../keeper/cgroup.procs"_s, pid);
    return moved;
}

bool enlargesTheDisk(qint64 pid)
{
    const UniqueFd user(::open(qPrintable(u"/proc/%1/ns/user"_s.arg(pid)), O_RDONLY | O_CLOEXEC));
    const UniqueFd mounts(::open(qPrintable(u"/proc/%1/ns/mnt"_s.arg(pid)), O_RDONLY | O_CLOEXEC));
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(::setns(user.get(), CLONE_NEWUSER) == 0 && ::setns(mounts.get(), CLONE_NEWNS) == 0
                        && ::mount("none", "/work", nullptr, MS_REMOUNT | MS_NOSUID | MS_NODEV, "size=512m") == 0
                    ? 0
                    : 1);
    int status = -1;
    ::waitpid(child, &status, 0);
    return status == 0;
}

} // namespace glovebox
