// SPDX-License-Identifier: Apache-2.0
// What all connections share: what is offered, and the engine behind it.
#pragma once

#include "connection.h"

#include "engine/mcp/catalogue.h"

#include <functional>
#include <memory>
#include <mutex>

namespace glovebox::mcp {

// Thread-safe. Outlives its connections.
class Server
{
public:
    using OpenEngine = std::function<Result<std::unique_ptr<Engine>>()>;

    // openEngine is called when a call first needs the engine, on its thread; again, when it failed.
    Server(Catalogue catalogue, OpenEngine openEngine);
    // Shuts the engine down, and waits for it.
    ~Server();

    const Catalogue &catalogue() const { return m_catalogue; }
    Result<Engine *> engine();

private:
    const Catalogue m_catalogue;
    const OpenEngine m_openEngine;
    std::mutex m_mutex;
    std::unique_ptr<Engine> m_engine;
};

} // namespace glovebox::mcp
