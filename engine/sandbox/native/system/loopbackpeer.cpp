// SPDX-License-Identifier: Apache-2.0
#include "engine/base/base.h"
#include "engine/launcher/sockettable.h"

#include <QDirIterator>
#include <QFile>

#include <fcntl.h>
#include <unistd.h>

namespace glovebox {

using namespace Qt::StringLiterals;

std::optional<LoopbackPeer> loopbackPeerOf(int socket)
{
    const UniqueFd table(::open(launcher::socketTable, O_RDONLY | O_CLOEXEC));
    const UniqueFd table6(::open(launcher::socketTable6, O_RDONLY | O_CLOEXEC));
    const auto owner = launcher::ownerOfPeer(table.get(), table6.get(), socket);
    return owner ? std::optional(LoopbackPeer{owner->user, QByteArray::number(qulonglong(owner->inode))})
                 : std::nullopt;
}

qint64 processOf(const LoopbackPeer &peer)
{
    const QByteArray wanted = "socket:[" + peer.inode + ']';
    for (const qint64 pid : processesOfMachine()) {
        QDirIterator descriptors(u"/proc/%1/fd"_s.arg(pid), QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot);
        while (descriptors.hasNext()) {
            if (linkTarget(AT_FDCWD, QFile::encodeName(descriptors.next()).constData()) == wanted)
                return pid;
        }
    }
    return 0;
}

} // namespace glovebox
