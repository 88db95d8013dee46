// SPDX-License-Identifier: Apache-2.0
#include "bridge.h"

#include "engine/mcp/protocol/server.h"

#include <QJsonDocument>

#include <cerrno>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

const QString replayId = u"glovebox-handshake"_s; // of the handshake that the client knows nothing of

// Its answers are known already.
class NoOutlet : public Outlet
{
public:
    void send(const QByteArray & /*message*/, Sending /*what*/) override { }
};

bool hasHungUp(int socket)
{
    pollfd look{socket, 0, 0};
    return ::poll(&look, 1, 0) > 0 && (look.revents & (POLLHUP | POLLERR)) != 0;
}

} // namespace

Bridge::Bridge(Server &server, Client &client, Connect connect, std::shared_ptr<DescriptorOutlet> outlet)
    : m_server(server)
    , m_client(client)
    , m_connect(std::move(connect))
    , m_outlet(std::move(outlet))
{
}

Bridge::~Bridge()
{
    close();
}

void Bridge::receive(const QByteArray &line)
{
    // Looked at here, too: a call that is sent before the thread that reads has noticed would be lost for nothing.
    if (m_socket && (m_isLost || hasHungUp(m_socket.get())))
        leave();
    if (!m_own && !m_socket && !join()) {
        m_own = std::make_unique<Connection>(m_server, m_client);
        m_own->setBackground(m_outlet);
        tellHandshake();
    }
    if (m_own) {
        const MessageText read = readMessage(line);
        return m_own->receive(read, line.size(), m_outlet);
    }
    passOn(line);
}

void Bridge::refuse(const ProtocolError &error)
{
    m_outlet->send(errorText(error, true), {Sending::Kind::Response, error.code, true});
}

bool Bridge::join()
{
    auto socket = m_connect();
    if (!socket)
        return false;
    m_socket = *std::move(socket);
    m_workbench = std::make_shared<DescriptorOutlet>(m_socket.get());
    m_isLost = false;
    m_relay = std::jthread([this, end = m_socket.get()] {
        blockSignals();
        relay(end);
    });
    tellHandshake();
    return true;
}

// Sends the client's initialize again to a workbench that joined later.
void Bridge::tellHandshake()
{
    if (m_initialize.isEmpty())
        return;
    QJsonObject initialize = QJsonDocument::fromJson(m_initialize).object();
    initialize[u"id"_s] = replayId;
    for (const QByteArray &message : {QJsonDocument(initialize).toJson(QJsonDocument::Compact), m_initialized}) {
        if (message.isEmpty())
            continue;
        if (m_own)
            m_own->receive(message, std::make_shared<NoOutlet>());
        else
            m_workbench->send(message, {});
    }
}

void Bridge::remember(const MessageText &read, const QByteArray &line)
{
    const std::lock_guard lock(m_mutex);
    for (const Answer<Message> &message : read.messages) {
        if (!message)
            continue;
        if (message->kind == Message::Kind::Request)
            m_open[message->id.key()] = message->id;
        if (message->method == u"initialize" && !read.isBatch)
            m_initialize = line;
        else if (message->method == u"notifications/initialized" && !read.isBatch)
            m_initialized = line;
        else if (message->method == u"notifications/cancelled") // gets no answer
            m_open.remove(MessageId::keyOf(message->params.value(u"requestId"_s)));
    }
}

void Bridge::passOn(const QByteArray &line)
{
    remember(readMessage(line), line);
    m_workbench->send(line, {});
    if (m_isLost)
        leave();
}

void Bridge::relay(int socket)
{
    LineReader lines;
    QByteArray piece(64 * 1024, Qt::Uninitialized);
    for (;;) {
        const ssize_t count = ::recv(socket, piece.data(), size_t(piece.size()), 0);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        lines.feed(QByteArrayView(piece).first(count));
        while (const auto line = lines.next()) {
            if (*line)
                relayLine(**line);
        }
    }
    m_isLost = true;
    tellLost();
}

// Each request that will have no answer.
void Bridge::tellLost()
{
    QList<MessageId> lost;
    QString why = u"The workbench was closed, and this call with it. Call again."_s;
    {
        const std::lock_guard lock(m_mutex);
        lost = m_open.values();
        m_open.clear();
        if (!m_lastWords.isEmpty())
            why = m_lastWords;
    }
    for (const MessageId &id : lost)
        m_outlet->send(errorText({ErrorNumber::internal, why, {}, id}, true),
                       {Sending::Kind::Response, ErrorNumber::internal});
}

void Bridge::relayLine(const QByteArray &line)
{
    const MessageText read = readMessage(line);
    {
        const std::lock_guard lock(m_mutex);
        // An error of no request in particular.
        const Answer<Message> &first = read.messages.front();
        const auto error = first && first->id.json.isEmpty() ? first->error : std::nullopt;
        m_lastWords = error ? error->message : QString();
        for (const Answer<Message> &message : read.messages) {
            if (!message || message->kind != Message::Kind::Response || message->id.json.isEmpty())
                continue;
            if (message->id.value == replayId)
                return;
            m_open.remove(message->id.key());
        }
    }
    m_outlet->send(line, {Sending::Kind::Response, 0});
}

void Bridge::leave()
{
    ::shutdown(m_socket.get(), SHUT_RDWR);
    if (m_relay.joinable())
        m_relay.join();
    tellLost(); // what was sent meanwhile
    m_workbench.reset();
    m_socket.reset();
}

void Bridge::close()
{
    if (m_socket) {
        leave();
    }
    if (m_own)
        m_own->close();
}

void serveBridge(Server &server, Client &client, Bridge::Connect connect, int input, int output, int stop)
{
    const auto outlet = std::make_shared<DescriptorOutlet>(output);
    Bridge bridge(server, client, std::move(connect), outlet);
    readLines(input, stop, *outlet, [&](const Answer<QByteArray> &line) {
        if (line)
            bridge.receive(*line);
        else
            bridge.refuse(line.error());
    });
    outlet->hurry();
    bridge.close();
}

} // namespace glovebox::mcp
