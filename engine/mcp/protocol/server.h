// SPDX-License-Identifier: Apache-2.0
// What all connections share: what is offered, and the engine behind it.
#pragma once

#include "connection.h"
#include "stateseal.h"
#include "watch/callwatcher.h"

#include "engine/mcp/catalogue.h"

#include <functional>
#include <memory>
#include <mutex>
#include <set>

namespace glovebox::mcp {

// Thread-safe. Outlives its connections.
class Server
{
public:
    using OpenEngine = std::function<Result<std::unique_ptr<Engine>>()>;

    // What the person set for all agents, at this moment.
    using ReadRules = std::function<Result<AgentSwitches>()>;

    // openEngine is called when a call first needs the engine, on its thread; again, when it failed. readRules, as long as there is no
    // engine; without it nothing is off.
    Server(Catalogue catalogue, OpenEngine openEngine, ReadRules readRules = {});
    // With an engine that is somebody else's, and outlives the server. watcher: is told of each call of a tool; may be null.
    Server(Catalogue catalogue, Engine &engine, std::shared_ptr<CallWatcher> watcher = {});
    // Shuts its own engine down, and waits for it.
    ~Server();

    const Catalogue &catalogue() const { return m_catalogue; }
    Result<Engine *> engine();
    Result<AgentSwitches> rules();
    // Tells those connections of the client that watch it.
    void resourceChanged(const Client &client, const QString &uri);
    void enter(Connection &connection);
    void leave(Connection &connection);
    const StateSeal &seal() const { return m_seal; }
    CallWatcher *watcher() const { return m_watcher.get(); }

private:
    const Catalogue m_catalogue;
    const OpenEngine m_openEngine;
    const ReadRules m_readRules;
    const StateSeal m_seal;
    const std::shared_ptr<CallWatcher> m_watcher;
    std::mutex m_mutex;
    std::unique_ptr<Engine> m_ownEngine;
    Engine *m_engine = nullptr; // null: not opened yet
    std::mutex m_connecting; // over the next
    std::set<Connection *> m_connections;
};

} // namespace glovebox::mcp
