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
            {u"off_allowlist"_s, attempt.isOffAllowlist},
            {u"sent"_s, attempt.sent},
            {u"received"_s, attempt.received},
            {u"ms"_s, qint64(attempt.duration.count())}};
}

QByteArray bytesOfHost(const QString &host)
{
    constexpr qsizetype digits = 3;
    const QByteArray text = host.toUtf8();
    QByteArray bytes;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) {
            bool isNumber = false;
            const uint value = text.mid(i + 1, digits).toUInt(&isNumber);
            const bool isByte = isNumber && i + digits < text.size() && value <= 0xff;
            bytes += isByte ? static_cast<char>(value) : text[i + 1];
            i += isByte ? digits : 1;
        } else {
            bytes += text[i];
        }
    }
    return bytes;
}

QString shownHost(QByteArrayView bytes)
{
    QString text;
    for (const char byte : bytes) {
        const auto value = static_cast<uchar>(byte);
        if (value >= 0x20 && value < 0x7f)
            text += QLatin1Char(byte);
        else
            text += u'\\' + QString::number(value).rightJustified(3, u'0');
    }
    return text;
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
