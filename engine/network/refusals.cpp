// SPDX-License-Identifier: Apache-2.0
#include "refusals.h"

#include "network.h"

#include "engine/network/protocols/dns.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostNamesTold = 100;

Text whyRefused(const network::Allowlist &allowlist)
{
    return allowlist.empty() ? QT_TRANSLATE_NOOP("engine", "no host was allowed")
                             : QT_TRANSLATE_NOOP("engine", "not on the allowlist");
}

} // namespace

std::optional<network::Rule> ruleThatHelps(const EgressAttempt &attempt)
{
    return attempt.isOffAllowlist ? ruleFor(attempt) : std::nullopt;
}

std::optional<EgressAttempt> refusedConnection(const network::Allowlist &allowlist, const QString &host, quint16 port)
{
    const EgressAttempt attempt{.way = EgressAttempt::Way::Direct,
                                .host = host,
                                .port = port,
                                .reason = whyRefused(allowlist),
                                .isOffAllowlist = true};
    const auto rule = ruleFor(attempt);
    return rule && network::covers(allowlist, *rule) ? std::nullopt : std::optional(attempt);
}

QList<EgressSocket> closedNamesSockets()
{
    return {{EgressSocket::Service::DnsDatagrams, namesPort}, {EgressSocket::Service::DnsStream, namesPort}};
}

ClosedNames::ClosedNames(std::vector<UniqueFd> sockets)
{
    sockets.resize(2);
    m_datagrams = std::move(sockets[0]);
    m_listener = std::move(sockets[1]);
}

void ClosedNames::addTo(std::vector<pollfd> &sources) const
{
    for (const UniqueFd *socket : {&m_datagrams, &m_listener}) {
        if (*socket)
            sources.push_back({socket->get(), POLLIN, 0});
    }
    for (const Connection &connection : m_connections)
        sources.push_back({connection.socket.get(), POLLIN, 0});
}

QList<EgressAttempt> ClosedNames::answer(int max)
{
    QList<EgressAttempt> news;
    for (int i = 0; i < max; ++i) {
        // In turn, so that a flood of either leaves the other its half.
        m_isStreamsTurn = !m_isStreamsTurn;
        if (!(m_isStreamsTurn ? takeConnection(news) || takeDatagram(news)
                              : takeDatagram(news) || takeConnection(news)))
            break;
    }
    return news;
}

std::optional<QList<EgressAttempt>> ClosedNames::overhear(std::string_view question)
{
    const std::string asked = network::askedName(question);
    if (asked.empty())
        return std::nullopt;
    QList<EgressAttempt> news;
    tell(asked, news);
    return news;
}

QList<EgressAttempt> ClosedNames::finish()
{
    constexpr int mostWaiting = 1024; // few more have room in the sockets
    QList<EgressAttempt> news = answer(mostWaiting);
    for (Connection &connection : m_connections)
        end(connection, news);
    m_connections.clear();
    return news;
}

bool ClosedNames::takeDatagram(QList<EgressAttempt> &news)
{
    std::array<char, 2 * network::dnsQueryMax> question;
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    auto *address = reinterpret_cast<sockaddr *>(&from);
    const ssize_t got =
        m_datagrams ? ::recvfrom(m_datagrams.get(), question.data(), question.size(), MSG_DONTWAIT, address, &size)
                    : -1;
    if (got < 0)
        return false;
    const std::string answer = reply({question.data(), static_cast<std::size_t>(got)}, news);
    if (!answer.empty())
        ::sendto(m_datagrams.get(), answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL, address, size);
    return true;
}

// Accepts a connection to the name server, or reads a question from an open one. False: nobody waits.
bool ClosedNames::takeConnection(QList<EgressAttempt> &news)
{
    std::vector<pollfd> sources;
    if (m_listener)
        sources.push_back({m_listener.get(), POLLIN, 0});
    for (const Connection &connection : m_connections)
        sources.push_back({connection.socket.get(), POLLIN, 0});
    if (sources.empty() || ::poll(sources.data(), static_cast<nfds_t>(sources.size()), 0) <= 0)
        return false;
    std::size_t at = m_listener ? 1 : 0;
    for (auto connection = m_connections.begin(); connection != m_connections.end(); ++connection, ++at) {
        if (sources[at].revents == 0)
            continue;
        if (!read(*connection, news)) {
            end(*connection, news);
            m_connections.erase(connection);
        }
        return true;
    }
    UniqueFd socket(::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket)
        return false;
    if (m_connections.size() == mostConnections) {
        read(m_connections.front(), news);
        end(m_connections.front(), news);
        m_connections.pop_front();
    }
    m_connections.push_back({.socket = std::move(socket)});
    return true;
}

// False: nothing follows that could be answered.
bool ClosedNames::read(Connection &connection, QList<EgressAttempt> &news)
{
    std::array<char, network::dnsFrameMax> bytes;
    const ssize_t got = ::recv(connection.socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got <= 0)
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    connection.pending.append(bytes.data(), static_cast<std::size_t>(got));
    for (;;) {
        const auto frame = network::parseDnsFrame(connection.pending);
        if (frame.state == network::ParseState::NeedMore)
            return true;
        if (frame.state == network::ParseState::Malformed) { // as much of it as a name can be in
            ::shutdown(connection.socket.get(), SHUT_WR);
            return connection.pending.size() < network::dnsFrameMax;
        }
        connection.hasAsked = true;
        const std::string answer = reply(frame.value, news);
        connection.pending.erase(0, frame.used);
        const std::string words = network::dnsFrame(answer);
        // Who reads no answers gets none.
        if (answer.empty()
            || ::send(connection.socket.get(), words.data(), words.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                   != static_cast<ssize_t>(words.size()))
            return false;
    }
}

// A question that isn't whole is told as far as it came.
void ClosedNames::end(Connection &connection, QList<EgressAttempt> &news)
{
    const std::string_view rest(connection.pending);
    if (!rest.empty())
        tell(network::askedName(rest.substr(std::min(rest.size(), network::dnsFrameHead))), news);
    else if (!connection.hasAsked)
        m_wasAskedForNothing = true;
}

// The answer; empty: none may be given.
std::string ClosedNames::reply(std::string_view message, QList<EgressAttempt> &news)
{
    const auto query = network::parseDnsQuery(message);
    using network::DnsCode;
    const bool isQuestion = query && query->verdict == DnsCode::NoError;
    // As it was asked for: a secret in it is found in its own letters.
    tell(isQuestion ? query->asked : network::askedName(message), news);
    if (!query)
        return {};
    return network::dnsAnswer(*query, isQuestion ? DnsCode::NoSuchName : query->verdict);
}

void ClosedNames::tell(const std::string &asked, QList<EgressAttempt> &news)
{
    if (asked.empty()) {
        m_wasAskedForNothing = true;
        return;
    }
    const QString name = QString::fromStdString(asked);
    if (m_told.contains(name.toLower()))
        return;
    if (m_told.size() == mostNamesTold) {
        ++m_untold;
        return;
    }
    m_told.insert(name.toLower());
    news.append({.way = EgressAttempt::Way::Name, .host = name, .reason = whyRefused({}), .isOffAllowlist = true});
}

} // namespace glovebox
