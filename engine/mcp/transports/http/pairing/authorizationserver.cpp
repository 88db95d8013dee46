// SPDX-License-Identifier: Apache-2.0
#include "authorizationserver.h"

#include "answers.h"
#include "parameters.h"

#include "engine/base/base.h"
#include "engine/mcp/protocol/server.h"
#include "engine/mcp/transports/http/requestheaders.h"

#include <algorithm>

#include <unistd.h>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

constexpr auto resourcePlace = "/.well-known/oauth-protected-resource/mcp"; // also without the path at its end
constexpr auto serverPlace = "/.well-known/oauth-authorization-server";
constexpr auto base64Url = QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals;

// Path and query.
std::pair<std::string_view, QByteArrayView> partsOf(std::string_view target)
{
    const std::size_t end = std::min(target.find('?'), target.size());
    const std::string_view query = target.substr(std::min(end + 1, target.size()));
    return {target.substr(0, end), QByteArrayView(query.data(), qsizetype(query.size()))};
}

QByteArray valueIn(const Parameters &parameters, const char *name)
{
    const auto found = parameters.find(name);
    return found == parameters.end() ? QByteArray() : found->second;
}

QByteArray challengeOf(const QByteArray &verifier) // RFC 7636, 4.6
{
    return verifier.size() < 43 || verifier.size() > 128 ? QByteArray() : sha256({verifier}).toBase64(base64Url);
}

// Of a browser that loads it as a part of a page, or before anybody wants it. Older browsers don't say.
bool isEmbedded(const network::HttpRequest &request)
{
    return fieldOf(request, "Sec-Fetch-Dest").value_or("document") != "document"
           || fieldOf(request, "Sec-Fetch-Mode").value_or("navigate") != "navigate" || fieldOf(request, "Sec-Purpose");
}

} // namespace

AuthorizationServer::AuthorizationServer(Server &server, quint16 port, std::chrono::milliseconds patience)
    : m_server(server)
    , m_port(port)
    , m_patience(patience)
{
}

AuthorizationServer::~AuthorizationServer()
{
    for (const Login &login : m_logins) {
        if (login.paired.isEmpty())
            takeBack(login);
    }
}

bool AuthorizationServer::isPlace(std::string_view target)
{
    const std::string_view path = partsOf(target).first;
    return path == resourcePlace || path == "/.well-known/oauth-protected-resource" || path == serverPlace
           || path == "/register" || path == "/authorize" || path == "/token";
}

QByteArray AuthorizationServer::base(const network::HttpRequest &request) const
{
    return (request.host.text == "localhost" ? "http://localhost:" : "http://127.0.0.1:") + QByteArray::number(m_port);
}

bool AuthorizationServer::isOurs(const QByteArray &resource) const
{
    for (const char *host : {"http://127.0.0.1:", "http://localhost:"}) {
        const QByteArray own = host + QByteArray::number(m_port);
        if (resource == own || resource == own + '/' || resource == own + "/mcp")
            return true;
    }
    return resource.isEmpty(); // of revisions that don't name it
}

QByteArray AuthorizationServer::hint(const network::HttpRequest &request) const
{
    return "resource_metadata=\"" + base(request) + resourcePlace + '"';
}

QByteArray AuthorizationServer::answer(const network::HttpRequest &request, const QByteArray &body,
                                       const std::optional<LoopbackPeer> &peer)
{
    if (!peer || peer->uid != ::geteuid())
        return errorAnswer(u"access_denied"_s,
                           u"This connection isn't certain to be of the user who started this server. To pair any "
                           "program, run: glovebox mcp pair NAME"_s,
                           403);
    const auto [path, query] = partsOf(request.target);
    const bool isPosted = path == "/register" || path == "/token";
    if (request.method != (isPosted ? "POST" : "GET"))
        return jsonAnswer(405, {}, isPosted ? "Allow: POST\r\n" : "Allow: GET\r\n");
    settle();
    const QString here = QString::fromLatin1(base(request));
    return path == "/register" ? registerClient(request, body, *peer)
           : path == "/token"  ? giveToken(body)
           : path == "/authorize"
               ? authorize(request, query)
               : jsonAnswer(200, path == serverPlace ? serverMetadata(here) : resourceMetadata(here));
}

