// SPDX-License-Identifier: Apache-2.0
// Words and JSON of what a run wanted of the network, and which sockets serve it.
#include "egress.h"

#include <set>

namespace glovebox {

using namespace Qt::StringLiterals;

QJsonObject toJson(const EgressAttempt &attempt)
{
    return {{u"host"_s, attempt.host},
            {u"port"_s, attempt.port},
            {u"way"_s, toString(attempt.way)},
            {u"verdict"_s, toString(attempt.verdict)},
            {u"reason"_s, toJson(attempt.reason)},
            {u"sent"_s, attempt.sent},
            {u"received"_s, attempt.received},
            {u"ms"_s, qint64(attempt.duration.count())}};
}

QList<EgressSocket> egressSockets(const network::Allowlist &allowlist)
{
    using Service = EgressSocket::Service;
    QList<EgressSocket> sockets{{Service::HttpProxy, httpProxyPort},
                                {Service::SocksProxy, socksProxyPort},
                                {Service::DnsDatagrams, namesPort},
                                {Service::DnsStream, namesPort}};
    std::set<quint16> ports;
    for (const network::Rule &rule : allowlist) {
        if (rule.port)
            ports.insert(*rule.port);
        else
            ports.insert({80, 443});
    }
    for (const quint16 port : ports) {
        if (port != httpProxyPort && port != socksProxyPort && port != namesPort) // of those, the proxies know
            sockets.append({Service::Transparent, port});
    }
    return sockets;
}

} // namespace glovebox
