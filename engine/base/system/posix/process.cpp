// SPDX-License-Identifier: Apache-2.0
#include "engine/base/system/processes/process.h"

#include "engine/base/system/processes/loopbackpeer.h"
#include "engine/base/system/processes/processtree.h"

namespace glovebox {

QList<qint64> processesOfMachine()
{
    return {};
}

QString programOfProcess(qint64)
{
    return {};
}

QString folderOfProcess(qint64)
{
    return {};
}

qint64 parentOfProcess(qint64)
{
    return 0;
}

QByteArray argumentsOfProcess(qint64)
{
    return {};
}

QByteArray environmentOfProcess(qint64)
{
    return {};
}

QHash<QByteArray, QByteArray> statusOfProcess(qint64)
{
    return {};
}

std::vector<pid_t> processesBelow(pid_t)
{
    return {};
}

QByteArray statesOfProcess(pid_t)
{
    return {};
}

bool isToldToStop(pid_t)
{
    return false;
}

QByteArray startOfProcess(pid_t)
{
    return {};
}

qint64 writtenBelow(pid_t)
{
    return 0;
}

std::optional<qint64> namelessBelow(pid_t, const std::set<dev_t> &)
{
    return std::nullopt;
}

std::optional<LoopbackPeer> loopbackPeerOf(int)
{
    return std::nullopt;
}

qint64 processOf(const LoopbackPeer &)
{
    return 0;
}

} // namespace glovebox
