// SPDX-License-Identifier: Apache-2.0
#include "server.h"

namespace glovebox::mcp {

Server::Server(Catalogue catalogue, OpenEngine openEngine)
    : m_catalogue(std::move(catalogue))
    , m_openEngine(std::move(openEngine))
{
}

Server::~Server() = default;

Result<Engine *> Server::engine()
{
    const std::lock_guard lock(m_mutex);
    if (!m_engine) {
        ASSIGN_OR_RETURN(m_engine, m_openEngine());
    }
    return m_engine.get();
}

} // namespace glovebox::mcp
