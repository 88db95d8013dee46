// SPDX-License-Identifier: Apache-2.0
// How a program gets paired by itself where the person can be asked: the authorization server beside /mcp, as clients of the Model
// Context Protocol look for one (its page "Authorization": RFC 9728, 8414, 7591, OAuth 2.1 with PKCE, RFC 8707, 9207).
//
// Against whom:
// - Web pages. Host and Origin are this machine's (requestheaders.h). A page can't register: that takes JSON, which browsers send to
//   other sites after a leave only that nobody gives here. So it has no client_id, and without one asks nobody anything. /authorize
//   is for the address line of a browser: no frame, picture or script (Fetch Metadata). Answers can't be framed or read by pages.
// - Other users. The kernel says whose each connection is; where it doesn't, the request is refused.
// - The person's own programs, which may claim any name: the question shows the program, the address that gets the answer, and the
//   end of an id that the browser shows, too. Nobody's word but the person's pairs anything; Enter, silence and Ctrl+C refuse.
// - Floods. One question at a time and few a minute; whom the person refused asks no more while the server lasts, however it
//   registers again. Registrations are bounded in number and size. Nothing is kept but in memory.
// - Readers of a code (history of browsers, another program at the port or scheme). A code is of use once, for 60 s, and only to who
//   knows the verifier of S256, for the same client and address. A try that fails, or a second one, takes the pairing back.
// - An end between the person's yes and the token: a program is paired when it comes for the token, and not before.
// - Redirection. An answer goes to a registered address of this machine; before that is sure, errors are shown and go nowhere.
#pragma once

#include "login.h"
#include "registrations.h"

#include "engine/engine.h"
#include "engine/network/network.h"

#include <chrono>
#include <deque>
#include <list>
#include <mutex>
#include <set>

namespace glovebox::mcp {

class Server;

constexpr quint64 authorizationBodyMax = 16 * 1024; // bytes of a request
constexpr std::size_t pairingQuestionsMax = 5; // a minute
constexpr std::size_t refusalsMax = 10; // then nobody is asked about as long as the server lasts

// Thread-safe. The server outlives it.
class AuthorizationServer
{
public:
    // port: of 127.0.0.1, where it is reached. patience: for a browser to come for an answer, and then for a code to be used.
    AuthorizationServer(Server &server, quint16 port, std::chrono::milliseconds patience = std::chrono::seconds(60));
    ~AuthorizationServer(); // withdraws what is asked, and answers that nobody came for

    static bool isPlace(std::string_view target);
    // For WWW-Authenticate: where a client that shows no good token finds this.
    QByteArray hint(const network::HttpRequest &request) const;
    // The whole response, after which the connection ends. peer: who is connected; nothing: not known.
    QByteArray answer(const network::HttpRequest &request, const QByteArray &body,
                      const std::optional<LoopbackPeer> &peer);
    // Drops answers that nobody came for in time. To be called now and then.
    void settle();

private:
    using Moment = std::chrono::steady_clock::time_point;

    QByteArray base(const network::HttpRequest &request) const; // the issuer, as this client addresses it
    QByteArray registerClient(const network::HttpRequest &request, const QByteArray &body, const LoopbackPeer &peer);
    QByteArray authorize(const network::HttpRequest &request, QByteArrayView query);
    QByteArray ask(std::unique_lock<std::mutex> lock, Login &login);
    QByteArray follow(Login &login);
    QByteArray giveToken(const QByteArray &body);
    bool isOurs(const QByteArray &resource) const;
    void takeBack(const Login &login);
    void settleUnderLock();

    Server &m_server;
    const quint16 m_port;
    const std::chrono::milliseconds m_patience;
    std::mutex m_mutex; // over what follows
    Registrations m_registrations;
    std::list<Login> m_logins; // from the question to the end of the code; at most one is asked about
    std::set<std::pair<QString, QString>> m_refused; // program and claimed name
    std::deque<Moment> m_questions; // within a minute
};

} // namespace glovebox::mcp
