// SPDX-License-Identifier: Apache-2.0
#include "httpserver.h"

#include "httpanswer.h"
#include "pairing/authorizationserver.h"
#include "requestheaders.h"
#include "visit.h"

#include "engine/mcp/protocol/server.h"

#include <QRandomGenerator>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto headPatience = 60s; // for the next request of a connection, and for the rest of one that has begun
constexpr auto strangersPatience = 10s; // the same, until a connection has shown a token

bool makePipe(UniqueFd &readEnd, UniqueFd &writeEnd)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    readEnd.reset(ends[0]);
    writeEnd.reset(ends[1]);
    return true;
}

QByteArray newSessionId()
{
    quint32 words[4];
    QRandomGenerator::system()->fillRange(words);
    return QByteArray(reinterpret_cast<const char *>(words), sizeof words).toHex();
}

QByteArray refusal(const QString &sentence)
{
    return errorText({ErrorNumber::invalidRequest, sentence, {}, {}}, false);
}

int descriptorOf(const HttpServer::Listener &listener)
{
    if (const auto *const local = std::get_if<LocalListener>(&listener))
        return local->descriptor();
    return std::get<UniqueFd>(listener).get();
}

} // namespace

// Of one client, from initialize to DELETE.
struct HttpServer::Session
{
    Session(Server &server, Client &owner)
        : client(owner)
        , connection(server, owner)
    {
    }

    const Client &client;
    Connection connection;
    qint64 lastUse = 0;
};

HttpServer::HttpServer(Server &server, Listener listener, Admit admit, AuthorizationServer *pairing)
    : m_server(server)
    , m_listener(std::move(listener))
    , m_admit(std::move(admit))
    , m_pairing(pairing)
{
    std::ignore = makePipe(m_stop, m_stopEnd);
    m_acceptor = std::jthread([this] {
        blockSignals();
        accept();
    });
}

HttpServer::~HttpServer()
{
    std::ignore = ::write(m_stopEnd.get(), "", 1); // stays readable
    m_acceptor.join();
    std::map<QByteArray, std::shared_ptr<Session>> sessions;
    {
        const std::lock_guard lock(m_mutex);
        sessions.swap(m_sessions);
    }
    for (const auto &[id, session] : sessions)
        session->connection.close();
    m_visits.clear(); // waits for their threads
}

