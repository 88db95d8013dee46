// SPDX-License-Identifier: Apache-2.0
#include "observe.h"

#include <QDir>
#include <QFile>
#include <QSet>

#include <unistd.h>

#include <array>

namespace containment {

namespace {

QByteArray pathOf(qint64 pid, const QByteArray &name)
{
    return "/proc/" + QByteArray::number(pid) + '/' + name;
}

QList<qint64> allProcesses()
{
    QList<qint64> all;
    const QStringList entries = QDir(QStringLiteral("/proc")).entryList(QDir::Dirs);
    for (const QString &entry : entries) {
        if (const qint64 pid = entry.toLongLong(); pid > 0)
            all.append(pid);
    }
    return all;
}

QByteArray readAll(const QByteArray &path)
{
    QFile file(QFile::decodeName(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Behind the name, which may hold anything: state, parent, ...
QByteArrayList statWords(qint64 pid)
{
    const QByteArray text = readAll(pathOf(pid, "stat"));
    return text.mid(text.lastIndexOf(')') + 2).split(' ');
}

// The number behind "Name:" in lines of a kernel table.
QByteArray field(const QByteArray &table, const QByteArray &name)
{
    for (const QByteArray &line : table.split('\n')) {
        if (line.startsWith(name + ':'))
            return line.mid(name.size() + 1).simplified();
    }
    return {};
}

} // namespace

QList<qint64> processesWith(const QByteArray &mark)
{
    QList<qint64> found;
    for (const qint64 pid : allProcesses()) {
        if (pid != ::getpid() && readAll(pathOf(pid, "cmdline")).contains(mark) && isAlive(pid))
            found.append(pid);
    }
    return found;
}

bool isAlive(qint64 pid)
{
    const QByteArray state = statWords(pid).value(0);
    return !state.isEmpty() && state != "Z" && state != "X";
}

QList<qint64> descendantsOf(qint64 pid)
{
    QHash<qint64, QList<qint64>> children;
    for (const qint64 child : allProcesses())
        children[statWords(child).value(1).toLongLong()].append(child);
    QList<qint64> found = children.value(pid);
    for (qsizetype i = 0; i < found.size(); ++i)
        found += children.value(found.at(i));
    return found;
}

QByteArray procFile(qint64 pid, const char *name)
{
    return readAll(pathOf(pid, name));
}

QByteArray statusField(qint64 pid, const QByteArray &name)
{
    return field(readAll(pathOf(pid, "status")), name);
}

QByteArray linkOf(qint64 pid, const QByteArray &name)
{
    std::array<char, 4096> target{};
    const ssize_t length = ::readlink(pathOf(pid, name).constData(), target.data(), target.size());
    return QByteArray(target.data(), std::max<ssize_t>(length, 0));
}

QHash<int, QByteArray> descriptorsOf(qint64 pid)
{
    QHash<int, QByteArray> all;
    const QStringList numbers =
        QDir(QFile::decodeName(pathOf(pid, "fd"))).entryList(QDir::NoDotAndDotDot | QDir::AllEntries | QDir::System);
    for (const QString &number : numbers)
        all.insert(number.toInt(), linkOf(pid, "fd/" + number.toLatin1()));
    return all;
}

QByteArrayList detachedMounts(qint64 pid)
{
    QSet<QByteArray> attached;
    for (const QByteArray &line : procFile(pid, "mountinfo").split('\n'))
        attached.insert(line.split(' ').value(0));
    QByteArrayList detached;
    const QHash<int, QByteArray> descriptors = descriptorsOf(pid);
    for (auto it = descriptors.begin(); it != descriptors.end(); ++it) {
        const QByteArray mount = field(readAll(pathOf(pid, "fdinfo/" + QByteArray::number(it.key()))), "mnt_id");
        if (it->startsWith('/') && !it->startsWith("/memfd:") && !attached.contains(mount))
            detached.append(*it);
    }
    return detached;
}

qint64 memoryInfo(const QByteArray &name)
{
    return field(readAll("/proc/meminfo"), name).split(' ').value(0).toLongLong() * 1024;
}

qint64 residentBytes(qint64 pid)
{
    return field(readAll(pathOf(pid, "smaps_rollup")), "Pss").split(' ').value(0).toLongLong() * 1024;
}

} // namespace containment
