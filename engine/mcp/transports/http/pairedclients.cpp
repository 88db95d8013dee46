// SPDX-License-Identifier: Apache-2.0
#include "pairedclients.h"

#include "engine/mcp/protocol/server.h"

namespace glovebox::mcp {

Client *PairedClients::clientOf(const QByteArray &token)
{
    if (token.isEmpty() || token.size() > 1024)
        return nullptr;
    const auto engine = m_server.engine();
    if (!engine)
        return nullptr;
    const auto looked = (*engine)->approvals().clientOf(token);
    if (!looked || !looked->has_value())
        return nullptr;
    const auto &paired = looked->value();
    const std::lock_guard lock(m_mutex);
    std::unique_ptr<Client> &client = m_clients[paired.id];
    if (!client) {
        Caller caller{.kind = Caller::Kind::Mcp, .program = paired.program, .claimed = paired.name};
        caller.way = m_way;
        caller.pairing = paired.id;
        caller.connection = newId(Clock::system());
        client = std::make_unique<Client>(caller);
    }
    return client.get();
}

} // namespace glovebox::mcp
