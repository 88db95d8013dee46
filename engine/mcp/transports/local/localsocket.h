// SPDX-License-Identifier: Apache-2.0
// The unix socket at which a running workbench answers programs of the same person, and nobody else.
#pragma once

#include "engine/base/base.h"

namespace glovebox::mcp {

QString socketFile(const Paths &paths); // in the folder of sockets, which is its owner's alone

// A socket that is listened on, and a lock that keeps other programs from taking its place; both go with it.
class LocalListener
{
public:
    // The folder is made (0700), the socket is 0600. What a program that died left there is replaced; Busy: one that lives has it.
    // InvalidInput: the path is longer than the system takes (107 bytes). PermissionDenied: something else is in its place.
    static Result<LocalListener> create(const QString &path);
    LocalListener(LocalListener &&) = default;
    LocalListener &operator=(LocalListener &&) = delete;
    ~LocalListener();

    int descriptor() const { return m_socket.get(); }

private:
    LocalListener(FileLock lock, QString path)
        : m_lock(std::move(lock))
        , m_path(std::move(path))
    {
    }

    FileLock m_lock;
    QString m_path;
    UniqueFd m_socket;
};

// A connection to it. NotFound: nobody listens. PermissionDenied: the socket, its folder or the program there is not this person's.
Result<UniqueFd> connectToLocal(const QString &path);

} // namespace glovebox::mcp
