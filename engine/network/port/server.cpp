// SPDX-License-Identifier: Apache-2.0
#include "engine/network/port/server.h"

#include "engine/launcher/egress/peerend.h"
#include "engine/launcher/packet.h"
#include "engine/launcher/sockettable.h"
#include "engine/network/egress/budget.h"
#include "engine/network/egress/relay.h"
#include "engine/network/egress/services/bodypass.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace glovebox::network {

namespace {

constexpr std::chrono::seconds requestPatience{10}; // for the head, of whoever connects
constexpr std::chrono::seconds connectPatience{5}; // in the run, where nothing is far
constexpr std::chrono::seconds lingerPatience{1};
constexpr int keepAliveSeconds = 30;
constexpr int mostConnections = 128; // with those that have said nothing yet
constexpr int mostConnectionsOfOthers = 8; // who get no more than a sentence, and keep nobody from the port
constexpr std::size_t stackBytes = std::size_t{256} * 1024;
constexpr std::string_view switched = "HTTP/1.1 101";

// A socket of the run's network, for one connection.
class Connection
{
public:
    explicit Connection(ConnectorStock &stock)
        : m_stock(stock)
    {
    }
    ~Connection()
    {
        stream = {};
        giveBack();
    }
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;

    enum class Got { Connected, Refused, NoSocket };
    // To the port at 127.0.0.1, else at ::1: servers that say "localhost" choose one of them.
    Got connect(std::uint16_t port)
    {
        for (const bool internet6 : {false, true}) {
            if (internet6 && !m_stock.hasInternet6())
                break;
            m_socket = m_stock.take(internet6);
            m_isInternet6 = internet6;
            if (m_socket < 0)
                return Got::NoSocket;
            // By a number of its own, which the stream closes.
            UniqueFd own(::fcntl(m_socket, F_DUPFD_CLOEXEC, 0));
            if (!own)
                return Got::NoSocket;
            stream = Stream(std::move(own));
            if (isReached(port))
                return Got::Connected;
            stream = {};
            giveBack();
        }
        return Got::Refused;
    }

    Stream stream;

private:
    bool isReached(std::uint16_t port) const
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        sockaddr_in6 address6{};
        address6.sin6_family = AF_INET6;
        address6.sin6_port = htons(port);
        address6.sin6_addr = in6addr_loopback;
        const int result = m_isInternet6
                               ? ::connect(m_socket, reinterpret_cast<const sockaddr *>(&address6), sizeof address6)
                               : ::connect(m_socket, reinterpret_cast<const sockaddr *>(&address), sizeof address);
        if (result == 0)
            return true;
        if (errno != EINPROGRESS)
            return false;
        pollfd source{m_socket, POLLOUT, 0};
        int error = 0;
        socklen_t size = sizeof error;
        return ::poll(&source, 1, pollTimeout(within(connectPatience))) == 1
               && ::getsockopt(m_socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
    }
    void giveBack()
    {
        if (m_socket >= 0)
            m_stock.giveBack(std::exchange(m_socket, -1), m_isInternet6);
    }