QByteArray AuthorizationServer::registerClient(const network::HttpRequest &request, const QByteArray &body,
                                               const LoopbackPeer &peer)
{
    const auto wished = parseStrictJson(body);
    if (!isJson(request) || !wished)
        return errorAnswer(u"invalid_client_metadata"_s, u"Send what the client is as JSON."_s);
    Registration client = Registration::from(*wished, peer);
    if (client.redirects.isEmpty())
        return errorAnswer(u"invalid_redirect_uri"_s,
                           u"Name an address of this machine in redirect_uris, such as http://127.0.0.1/callback."_s);
    const QJsonObject told = client.toJson();
    const std::lock_guard lock(m_mutex);
    m_registrations.add(std::move(client), [this](const QByteArray &id) {
        return std::ranges::find(m_logins, id, &Login::client) != m_logins.end();
    });
    return jsonAnswer(201, told);
}

QByteArray AuthorizationServer::authorize(const network::HttpRequest &request, QByteArrayView query)
{
    const QString title = u"this program can't be paired"_s;
    if (isEmbedded(request))
        return pageAnswer(403, title, {u"This page opens in a window of its own only."_s});
    const auto given = parametersIn(query);
    if (!given)
        return pageAnswer(400, title, {u"The address that led here is not as it should be."_s});
    std::unique_lock lock(m_mutex);
    Registration *const client = m_registrations.find(valueIn(*given, "client_id"));
    if (!client)
        return pageAnswer(
            400, title,
            {u"The program isn't registered here: the server was started again since, or others registered."_s,
             u"Clear the program's login for Glovebox, then connect again."_s,
             u"Or pair it by hand: glovebox mcp pair NAME"_s});
    Login login{client->id,
                QByteArray::fromStdString(request.target),
                valueIn(*given, "redirect_uri"),
                valueIn(*given, "code_challenge"),
                valueIn(*given, "state"),
                base(request)};
    if (std::ranges::none_of(client->redirects, [&](const auto &own) { return isSameRedirect(own, login.redirect); }))
        return pageAnswer(400, title, {u"The program wants the answer at an address that it didn't register."_s});
    if (valueIn(*given, "response_type") != "code")
        return login.refuse("unsupported_response_type", u"The response_type is code."_s);
    if (valueIn(*given, "code_challenge_method") != "S256" || login.challenge.size() != 43)
        return login.refuse("invalid_request", u"A code_challenge by S256 is needed."_s);
    if (!isOurs(valueIn(*given, "resource")))
        return login.refuse("invalid_target", u"The resource is another server's."_s);
    const auto same = std::ranges::find(m_logins, login.target, &Login::target);
    if (client->settled == login.target || (same != m_logins.end() && !same->code.isEmpty()))
        return pageAnswer(400, u"answered already"_s, {u"To ask again, connect again in the program."_s});
    if (same != m_logins.end())
        return follow(*same);
    if (m_refused.size() >= refusalsMax || m_refused.contains({client->caller.program, client->caller.claimed}))
        return login.refuse("access_denied",
                            u"The person refused this program, or many. To pair it, run: glovebox mcp pair NAME"_s);
    const auto now = steady_clock::now();
    std::erase_if(m_questions, [&](Moment asked) { return now - asked >= 1min; });
    if (m_questions.size() >= pairingQuestionsMax
        || std::ranges::any_of(m_logins, [](const Login &each) { return !each.answered; }))
        return login.refuse("temporarily_unavailable",
                            u"The person is asked about another program, or was asked often. Try again in a minute."_s);
    m_questions.push_back(now);
    return ask(std::move(lock), m_logins.emplace_back(std::move(login)));
}

// Out of the lock, as the answer may come at once.
QByteArray AuthorizationServer::ask(std::unique_lock<std::mutex> lock, Login &login)
{
    const auto promise = std::make_shared<std::promise<Status>>();
    login.answer = promise->get_future();
    const Caller caller = m_registrations.find(login.client)->caller;
    const QString redirect = QString::fromLatin1(login.redirect);
    lock.unlock();
    const auto engine = m_server.engine();
    if (!engine)
        promise->set_value(std::unexpected(engine.error()));
    const QString question =
        engine ? (*engine)->approvals().requestPairing(
                     caller, redirect, [promise](Status answer) { promise->set_value(std::move(answer)); })
               : QString();
    lock.lock();
    login.question = question;
    login.isAsked = true;
    settleUnderLock();
    return follow(login);
}

