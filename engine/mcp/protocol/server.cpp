// SPDX-License-Identifier: Apache-2.0
#include "server.h"

namespace glovebox::mcp {

Server::Server(Catalogue catalogue, OpenEngine openEngine, ReadRules readRules)
    : m_catalogue(std::move(catalogue))
    , m_openEngine(std::move(openEngine))
    , m_readRules(std::move(readRules))
{
}

Server::Server(Catalogue catalogue, Engine &engine, std::shared_ptr<CallWatcher> watcher)
    : m_catalogue(std::move(catalogue))
    , m_watcher(std::move(watcher))
    , m_engine(&engine)
{
}

Server::~Server() = default;

Result<Engine *> Server::engine()
{
    const std::lock_guard lock(m_mutex);
    if (!m_engine) {
        ASSIGN_OR_RETURN(m_ownEngine, m_openEngine());
        m_engine = m_ownEngine.get();
    }
    return m_engine;
}

Result<AgentSwitches> Server::rules()
{
    const std::lock_guard lock(m_mutex);
    if (m_engine)
        return m_engine->approvals().rules();
    return m_readRules ? m_readRules() : AgentSwitches();
}

void Server::resourceChanged(const Client &client, const QString &uri)
{
    std::vector<std::shared_ptr<Outlet>> watchers; // one may block while its client doesn't read
    {
        const std::lock_guard lock(m_connecting);
        for (const Connection *const connection : m_connections) {
            if (&connection->client() == &client)
                watchers.push_back(connection->watcherOf(uri));
        }
    }
    for (const auto &watcher : watchers) {
        if (watcher)
            watcher->send(
                notificationText(QStringLiteral("notifications/resources/updated"), {{QStringLiteral("uri"), uri}}),
                {});
    }
}

void Server::enter(Connection &connection)
{
    const std::lock_guard lock(m_connecting);
    m_connections.insert(&connection);
}

void Server::leave(Connection &connection)
{
    const std::lock_guard lock(m_connecting);
    m_connections.erase(&connection);
}

} // namespace glovebox::mcp
