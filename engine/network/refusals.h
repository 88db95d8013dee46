// SPDX-License-Identifier: Apache-2.0
// What a run wanted of the network where nobody serves it: told as attempts, with host and port.
#pragma once

#include "egress.h"

#include <QSet>

namespace glovebox {

// A connection to an address (without brackets) that no listener took. Nothing where the allowlist opens that place, which only
// the proxies reach then.
std::optional<EgressAttempt> refusedConnection(const network::Allowlist &allowlist, const QString &host, quint16 port);

// The name server of a run that was allowed no host: knows nobody, and tells who was asked for. Used by the run's thread; never
// blocks.
class ClosedNames
{
public:
    ClosedNames() = default; // of which nobody ever asks
    explicit ClosedNames(UniqueFd socket); // which takes datagrams inside the run's network

    int descriptor() const { return m_socket.get(); } // readable when somebody waits for an answer; -1: never
    // Answers up to max of those who wait with "no such name". Returns the names that were not told before: 100 at most in all.
    QList<EgressAttempt> answer(int max);
    // How often others than those were asked for.
    UntoldAttempts untold() const { return {.attempts = m_untold}; }

private:
    UniqueFd m_socket;
    QSet<QString> m_told;
    qint64 m_untold = 0;
};

} // namespace glovebox
