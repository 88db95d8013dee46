// SPDX-License-Identifier: Apache-2.0
#include "loopbackpeer.h"

#include <QDirIterator>
#include <QFile>

#include <netinet/in.h>
#include <sys/socket.h>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

// As the table has it: the address as the machine's own number.
QByteArray asInTable(const sockaddr_in &address)
{
    return QString::asprintf("%08X:%04X", address.sin_addr.s_addr, ntohs(address.sin_port)).toLatin1();
}

} // namespace

std::optional<LoopbackPeer> loopbackPeerOf(int socket)
{
    sockaddr_in ours{}, theirs{};
    socklen_t oursLength = sizeof ours, theirsLength = sizeof theirs;
    if (::getsockname(socket, reinterpret_cast<sockaddr *>(&ours), &oursLength) != 0
        || ::getpeername(socket, reinterpret_cast<sockaddr *>(&theirs), &theirsLength) != 0
        || ours.sin_family != AF_INET || theirs.sin_family != AF_INET)
        return {};
    // A socket for both families has mapped addresses, and is in the other table.
    for (const auto &[file, mapped] : {std::pair{u"/proc/net/tcp"_s, QByteArray()},
                                       std::pair{u"/proc/net/tcp6"_s, QByteArray("0000000000000000FFFF0000")}}) {
        QFile table(file);
        if (!table.open(QIODevice::ReadOnly))
            continue;
        const QByteArray rows = table.readAll();
        const QByteArray row = ' ' + mapped + asInTable(theirs) + ' ' + mapped + asInTable(ours) + ' ';
        const qsizetype at = rows.indexOf(row);
        if (at < 0)
            continue;
        const QByteArray rest = rows.sliced(at + row.size()); // state, queues, timer, retransmits, uid, timeout, inode
        const QByteArrayList fields = rest.left(rest.indexOf('\n')).simplified().split(' ');
        bool isNumber = false;
        const uid_t uid = fields.value(4).toUInt(&isNumber);
        const QByteArray inode = fields.value(6);
        if (isNumber && !inode.isEmpty() && inode != "0") // 0: closed, and then the uid says nothing
            return LoopbackPeer{uid, inode};
    }
    return {};
}

qint64 processOf(const LoopbackPeer &peer)
{
    const QByteArray wanted = "socket:[" + peer.inode + ']';
    QDirIterator processes(u"/proc"_s, QDir::Dirs | QDir::NoDotAndDotDot);
    while (processes.hasNext()) {
        processes.next();
        bool isProcess = false;
        const qint64 pid = processes.fileName().toLongLong(&isProcess);
        if (!isProcess)
            continue;
        QDirIterator descriptors(processes.filePath() + u"/fd"_s,
                                 QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot);
        while (descriptors.hasNext()) {
            const QByteArray link = QFile::encodeName(descriptors.next());
            char target[64];
            const ssize_t length = ::readlink(link.constData(), target, sizeof target);
            if (length > 0 && QByteArrayView(target, length) == wanted)
                return pid;
        }
    }
    return 0;
}

} // namespace glovebox::mcp
