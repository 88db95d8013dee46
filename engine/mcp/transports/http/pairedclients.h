// SPDX-License-Identifier: Apache-2.0
// Clients that show a token: one object for each program that the person paired, as long as the server lasts.
#pragma once

#include "engine/mcp/tools/tool.h"

#include <map>
#include <memory>
#include <mutex>

namespace glovebox::mcp {

class Server;

// Thread-safe.
class PairedClients
{
public:
    PairedClients(Server &server, Caller::Way way)
        : m_server(server)
        , m_way(way)
    {
    }

    // Null: nobody's token, or one whose pairing was taken back. Looks into the log each time, and opens the engine for that; the
    // error is that of either.
    Result<Client *> clientOf(const QByteArray &token);
    // Ends the runs of clients whose pairing was taken back, perhaps by another program. Looks into the log once there are clients.
    // Those that were found so at an earlier look are returned: what they had under way has had a moment to be answered.
    QList<Client *> endRemoved();

private:
    Server &m_server;
    const Caller::Way m_way;
    std::mutex m_mutex;
    std::map<QString, std::unique_ptr<Client>> m_clients; // by pairing
    std::map<QString, int> m_removed; // by pairing: how often endRemoved() found it to be gone
};

} // namespace glovebox::mcp