    ConnectorStock &m_stock;
    int m_socket = -1;
    bool m_isInternet6 = false;
};

// The body of the request, exactly, and all that the server says. Another request on the connection ends it: a browser asks for that
// again on a connection of its own. So does a client that sends nothing more, which is how a browser closes one: a server that keeps
// the connection would hold it for ever.
void exchange(Stream &client, Stream &server, const HttpBody &body)
{
    Budget noLimit(0, 0);
    BodyPass up(client, server, noLimit, body);
    Conduit down(server, client, noLimit);
    bool isUpBroken = false; // a server may answer before it has read everything
    for (;;) {
        if (!isUpBroken && !up.isDone() && !up.move())
            isUpBroken = true;
        if (!down.move() || down.isDone())
            return;
        const bool isUp = !isUpBroken && !up.isDone();
        const bool looksForMore = !isUp && down.moved() > 0;
        const bool reads = looksForMore || (isUp && up.wantsSource());
        const auto ofClient =
            static_cast<short>(down.wantedOfTarget() | (reads ? POLLIN : 0) | (isUp ? 0 : launcher::endOfPeer));
        const auto ofServer = static_cast<short>(down.wantedOfSource() | (isUp && up.wantsTarget() ? POLLOUT : 0));
        pollfd sources[] = {{client.socket(), ofClient, 0}, {ofServer ? server.socket() : -1, ofServer, 0}};
        if (::poll(sources, 2, -1) < 0 && errno != EINTR)
            return;
        if ((sources[0].revents & (POLLERR | POLLHUP | launcher::endOfPeer))
            || (looksForMore && (sources[0].revents & POLLIN)))
            return;
    }
}

// Whether the server agreed to go on as something else than HTTP; nothing: one of them went away. Else what it says is an answer as any
// other, after which a browser may use the connection again: for another site's request, too.
std::optional<bool> hasSwitched(const Stream &client, Stream &server)
{
    while (server.pending.size() < switched.size() && switched.starts_with(server.pending)) {
        pollfd sources[] = {{client.socket(), launcher::endOfPeer, 0}, {server.socket(), POLLIN, 0}};
        if ((::poll(sources, 2, -1) < 0 && errno != EINTR) || sources[0].revents)
            return std::nullopt;
        if (sources[1].revents && server.receive(Time()) != Stream::Got::Bytes)
            return std::nullopt;
    }
    return server.pending.starts_with(switched);
}

void relayBothWays(Stream &client, Stream &server)
{
    Budget noLimit(0, 0);
    Conduit up(client, server, noLimit);
    Conduit down(server, client, noLimit);
    while (!up.isDone() || !down.isDone()) {
        if (!up.move() || !down.move())
            return;
        const auto ofClient = static_cast<short>(up.wantedOfSource() | down.wantedOfTarget());
        const auto ofServer = static_cast<short>(down.wantedOfSource() | up.wantedOfTarget());
        pollfd sources[] = {{client.socket(), ofClient, 0}, {ofServer ? server.socket() : -1, ofServer, 0}};
        if ((::poll(sources, 2, -1) < 0 && errno != EINTR) || (sources[0].revents & (POLLERR | POLLHUP)))
            return;
    }
}

struct Task
{
    std::function<void(Stream)> hold;
    std::atomic<int> &open;
    UniqueFd socket;
};

void *runTask(void *argument)
{
    const std::unique_ptr<Task> task(static_cast<Task *>(argument));
    task->hold(Stream(std::move(task->socket)));
    --task->open;
    return nullptr;
}

} // namespace

ConnectorStock::ConnectorStock(const PortSpec &spec)
    : m_hasInternet6(spec.connectors6 > 0)
{
    for (int i = 0; i < spec.connectors; ++i)
        m_free.push_back(portFirstConnectorFd + i);
    for (int i = 0; i < spec.connectors6; ++i)
        m_free6.push_back(portFirstConnectorFd + spec.connectors + i);
}

int ConnectorStock::take(bool internet6)
{
    const std::scoped_lock lock(m_mutex);
    std::vector<int> &free = internet6 ? m_free6 : m_free;
    if (free.empty())
        return -1;
    const int socket = free.back();
    free.pop_back();
    return socket;
}

void ConnectorStock::giveBack(int socket, bool internet6)
{
    const sockaddr nowhere{.sa_family = AF_UNSPEC, .sa_data = {}};
    if (::connect(socket, &nowhere, sizeof nowhere) != 0) { // tcp(7): dissolves the association
        ::close(socket); // of no use to anybody
        return;
    }
    const std::scoped_lock lock(m_mutex);
    (internet6 ? m_free6 : m_free).push_back(socket);
}

void PortServer::pass(Stream &client, HttpRequest request)
{
    Connection connection(m_stock);
    switch (connection.connect(m_gate.spec().innerPort)) {
    case Connection::Got::Connected:
        break;
    case Connection::Got::Refused:
        client.send(httpReply(502, "Glovebox: nothing in the job listens at port "
                                       + std::to_string(m_gate.spec().innerPort)
                                       + " yet, or it doesn't answer. Try again in a moment.\n"),
                    within(requestPatience));
        return;
    case Connection::Got::NoSocket:
        client.send(httpReply(503, "Glovebox: this port has as many connections as it can have. Close some pages.\n"),
                    within(requestPatience));
        return;
    }
    Stream &server = connection.stream;
    request.keepAlive = request.wantsWebSocket; // else the server closes the connection after its answer
    if (!server.send(httpHeadForServer(request), within(requestPatience))
        || (request.expectsContinue && !client.send(httpContinue, within(requestPatience))))
        return;
    const auto isWebSocket = request.wantsWebSocket ? hasSwitched(client, server) : std::optional(false);
    if (isWebSocket && *isWebSocket)
        relayBothWays(client, server);
    else if (isWebSocket)
        exchange(client, server, request.body);
}

