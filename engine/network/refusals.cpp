// SPDX-License-Identifier: Apache-2.0
#include "refusals.h"

#include "network.h"

#include "engine/network/protocols/dns.h"

#include <sys/socket.h>

#include <array>

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

std::optional<EgressAttempt> refusedConnection(const network::Allowlist &allowlist, const QString &host, quint16 port)
{
    const EgressAttempt attempt{
        .way = EgressAttempt::Way::Direct, .host = host, .port = port, .reason = whyRefused(allowlist)};
    const auto rule = ruleFor(attempt);
    return rule && network::covers(allowlist, *rule) ? std::nullopt : std::optional(attempt);
}

ClosedNames::ClosedNames(UniqueFd socket)
    : m_socket(std::move(socket))
{
}

QList<EgressAttempt> ClosedNames::answer(int max)
{
    QList<EgressAttempt> news;
    for (int i = 0; i < max && m_socket; ++i) {
        std::array<char, 2 * network::dnsQueryMax> question;
        sockaddr_storage from{};
        socklen_t size = sizeof from;
        auto *address = reinterpret_cast<sockaddr *>(&from);
        const ssize_t got = ::recvfrom(m_socket.get(), question.data(), question.size(), MSG_DONTWAIT, address, &size);
        if (got < 0)
            break;
        const auto query = network::parseDnsQuery({question.data(), static_cast<std::size_t>(got)});
        if (!query)
            continue;
        using network::DnsCode;
        const bool isName = query->verdict == DnsCode::NoError;
        const std::string answer = dnsAnswer(*query, isName ? DnsCode::NoSuchName : query->verdict);
        ::sendto(m_socket.get(), answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL, address, size);
        if (!isName)
            continue;
        // As it was asked for: a secret in it is found in its own letters.
        const QString name = QString::fromStdString(query->asked);
        if (m_told.contains(name.toLower()))
            continue;
        if (m_told.size() == mostNamesTold) {
            ++m_untold;
            continue;
        }
        m_told.insert(name.toLower());
        news.append({.way = EgressAttempt::Way::Name, .host = name, .reason = whyRefused({})});
    }
    return news;
}

} // namespace glovebox
