// SPDX-License-Identifier: Apache-2.0
// What the host sees of sandboxes that wait, and what somebody on it could do to them.
#pragma once

#include <QByteArray>
#include <QList>
#include <QStringList>

#include <unistd.h>

namespace glovebox {

QByteArray nameOf(qint64 pid);
// Everything inside of all living sandboxes below that process: their PID 1 and what these started.
QList<qint64> insiders(qint64 ancestor = ::getpid());
// 0: there is none.
qint64 spawnerOf(qint64 ancestor = ::getpid());
// Where in the sandboxes the marker is found; empty: nowhere. looked counts the bytes of memory that were looked at.
QByteArray placeOf(const QByteArray &marker, qint64 &looked);
// Of a program in a user namespace that is this user's, and no sandbox of ours.
bool mayReadMemoryInUserNamespaces();
// The cgroups of all sandboxes of this test, in every hierarchy.
QStringList leaves();
// As root on the host could, or with cgroup v2 the person. False where that hierarchy has nothing of the kind.
bool change(const QString &leaf, const QByteArray &control);
// As somebody on the host could: the user namespace is its maker's. In a child, as only a process with one thread may enter.
bool enlargesTheDisk(qint64 pid);

} // namespace glovebox
