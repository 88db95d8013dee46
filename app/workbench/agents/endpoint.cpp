// SPDX-License-Identifier: Apache-2.0
#include "endpoint.h"

#include "engine/mcp/mcp.h"

#include <QFileInfo>

namespace glovebox {

using namespace Qt::StringLiterals;

// Clients that are connected. They come and go on threads of their own.
struct Endpoint::Visitors
{
    // Only our own `glovebox mcp` is let in, and trusted as it would be without this window: whoever starts that program may do so
    // anyway. Its client, whom the person is told of, is what started it.
    static std::shared_ptr<mcp::Client> admit(const std::shared_ptr<Visitors> &visitors, Engine &engine,
                                              const Peer &peer);

    std::mutex mutex;
    QList<Caller> callers;
};

std::shared_ptr<mcp::Client> Endpoint::Visitors::admit(const std::shared_ptr<Visitors> &visitors, Engine &engine,
                                                       const Peer &peer)
{
    const auto ours = mcp::serverCommand();
    if (!ours || programOfProcess(peer.pid) != QFileInfo(*ours).canonicalFilePath())
        return nullptr;
    Caller caller{.kind = Caller::Kind::Mcp, .pid = parentOfProcess(peer.pid), .program = {}, .claimed = {}};
    caller.program = programOfProcess(caller.pid);
    caller.way = Caller::Way::Stdio;
    caller.connection = newId(Clock::system());
    caller.folder = folderOfProcess(peer.pid); // our program never leaves it
    const std::lock_guard lock(visitors->mutex);
    visitors->callers.append(caller);
    return {new mcp::Client(caller), [&engine, visitors](const mcp::Client *client) {
                const QString connection = client->caller.connection;
                engine.approvals().connectionEnded(connection);
                delete client; // ends what it has under way
                const std::lock_guard guard(visitors->mutex);
                visitors->callers.removeIf([&](const Caller &each) { return each.connection == connection; });
            }};
}

struct Endpoint::Doors
{
    struct Door
    {
        Door(Engine &engine, mcp::LocalListener listener, const std::shared_ptr<Visitors> &visitors,
             const std::shared_ptr<LiveCalls> &calls)
            : server(mcp::gloveboxCatalogue(), engine, calls)
            , local(server, std::move(listener), [&engine, visitors](const Peer &peer, const std::stop_token &) {
                return Visitors::admit(visitors, engine, peer);
            })
        {
        }
        mcp::Server server;
        mcp::LocalServer local;
    };

    std::atomic<bool> isWanted = false;
    std::mutex mutex; // over the next; never on the GUI thread
    std::unique_ptr<Door> door;
};

Endpoint::Endpoint(WorkbenchContext &context)
    : m_context(context)
    , m_visitors(std::make_shared<Visitors>())
    , m_calls(std::make_shared<LiveCalls>())
    , m_doors(std::make_shared<Doors>())
{
    connect(&context, &WorkbenchContext::settingsChanged, this, &Endpoint::follow);
}

void Endpoint::follow()
{
    const Settings *const settings = m_context.settings();
    const bool isWanted = settings && settings->value(u"mcp.workbench"_s).value.toBool();
    if (m_doors->isWanted.exchange(isWanted) != isWanted || (isWanted && !m_isOpen))
        settle(m_context.engine());
}

void Endpoint::close()
{
    m_doors->isWanted = false;
    settle(nullptr);
}

QList<Caller> Endpoint::connected() const
{
    const std::lock_guard lock(m_visitors->mutex);
    return m_visitors->callers;
}

// Each settling looks at what is wanted when it comes to it, so that the last one leaves what was wanted last.
void Endpoint::settle(Engine *engine)
{
    struct Settled
    {
        bool isOpen = false;
        std::optional<Error> trouble;
    };
    inBackground(
        m_context.lastingWork(), this,
        [doors = m_doors, visitors = m_visitors, calls = m_calls, engine,
         path = mcp::socketFile(m_context.paths())]() -> Settled {
            const std::lock_guard lock(doors->mutex);
            if (!doors->isWanted) {
                doors->door.reset();
                return {};
            }
            if (!doors->door && engine) {
                auto listener = mcp::LocalListener::create(path);
                if (!listener)
                    return {.trouble = listener.error()};
                doors->door = std::make_unique<Doors::Door>(*engine, *std::move(listener), visitors, calls);
            }
            return {.isOpen = doors->door != nullptr};
        },
        [this](const Settled &settled) {
            m_isOpen = settled.isOpen;
            m_trouble = settled.trouble;
            Q_EMIT changed();
        });
}

} // namespace glovebox
