// SPDX-License-Identifier: Apache-2.0
#include "pairedclients.h"

#include "engine/mcp/protocol/server.h"

#include <algorithm>

namespace glovebox::mcp {

// Later ones than the first find what was under way when the pairing was looked for, and went on.
constexpr int looksAtRemoved = 5;

Result<Client *> PairedClients::clientOf(const QByteArray &token)
{
    if (token.isEmpty() || token.size() > 1024)
        return nullptr;
    ASSIGN_OR_RETURN(Engine *const engine, m_server.engine());
    ASSIGN_OR_RETURN(const auto paired, engine->approvals().clientOf(token));
    if (!paired)
        return nullptr;
    const std::lock_guard lock(m_mutex);
    std::unique_ptr<Client> &client = m_clients[paired->id];
    if (!client) {
        Caller caller{.kind = Caller::Kind::Mcp, .program = paired->program, .claimed = paired->name};
        caller.way = m_way;
        caller.pairing = paired->id;
        caller.connection = newId(Clock::system());
        client = std::make_unique<Client>(caller);
    }
    return client.get();
}

QList<Client *> PairedClients::endRemoved()
{
    QStringList known;
    {
        const std::lock_guard lock(m_mutex);
        for (const auto &[pairing, client] : m_clients) {
            if (m_removed[pairing] < looksAtRemoved)
                known.append(pairing);
        }
    }
    if (known.isEmpty())
        return {};
    const auto engine = m_server.engine();
    const auto paired = engine ? (*engine)->approvals().clients() : std::unexpected(engine.error());
    if (!paired) // looked at again the next time; nothing starts meanwhile, as that needs the same look
        return {};
    QList<Client *> gone;
    for (const QString &pairing : std::as_const(known)) {
        if (std::ranges::find(*paired, pairing, &PairedClient::id) != paired->end())
            continue;
        (*engine)->cancelRunsOf(
            pairing, Text(QT_TRANSLATE_NOOP("engine", "The person removed the agent that started this run.")));
        const std::lock_guard lock(m_mutex);
        if (++m_removed[pairing] > 1)
            gone.append(m_clients[pairing].get());
    }
    return gone;
}

} // namespace glovebox::mcp
