// SPDX-License-Identifier: Apache-2.0
#include "engine/base/base.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QString placeOfProcess(qint64 pid, QLatin1StringView name)
{
    return u"/proc/%1/%2"_s.arg(pid).arg(name);
}

QByteArray factOfProcess(qint64 pid, QLatin1StringView name)
{
    QFile file(placeOfProcess(pid, name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

QList<qint64> processesOfMachine()
{
    QList<qint64> pids;
    for (const QString &entry : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
        if (const qint64 pid = entry.toLongLong(); pid > 0)
            pids.append(pid);
    }
    return pids;
}

QString programOfProcess(qint64 pid)
{
    return QFileInfo(placeOfProcess(pid, "exe"_L1)).symLinkTarget();
}

QString folderOfProcess(qint64 pid)
{
    return QFileInfo(placeOfProcess(pid, "cwd"_L1)).symLinkTarget();
}

// proc_pid_stat(5): the fourth word; the second is in brackets, and may hold any character.
qint64 parentOfProcess(qint64 pid)
{
    const QByteArray stat = factOfProcess(pid, "stat"_L1);
    return stat.sliced(stat.lastIndexOf(')') + 1).simplified().split(' ').value(1).toLongLong();
}

QByteArray argumentsOfProcess(qint64 pid)
{
    return factOfProcess(pid, "cmdline"_L1);
}

QByteArray environmentOfProcess(qint64 pid)
{
    return factOfProcess(pid, "environ"_L1);
}

QHash<QByteArray, QByteArray> statusOfProcess(qint64 pid)
{
    QHash<QByteArray, QByteArray> status;
    for (const QByteArray &line : factOfProcess(pid, "status"_L1).split('\n')) {
        if (const qsizetype end = line.indexOf(':'); end > 0)
            status.insert(line.first(end), line.sliced(end + 1).simplified());
    }
    return status;
}

} // namespace glovebox
