// SPDX-License-Identifier: Apache-2.0
// glovebox-opener: touches what a person grants to a run, so that the engine needn't. A file system may not answer (FUSE, NFS),
// and whoever touches it then stands still, for ever and beyond the reach of any signal. The engine can give this program up;
// it couldn't do so with a thread of its own.
#include "message.h"

#include "engine/folders/folders.h"
#include "engine/sandbox/sandbox.h"

#include <poll.h>
#include <unistd.h>

#include <thread>

using namespace glovebox;

namespace {

constexpr int channel = 0; // standard input

QByteArray answer(const OpenedFolder &folder)
{
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    out << false << folder.hostPath << folder.path << folder.writable << folder.device << folder.inode;
    return bytes;
}

QByteArray answer(const QByteArray &copied)
{
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    out << false << copied;
    return bytes;
}

// Also in the middle of a copy.
void endWithTheEngine()
{
    for (pollfd end{channel, 0, 0}; !(end.revents & POLLHUP);)
        ::poll(&end, 1, -1);
    ::_exit(0);
}

} // namespace

int main()
{
    std::thread(endWithTheEngine).detach();
    std::shared_ptr<const UniqueFd> opened;
    for (opener::Message message; opener::receive(channel, message) == 0;) {
        QDataStream in(message.bytes);
        opener::Request request{};
        in >> request;
        if (request == opener::Request::Open) {
            FolderGrant grant;
            OwnFolders own;
            in >> grant.hostPath >> grant.path >> grant.mode >> own.data >> own.programs;
            const auto folder = openFolder(grant, own);
            opened = folder ? folder->handle : nullptr;
            if (opener::send(channel, folder ? answer(*folder) : opener::encoded(folder.error()),
                             opened ? opened->get() : -1)
                != 0)
                return 1;
        } else if (request == opener::Request::Copy && opened) {
            QByteArray order;
            in >> order;
            const auto copied = copyFolder(order, opened->get(), message.descriptor.get());
            if (opener::send(channel, copied ? answer(*copied) : opener::encoded(copied.error())) != 0)
                return 1;
        }
        message.descriptor.reset();
    }
    return 0;
}
