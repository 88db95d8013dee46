// SPDX-License-Identifier: Apache-2.0
// Other processes of this machine, as the system tells of them. POSIX tells nothing: what is not known is empty, or 0.
#pragma once

#include <QByteArray>
#include <QHash>
#include <QList>
#include <QString>

namespace glovebox {

QList<qint64> processesOfMachine();
QString programOfProcess(qint64 pid); // its path
QString folderOfProcess(qint64 pid); // where it works now
qint64 parentOfProcess(qint64 pid); // 0: it is gone
QByteArray argumentsOfProcess(qint64 pid); // each ends with a zero byte
QByteArray environmentOfProcess(qint64 pid); // as it was started with; each variable ends with a zero byte
// Names and values of proc_pid_status(5).
QHash<QByteArray, QByteArray> statusOfProcess(qint64 pid);

} // namespace glovebox
