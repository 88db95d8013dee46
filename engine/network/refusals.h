// SPDX-License-Identifier: Apache-2.0
// What a run wanted of the network where nobody serves it: told as attempts, with host and port.
#pragma once

#include "egress.h"

#include <QSet>

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct pollfd;

namespace glovebox {

// A connection to an address (without brackets) that no listener took. Nothing where the allowlist opens that place, which only
// the proxies reach then.
std::optional<EgressAttempt> refusedConnection(const network::Allowlist &allowlist, const QString &host, quint16 port);

// The sockets of ClosedNames, in their order.
QList<EgressSocket> closedNamesSockets();

// The name server of a run that was allowed no host: knows nobody, and tells who was asked for. Used by the run's thread; never
// blocks.
class ClosedNames
{
public:
    ClosedNames() = default; // of which nobody ever asks
    // `sockets` are those of closedNamesSockets(), inside the run's network. An invalid one could not be had.
    explicit ClosedNames(std::vector<UniqueFd> sockets);

    bool isThere() const { return m_datagrams || m_listener; }
    // Adds what is readable when somebody waits for an answer.
    void addTo(std::vector<pollfd> &sources) const;
    // Answers up to max of those who wait with "no such name". Returns the names that were not told before: 100 at most in all.
    QList<EgressAttempt> answer(int max);
    // The same of a question that the sandbox saw on its way to a server that isn't there. Nothing: no name can be read in it.
    std::optional<QList<EgressAttempt>> overhear(std::string_view question);
    // Nobody can ask any more: the same of all who wait still, also of those whose question isn't whole.
    QList<EgressAttempt> finish();
    // How often others than those were asked for.
    UntoldAttempts untold() const { return {.attempts = m_untold}; }
    // Somebody came without a name that can be read.
    bool wasAskedForNothing() const { return m_wasAskedForNothing; }

    static constexpr std::size_t mostConnections = 8; // the oldest makes room

private:
    struct Connection
    {
        UniqueFd socket;
        std::string pending;
        bool hasAsked = false;
    };
    bool takeDatagram(QList<EgressAttempt> &news);
    bool takeConnection(QList<EgressAttempt> &news);
    bool read(Connection &connection, QList<EgressAttempt> &news);
    void end(Connection &connection, QList<EgressAttempt> &news);
    std::string reply(std::string_view message, QList<EgressAttempt> &news);
    void tell(const std::string &asked, QList<EgressAttempt> &news);

    UniqueFd m_datagrams, m_listener;
    std::list<Connection> m_connections; // the oldest first
    bool m_isStreamsTurn = false;
    QSet<QString> m_told;
    qint64 m_untold = 0;
    bool m_wasAskedForNothing = false;
};

} // namespace glovebox
