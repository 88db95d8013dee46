// SPDX-License-Identifier: Apache-2.0
// Streamable HTTP for clients on this machine: one endpoint, /mcp, on 127.0.0.1 or on a unix socket.
#pragma once

#include "engine/base/base.h"
#include "engine/mcp/transports/local/localsocket.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>

namespace glovebox::mcp {

class AuthorizationServer;
class Client;
class Server;

constexpr quint16 httpPort = 8737; // unless the person names another; none that IANA gave to somebody
constexpr int httpConnectionsMax = 64; // at once; further ones are told so, by 503
constexpr int httpConnectionsOfOneMax = 48; // of those, one client's
constexpr int httpRefusalsMax = 16; // that are being told; yet further ones wait in the system's queue
constexpr int httpSessionsMax = 64; // of a client, in revisions with a handshake; its one unused longest makes room

// A listening socket of 127.0.0.1, which no run reaches; port 0: one that is free.
Result<UniqueFd> listenOnLoopback(quint16 port);
quint16 portOf(const UniqueFd &listener);

// Thread-safe.
class HttpServer
{
public:
    // Whose token that is; null: nobody's, and the request is refused with 401. An error: that can't be found out now, and the
    // request is refused with 503. An empty token: none was sent. Any thread; the client outlives this server.
    using Admit = std::function<Result<Client *>(const QByteArray &token)>;
    // Of 127.0.0.1, or a unix socket at which only this person's programs are answered.
    using Listener = std::variant<UniqueFd, LocalListener>;

    // pairing: serves its places beside /mcp; outlives this. Null: there is no such place, and clients find no way to log in.
    HttpServer(Server &server, Listener listener, Admit admit, AuthorizationServer *pairing = nullptr);
    // Cancels what is under way, and waits until it has ended.
    ~HttpServer();

    // Ends its connections and sessions, and what is under way there.
    void disconnect(const Client &client);

private:
    struct Session;
    struct Visit;

    void accept();
    void serve(Visit &visit);
    bool isOwn(const Visit &visit) const; // its program is this person's, as far as the kind of socket tells
    std::size_t served(); // connections that are not merely refused
    bool letIn(Visit &visit, const Client &client); // false: the client has too many connections
    bool answerOne(Visit &visit); // false: the connection ends
    bool answerPairing(Visit &visit, std::chrono::steady_clock::time_point end);
    bool post(Visit &visit, Client &client, const QByteArray &body);
    std::shared_ptr<Session> session(const QByteArray &id, const Client &client);
    std::shared_ptr<Session> addSession(Client &client, QByteArray &id);
    bool removeSession(const QByteArray &id, const Client &client);
    void sweep(); // ended threads

    Server &m_server;
    const Listener m_listener;
    const Admit m_admit;
    AuthorizationServer *const m_pairing;
    UniqueFd m_stop, m_stopEnd; // readable once it is to end
    std::mutex m_mutex; // over what follows
    std::condition_variable m_changed;
    std::map<QByteArray, std::shared_ptr<Session>> m_sessions;
    std::list<std::unique_ptr<Visit>> m_visits;
    qint64 m_uses = 0; // of sessions, so far
    std::jthread m_acceptor;
};

} // namespace glovebox::mcp
