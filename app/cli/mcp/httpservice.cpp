// SPDX-License-Identifier: Apache-2.0
#include "httpservice.h"

#include "app/cli/command.h"

#include "engine/network/network.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <cerrno>

#include <poll.h>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int lookEvery = 1000; // ms; for pairings that were taken back

struct HttpDoor
{
    mcp::HttpServer::Listener listener;
    QString place; // for the person
    std::optional<OwnPort> port; // out of the reach of runs
};

std::expected<quint16, QString> portIn(const QByteArray &word)
{
    if (word.isEmpty())
        return mcp::httpPort;
    const auto port = wholeNumber("--http", word, 0, 65535, {});
    return port ? std::expected<quint16, QString>(quint16(*port)) : std::unexpected(port.error());
}

QString addressAt(quint16 port)
{
    return u"http://127.0.0.1:%1/mcp"_s.arg(port);
}

Result<HttpDoor> openPort(quint16 wanted, const Paths &paths)
{
    ASSIGN_OR_RETURN(UniqueFd listener, mcp::listenOnLoopback(wanted));
    const quint16 port = mcp::portOf(listener);
    ASSIGN_OR_RETURN(OwnPort own, OwnPort::note(paths.runtime, port));
    return HttpDoor{std::move(listener), addressAt(port), std::move(own)};
}

Result<HttpDoor> openSocket(const QByteArray &word, const Paths &paths)
{
    const QString path = word.isEmpty() ? paths.runtime + u"/http.sock"_s
                                        : QDir::cleanPath(QDir::current().absoluteFilePath(QFile::decodeName(word)));
    const QString parent = QFileInfo(path).path();
    if (const Status folder = makePrivateFolder(parent); !folder) // whose way out is for folders that Glovebox chose
        return word.isEmpty() ? std::unexpected(folder.error())
                              : fail(folder.error().code,
                                     Text("The socket %1 needs a folder that is yours alone, and %2 isn't one. Name a "
                                          "path in another folder.",
                                          {path, parent}),
                                     folder.error().detail);
    ASSIGN_OR_RETURN(mcp::LocalListener listener, mcp::LocalListener::create(path));
    return HttpDoor{std::move(listener), u"the socket %1 (http://localhost/mcp there)"_s.arg(path), {}};
}

Result<std::vector<HttpDoor>> openDoors(const HttpPlaces &places, quint16 port)
{
    ASSIGN_OR_RETURN(const Paths paths, Paths::standard());
    std::vector<HttpDoor> doors;
    if (places.port) {
        ASSIGN_OR_RETURN(auto door, openPort(port, paths));
        doors.push_back(std::move(door));
    }
    if (places.socket) {
        ASSIGN_OR_RETURN(auto door, openSocket(*places.socket, paths));
        doors.push_back(std::move(door));
    }
    return doors;
}

void sayWhatIsServed(const std::vector<HttpDoor> &doors, bool isPaired, qsizetype pairedClients)
{
    for (const HttpDoor &door : doors)
        say(u"Paired clients are served at %1 until Ctrl+C."_s.arg(door.place));
    if (isPaired)
        say(u"Programs that ask to be paired are asked about here."_s);
    if (pairedClients == 0)
        say(u"No client is paired yet. \"glovebox mcp pair NAME\" pairs one, and prints its token."_s);
    else
        say(u"Paired: %1. \"glovebox mcp pair NAME\" pairs another client, \"glovebox mcp clients\" lists them."_s.arg(
            pairedClients));
}

} // namespace

std::expected<std::optional<QString>, QString> addressOf(const HttpPlaces &places)
{
    if (!places.port)
        return std::nullopt;
    const auto port = portIn(*places.port);
    if (!port)
        return std::unexpected(port.error());
    if (*port == 0)
        return std::unexpected(u"Name the port that Glovebox is to be reached at: a free one differs each time."_s);
    return addressAt(*port);
}

int serveHttp(const HttpPlaces &places, const mcp::Server::OpenEngine &openEngine, bool canAsk, int stop)
{
    const auto port = portIn(places.port.value_or(QByteArray()));
    if (!port)
        return sayUsage(port.error(), u"mcp"_s);
    auto doors = openDoors(places, *port);
    if (!doors)
        return sayFailure(doors.error());
    mcp::Server server(mcp::gloveboxCatalogue(), openEngine);
    // At once: who starts this is to see why it can't serve.
    const auto engine = server.engine();
    if (!engine)
        return sayFailure(engine.error());
    if (const Part record = (*engine)->readiness().current().record; record.state == Part::State::Blocked)
        return sayFailure(record.why);
    const auto paired = (*engine)->approvals().clients();
    if (!paired)
        return sayFailure(paired.error());

    mcp::PairedClients clients(server, Caller::Way::Http);
    // Browsers, which bring the answer, don't come to a socket.
    std::optional<mcp::AuthorizationServer> pairing;
    for (const HttpDoor &door : *doors) {
        if (const auto *const listener = std::get_if<UniqueFd>(&door.listener); canAsk && listener)
            pairing.emplace(server, mcp::portOf(*listener));
    }
    sayWhatIsServed(*doors, pairing.has_value(), paired->size());
    std::vector<std::unique_ptr<mcp::HttpServer>> servers;
    for (HttpDoor &door : *doors) {
        mcp::AuthorizationServer *const its = door.port && pairing ? &*pairing : nullptr;
        servers.push_back(std::make_unique<mcp::HttpServer>(
            server, std::move(door.listener), [&clients](const QByteArray &token) { return clients.clientOf(token); },
            its));
    }
    for (;;) {
        pollfd wait{stop, POLLIN, 0};
        const int ready = ::poll(&wait, 1, lookEvery);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            break;
        for (const mcp::Client *const removed : clients.endRemoved()) {
            for (const auto &each : servers)
                each->disconnect(*removed);
        }
        if (pairing)
            pairing->settle();
    }
    return 0;
}

} // namespace glovebox