// A link is an argument of the program that opens it, which other users of this machine may read, and be faster. Root may do anyway
// what it likes, and has what relays connections, as sshd and WSL do.
bool PortServer::isOfOurs(int socket) const
{
    if (m_firstTable < 0)
        return true;
    const auto owner = launcher::ownerOfPeer(m_firstTable, m_firstTable + 1, socket);
    return owner && (owner->user == ::getuid() || owner->user == 0);
}

void PortServer::hold(Stream client, bool isOurs)
{
    // A page that waits for nothing but events may be closed without a word that comes here.
    ::setsockopt(client.socket(), IPPROTO_TCP, TCP_KEEPIDLE, &keepAliveSeconds, sizeof keepAliveSeconds);
    std::size_t searched = 0;
    const Time deadline = within(requestPatience);
    for (;;) {
        auto request = parseHttpRequest(client.pending, HttpListener::Transparent, searched);
        if (request.state == ParseState::Malformed) {
            client.send(httpReply(400, "Glovebox: " + std::string(request.fault) + ".\n"), deadline);
            break;
        }
        if (request.state == ParseState::Done) {
            client.pending.erase(0, request.used);
            const std::string refused =
                isOurs ? m_gate.answer(request.value)
                       : httpReply(403, "Glovebox: this port of a job is for the user who opened it.\n");
            if (refused.empty())
                pass(client, std::move(request.value));
            else
                client.send(refused, within(requestPatience));
            break;
        }
        searched = client.pending.size();
        if (client.receive(deadline) != Stream::Got::Bytes)
            return;
    }
    // If the rest of what it says were cut off, it might lose its answer (RFC 9112 section 9.6).
    client.shutdownSend();
    const Time end = within(lingerPatience);
    while (client.receive(end) == Stream::Got::Bytes)
        client.pending.clear();
}

void PortServer::accept()
{
    UniqueFd socket(::accept4(portListenerFd, nullptr, nullptr, SOCK_CLOEXEC));
    const bool isOurs = socket && isOfOurs(socket.get());
    std::atomic<int> &open = isOurs ? m_open : m_openByOthers;
    if (!socket || open >= (isOurs ? mostConnections : mostConnectionsOfOthers))
        return;
    auto task = std::make_unique<Task>([this, isOurs](Stream client) { hold(std::move(client), isOurs); }, open,
                                       std::move(socket));
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    ::pthread_attr_setstacksize(&attributes, stackBytes);
    pthread_t thread{};
    ++open;
    if (::pthread_create(&thread, &attributes, runTask, task.get()) == 0)
        static_cast<void>(task.release());
    else
        --open;
    ::pthread_attr_destroy(&attributes);
}

// False: the engine is gone, or wants the port closed.
bool PortServer::takeLinks()
{
    launcher::Packet packet;
    const int error = launcher::receivePacket(portControlFd, packet, false);
    if (error == EAGAIN)
        return true;
    launcher::Reader in(packet.bytes);
    PortMessage kind{};
    std::string token;
    in(kind, token);
    if (error != 0 || packet.bytes.empty() || kind != PortMessage::Link || !in.done() || token.empty())
        return false;
    m_gate.addLink(std::move(token));
    return launcher::sendPacket(portControlFd, launcher::Writer().put(PortMessage::Link).bytes(), {}, false) == 0;
}

void PortServer::serve()
{
    for (;;) {
        pollfd sources[] = {{portControlFd, POLLIN, 0}, {portListenerFd, POLLIN, 0}};
        if (::poll(sources, 2, -1) < 0 && errno != EINTR)
            return;
        if (sources[0].revents && !takeLinks())
            return;
        if (sources[1].revents)
            accept();
    }
}

} // namespace glovebox::network
