// SPDX-License-Identifier: Apache-2.0
// The living programs of this process in which folders are opened.
#pragma once

#include <QCoreApplication>
#include <QDir>
#include <QFile>

#include <sys/types.h>

namespace glovebox {

inline QList<pid_t> openers()
{
    QList<pid_t> all;
    for (const QString &pid : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        QFile stat(QStringLiteral("/proc/") + pid + QStringLiteral("/stat"));
        if (!stat.open(QIODevice::ReadOnly))
            continue;
        const QByteArray text = stat.readAll();
        const QByteArrayList after = text.mid(text.lastIndexOf(')') + 2).split(' '); // state, parent
        if (text.contains("(glovebox-opener)") && after.value(1).toLongLong() == QCoreApplication::applicationPid()
            && after.value(0) != "Z")
            all.append(pid.toInt());
    }
    return all;
}

} // namespace glovebox