void HttpServer::accept()
{
    const int listener = descriptorOf(m_listener);
    for (;;) {
        pollfd waits[] = {{listener, POLLIN, 0}, {m_stop.get(), POLLIN, 0}};
        if (::poll(waits, 2, -1) < 0 && errno != EINTR)
            return;
        if (waits[1].revents != 0)
            return;
        sweep();
        {
            std::unique_lock lock(m_mutex);
            if (m_visits.size() >= httpConnectionsMax + httpRefusalsMax) {
                m_changed.wait_for(lock, 1s);
                continue;
            }
        }
        auto visit = std::make_unique<Visit>();
        visit->socket.reset(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
        visit->stop = m_stop.get();
        if (!visit->socket || !makePipe(visit->answered, visit->answeredEnd)) { // out of descriptors: not again at once
            ::poll(&waits[1], 1, 100);
            continue;
        }
        const int on = 1;
        ::setsockopt(visit->socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        visit->isOneTooMany = served() >= httpConnectionsMax;
        const std::lock_guard lock(m_mutex);
        Visit &kept = *m_visits.emplace_back(std::move(visit));
        try {
            kept.thread = std::jthread([this, &kept] {
                blockSignals();
                serve(kept);
                {
                    const std::lock_guard guard(m_mutex); // of disconnect()
                    kept.socket.reset(); // the client sees the end at once
                }
                kept.hasEnded = true;
                m_changed.notify_all();
            });
        } catch (const std::system_error &) { // no more threads: the client may come again
            m_visits.pop_back();
        }
    }
}

std::size_t HttpServer::served()
{
    const std::lock_guard lock(m_mutex);
    return std::size_t(
        std::ranges::count_if(m_visits, [](const auto &visit) { return !visit->isOneTooMany && !visit->hasEnded; }));
}

void HttpServer::sweep()
{
    const std::lock_guard lock(m_mutex);
    m_visits.remove_if([](const auto &visit) { return visit->hasEnded.load(); });
}

bool HttpServer::isOwn(const Visit &visit) const
{
    if (!std::holds_alternative<LocalListener>(m_listener))
        return true; // TCP doesn't tell: the token does
    const auto peer = peerOf(visit.socket.get());
    return peer && peer->uid == ::geteuid();
}

void HttpServer::serve(Visit &visit)
{
    if (!isOwn(visit))
        return visit.part(httpResponse(403,
                                       refusal(u"Only programs of the user who started this server are answered."_s),
                                       "Connection: close\r\n"));
    if (visit.isOneTooMany)
        return visit.part(httpResponse(
            503,
            refusal(u"All %1 connections are in use. Close one, or try again in a moment."_s.arg(httpConnectionsMax)),
            "Retry-After: 2\r\nConnection: close\r\n"));
    while (answerOne(visit)) { }
}

bool HttpServer::letIn(Visit &visit, const Client &client)
{
    const std::lock_guard lock(m_mutex);
    const auto isOfClient = [&](const auto &other) { return other->client == &client && !other->hasEnded; };
    if (visit.client != &client && std::ranges::count_if(m_visits, isOfClient) >= httpConnectionsOfOneMax)
        return false;
    visit.client = &client;
    return true;
}

void HttpServer::disconnect(const Client &client)
{
    std::vector<std::shared_ptr<Session>> sessions;
    {
        const std::lock_guard lock(m_mutex);
        for (const auto &visit : m_visits) {
            if (visit->client == &client && visit->socket)
                ::shutdown(visit->socket.get(), SHUT_RDWR);
        }
        for (auto it = m_sessions.begin(); it != m_sessions.end();) {
            const bool isIts = &it->second->client == &client;
            if (isIts)
                sessions.push_back(it->second);
            it = isIts ? m_sessions.erase(it) : std::next(it);
        }
    }
    for (const auto &session : sessions)
        session->connection.close();
}

bool HttpServer::answerOne(Visit &visit)
{
    auto end = std::chrono::steady_clock::now() + (visit.isKnown ? headPatience : strangersPatience);
    const auto refuse = [&](int status, const QString &sentence,
                            const QByteArray &fields = {}) { // its body is not read
        visit.part(httpResponse(status, refusal(sentence), fields + "Connection: close\r\n"));
        return false;
    };
    network::Parsed<network::HttpRequest> parsed;
    for (std::size_t searched = 0;;) {
        parsed = network::parseHttpRequest(visit.bytes, network::HttpListener::Transparent, searched);
        if (parsed.state != network::ParseState::NeedMore)
            break;
        searched = visit.bytes.size();
        if (visit.readMore(end))
            continue;
        return leftOf(end) == 0 && searched > 0 ? refuse(408, u"The request took too long. Send it again."_s) : false;
    }
    if (parsed.state == network::ParseState::Malformed)
        return refuse(400, u"The request is not HTTP as it should be."_s);
    visit.request = std::move(parsed.value);
    visit.bytes.erase(0, parsed.used);
    const network::HttpRequest &request = visit.request;
    if (!isOfThisMachine(request))
        return refuse(403, u"Only programs on this machine are answered: Host and Origin must be of 127.0.0.1."_s);
    if (m_pairing && AuthorizationServer::isPlace(request.target))
        return answerPairing(visit, end);
    // Before the token is asked for: clients look in other places for a way to log in, and have to find none.
    if (request.target != "/mcp" && !request.target.starts_with("/mcp?"))
        return refuse(404, u"There is nothing here but /mcp."_s);
    const QByteArray token = bearerToken(request);
    const auto admitted = m_admit(token);
    if (!admitted)
        return refuse(503, admitted.error().message.english(), "Retry-After: 2\r\n");
    Client *const client = *admitted;
    const QByteArray realm =
        "WWW-Authenticate: Bearer realm=\"glovebox\"" + (m_pairing ? ", " + m_pairing->hint(request) : QByteArray());
    if (!client && token.isEmpty())
        return refuse(
            401,
            u"This server answers paired clients. The person runs \"glovebox mcp pair NAME\"; send that token "
            "as Authorization: Bearer TOKEN."_s,
            realm + "\r\n");
    if (!client)
        return refuse(401,
                      u"No paired client has this token. The person gets a new one by \"glovebox mcp pair NAME\"."_s,
                      realm + ", error=\"invalid_token\"\r\n");
    if (!letIn(visit, *client))
        return refuse(
            503, u"You have %1 connections open already. Close one, or use one again."_s.arg(httpConnectionsOfOneMax),
            "Retry-After: 2\r\n");
    visit.isKnown = true;
    end = std::chrono::steady_clock::now() + headPatience; // for the body
    const QByteArray sessionId = fieldOf(request, "Mcp-Session-Id").value_or(QByteArray());
    if (request.method == "DELETE" && request.body.framing == network::HttpBody::Framing::None) {
        visit.write(removeSession(sessionId, *client) ? httpResponse(200, {})
                                                      : httpResponse(404, refusal(u"There is no such session."_s)));
        return request.keepAlive;
    }
    if (request.method != "POST")
        return refuse(405, u"Send messages by POST."_s, "Allow: POST, DELETE\r\n");
    if (!isJson(request))
        return refuse(415, u"The Content-Type of a message is application/json."_s);
    if (!acceptsBoth(request))
        return refuse(406, u"Accept both application/json and text/event-stream."_s);
    if (request.body.length > quint64(messageMax))
        return refuse(413, u"The message is larger than 4 MB. Send less at once."_s);
    if (request.expectsContinue)
        visit.write(QByteArrayView(network::httpContinue.data(), qsizetype(network::httpContinue.size())));

    if (request.body.framing != network::HttpBody::Framing::Length)
        return refuse(411, u"Send the message with its Content-Length."_s);
    const auto body = visit.readBody(end);
    return body && post(visit, *client, *body) && request.keepAlive;
}

// Of strangers all, so each connection is for one request.
bool HttpServer::answerPairing(Visit &visit, std::chrono::steady_clock::time_point end)
{
    const network::HttpRequest &request = visit.request;
    if (request.body.framing == network::HttpBody::Framing::Chunked || request.body.length > authorizationBodyMax)
        visit.part(
            httpResponse(413, refusal(u"Send at most 16 KB, with their Content-Length."_s), "Connection: close\r\n"));
    else if (const auto body = visit.readBody(end))
        visit.part(m_pairing->answer(request, *body, loopbackPeerOf(visit.socket.get())));
    return false;
}

bool HttpServer::post(Visit &visit, Client &client, const QByteArray &body)
{
    const network::HttpRequest &request = visit.request;
    const MessageText read = readMessage(body);
    const Message *const message = !read.isBatch && read.messages.front() ? &*read.messages.front() : nullptr;
    const bool isModern = isStateless(request, read);
    HttpAnswer::Way way{.write = [&visit](QByteArrayView out) { return visit.write(out); },
                        .done =
                            [&visit](bool wasWritten) {
                                const char byte = wasWritten ? 1 : 0;
                                std::ignore = ::write(visit.answeredEnd.get(), &byte, 1);
                            },
                        .isStateless = isModern,
                        .fields = {}};

    std::shared_ptr<Session> kept;
    std::unique_ptr<Connection> own; // of this message alone
    QByteArray id = fieldOf(request, "Mcp-Session-Id").value_or(QByteArray());
    if (isModern || !message
        || (id.isEmpty() && message->kind == Message::Kind::Request && message->method == u"ping")) {
        if (isModern && message && message->kind == Message::Kind::Request) {
            if (const auto wrong = mismatch(request, *message))
                return visit.write(httpResponse(400, errorText(*wrong, false)));
        }
        own = std::make_unique<Connection>(m_server, client);
        if (!isModern && !id.isEmpty()) // a batch, or what isn't a message
            kept = session(id, client);
    } else if (id.isEmpty() && message->method == u"initialize") {
        kept = addSession(client, id);
        way.fields = "Mcp-Session-Id: " + id + "\r\n";
    } else {
        if (id.isEmpty())
            return visit.write(
                httpResponse(400, refusal(u"Send initialize first, and its Mcp-Session-Id with each message."_s)));
        kept = session(id, client);
        if (!kept)
            return visit.write(httpResponse(404, refusal(u"There is no such session. Send initialize again."_s)));
        const auto version = fieldOf(request, "MCP-Protocol-Version");
        if (version && !fromString<Revision>(QString::fromUtf8(*version)))
            return visit.write(
                httpResponse(400, refusal(u"The header MCP-Protocol-Version names no revision that is known."_s)));
    }
    Connection &connection = kept ? kept->connection : *own;
    auto answer = std::make_shared<HttpAnswer>(std::move(way));
    const std::stop_source gone = answer->goneSource();
    connection.receive(read, body.size(), answer);
    answer.reset();
    return visit.waitForAnswer(gone);
}

std::shared_ptr<HttpServer::Session> HttpServer::session(const QByteArray &id, const Client &client)
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_sessions.find(id);
    if (found == m_sessions.end() || &found->second->client != &client)
        return nullptr;
    found->second->lastUse = ++m_uses;
    return found->second;
}

std::shared_ptr<HttpServer::Session> HttpServer::addSession(Client &client, QByteArray &id)
{
    std::shared_ptr<Session> oldest;
    auto session = std::make_shared<Session>(m_server, client);
    id = newSessionId();
    {
        const std::lock_guard lock(m_mutex);
        auto found = m_sessions.end();
        int count = 0;
        for (auto it = m_sessions.begin(); it != m_sessions.end(); ++it) {
            if (&it->second->client != &client)
                continue;
            ++count;
            if (found == m_sessions.end() || it->second->lastUse < found->second->lastUse)
                found = it;
        }
        if (count >= httpSessionsMax) {
            oldest = std::move(found->second);
            m_sessions.erase(found);
        }
        session->lastUse = ++m_uses;
        m_sessions[id] = session;
    }
    if (oldest)
        oldest->connection.close();
    return session;
}

bool HttpServer::removeSession(const QByteArray &id, const Client &client)
{
    const auto found = session(id, client);
    if (!found)
        return false;
    {
        const std::lock_guard lock(m_mutex);
        m_sessions.erase(id);
    }
    found->connection.close();
    return true;
}

} // namespace glovebox::mcp