// What the browser is told that comes for the answer, once more or again.
QByteArray AuthorizationServer::follow(Login &login)
{
    Registration *const client = m_registrations.find(login.client);
    if (!login.answered)
        return pageAnswer(
            200, u"answer in the terminal"_s,
            {u"\"%1\" asks to be paired."_s.arg(shownName(client->caller.claimed)),
             u"You are asked in the terminal where \"glovebox mcp --http --ask\" runs."_s,
             u"The question there names request %1, as this page does."_s.arg(pairingMark(login.question)),
             u"Refuse it if you didn't start this."_s, u"This page goes on by itself soon after your answer."_s},
            true);
    client->settled = login.target;
    if (!*login.answered) {
        const QByteArray refusal = login.refuse("access_denied", login.answered->error().message.english());
        m_logins.remove_if([&](const Login &each) { return &each == &login; });
        return refusal;
    }
    login.code = randomSecret();
    login.until = steady_clock::now() + m_patience;
    return login.redirectWith({{"code", login.code}});
}

QByteArray AuthorizationServer::giveToken(const QByteArray &body)
{
    const auto given = parametersIn(body);
    if (!given)
        return errorAnswer(u"invalid_request"_s, u"Send a form that names each parameter once."_s);
    if (valueIn(*given, "grant_type") != "authorization_code")
        return errorAnswer(u"unsupported_grant_type"_s, u"The grant_type is authorization_code."_s);
    if (!isOurs(valueIn(*given, "resource")))
        return errorAnswer(u"invalid_target"_s, u"The resource is another server's."_s);
    const std::lock_guard lock(m_mutex);
    if (!m_registrations.find(valueIn(*given, "client_id")))
        return errorAnswer(u"invalid_client"_s, u"This client isn't registered here. Register again."_s);
    const auto login = std::ranges::find_if(
        m_logins, [&](const Login &each) { return isSameSecret(each.code, valueIn(*given, "code")); });
    const QString refusal = u"This code is used, too old or not this client's. Ask for another one."_s;
    if (login == m_logins.end())
        return errorAnswer(u"invalid_grant"_s, refusal);
    if (!login->paired.isEmpty() || !isSameSecret(login->client, valueIn(*given, "client_id"))
        || login->redirect != valueIn(*given, "redirect_uri")
        || !isSameSecret(login->challenge, challengeOf(valueIn(*given, "code_verifier")))) {
        takeBack(*login);
        m_logins.erase(login);
        return errorAnswer(u"invalid_grant"_s, refusal);
    }
    const auto engine = m_server.engine();
    const auto pairing =
        engine ? (*engine)->approvals().pairRequested(login->question) : std::unexpected(engine.error());
    if (!pairing) {
        m_logins.erase(login);
        return errorAnswer(u"server_error"_s, pairing.error().message.english(), 503);
    }
    login->paired = pairing->client.id;
    return jsonAnswer(200, {{u"access_token"_s, QString::fromLatin1(pairing->token)}, {u"token_type"_s, u"Bearer"_s}});
}

void AuthorizationServer::takeBack(const Login &login)
{
    const auto engine = m_server.engine();
    if (!engine)
        return;
    if (login.paired.isEmpty())
        (*engine)->approvals().withdrawPairing(login.question);
    else
        std::ignore = (*engine)->approvals().remove(login.paired, (*engine)->caller());
}

void AuthorizationServer::settle()
{
    const std::lock_guard lock(m_mutex);
    settleUnderLock();
}

void AuthorizationServer::settleUnderLock()
{
    const auto now = steady_clock::now();
    for (Login &login : m_logins) {
        if (!login.isAsked || login.answered || login.answer.wait_for(0s) != std::future_status::ready)
            continue;
        login.answered = login.answer.get();
        login.until = now + m_patience;
        if (!*login.answered && login.answered->error().code == ErrorCode::PermissionDenied) {
            const Caller &caller = m_registrations.find(login.client)->caller;
            m_refused.emplace(caller.program, caller.claimed);
        }
    }
    m_logins.remove_if([&](const Login &login) {
        if (login.until > now)
            return false;
        if (login.paired.isEmpty())
            takeBack(login);
        return true;
    });
}

} // namespace glovebox::mcp
