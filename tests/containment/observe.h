// SPDX-License-Identifier: Apache-2.0
// What the host sees of other processes, from its own /proc.
#pragma once

#include <QByteArrayList>
#include <QHash>

namespace containment {

// Living processes that have this in their command line.
QList<qint64> processesWith(const QByteArray &mark);
bool isAlive(qint64 pid); // false for a zombie
QList<qint64> descendantsOf(qint64 pid); // zombies too
QByteArray procFile(qint64 pid, const char *name);
QByteArray statusField(qint64 pid, const QByteArray &name);
QByteArray linkOf(qint64 pid, const QByteArray &name); // "ns/user", "fd/3", ...
QHash<int, QByteArray> descriptorsOf(qint64 pid); // number -> what it is
// Descriptors on mounts that are in nobody's tree.
QByteArrayList detachedMounts(qint64 pid);
qint64 memoryInfo(const QByteArray &name); // bytes, of /proc/meminfo
qint64 residentBytes(qint64 pid); // its share of shared pages counted once

} // namespace containment
