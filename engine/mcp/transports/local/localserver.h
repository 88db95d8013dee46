// SPDX-License-Identifier: Apache-2.0
// Serves programs of the same person at a unix socket, a message a line.
#pragma once

#include "localsocket.h"

#include "engine/mcp/tools/tool.h"

#include <atomic>
#include <list>
#include <memory>
#include <thread>

namespace glovebox::mcp {

class Server;

constexpr int localConnectionsMax = 64; // at once; further ones are told so, and closed

// Thread-safe.
class LocalServer
{
public:
    // Who that is to be, or null: told to connect by `glovebox mcp`, and closed. Called on the connection's thread; may wait for the
    // person, as long as stop isn't requested. Peers of other users are closed before, without a word.
    using Admit = std::function<std::shared_ptr<Client>(const Peer &peer, std::stop_token stop)>;

    LocalServer(Server &server, LocalListener listener, Admit admit);
    // Cancels what is under way, and waits until it has ended.
    ~LocalServer();

private:
    struct Visit;

    void accept();
    void serve(Visit &visit);

    Server &m_server;
    const LocalListener m_listener;
    const Admit m_admit;
    UniqueFd m_stop, m_stopEnd; // readable once it is to end
    std::stop_source m_stopping;
    std::list<std::unique_ptr<Visit>> m_visits; // of the acceptor's thread
    std::jthread m_acceptor;
};

} // namespace glovebox::mcp
