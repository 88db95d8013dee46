// SPDX-License-Identifier: Apache-2.0
#include "runnetwork.h"

#include <QFile>

namespace glovebox {

namespace {

// All certificates that this machine trusts, at a place that runs see, too.
QByteArray certificates()
{
    for (const char *file : {"/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/certs/ca-bundle.crt",
                             "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"}) {
        if (QFile::exists(QFile::decodeName(file)))
            return file;
    }
    return {};
}

// Once it is over.
void tellOfUntold(const UntoldAttempts &untold, LiveRun &run)
{
    if (untold.attempts == 0)
        return;
    const QString times = QString::number(untold.attempts);
    run.addEvent(
        {EventType::EgressMore,
         untold.allowed == 0
             ? Text(untold.attempts == 1
                        ? QT_TRANSLATE_NOOP("engine", "The run wanted more of the network than is listed (once).")
                        : QT_TRANSLATE_NOOP("engine", "The run wanted more of the network than is listed (%1 times)."),
                    {times})
             : Text(untold.attempts == 1
                        ? QT_TRANSLATE_NOOP("engine", "The run wanted more of the network than is listed (once, "
                                                      "allowed: %3 bytes sent, %4 received).")
                    : untold.allowed == 1
                        ? QT_TRANSLATE_NOOP("engine", "The run wanted more of the network than is listed (%1 times, "
                                                      "of which 1 was allowed: %3 bytes sent, %4 received).")
                        : QT_TRANSLATE_NOOP("engine", "The run wanted more of the network than is listed (%1 times, "
                                                      "of which %2 were allowed: %3 bytes sent, %4 received)."),
                    {times, QString::number(untold.allowed), QString::number(untold.sent),
                     QString::number(untold.received)})});
}

} // namespace

void planNetwork(const Policy &policy, SandboxShape &shape)
{
    const auto allowlist = allowlistFromTexts(policy.allow);
    if (!allowlist || allowlist->empty()) {
        for (const EgressSocket &socket : closedNamesSockets())
            shape.listeners.append({socket.port, socket.isDatagram(), socket.isEverywhere()});
        return;
    }
    shape.hasEgress = true;
    for (const EgressSocket &socket : egressSockets(*allowlist))
        shape.listeners.append({socket.port, socket.isDatagram(), socket.isEverywhere()});
    const QByteArray proxy = "http://127.0.0.1:" + QByteArray::number(httpProxyPort);
    const QByteArray around = "localhost,127.0.0.1,::1";
    // Both spellings are in use, and ALL_PROXY as SOCKS stops programs that lack a library for it.
    for (const char *name : {"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"})
        shape.environment.append(QByteArray(name) + '=' + proxy);
    for (const char *name : {"no_proxy", "NO_PROXY"})
        shape.environment.append(QByteArray(name) + '=' + around);
    // Node.js has certificates of its own otherwise. Reading these takes it 40 ms, which only such runs pay.
    if (const QByteArray file = certificates(); !file.isEmpty())
        shape.environment.append("NODE_EXTRA_CA_CERTS=" + file);
}

Result<RunNetwork> openNetwork(const SoundRequest &request, const QString &libexec, const QString &proxy,
                               std::vector<UniqueFd> sockets)
{
    RunNetwork network;
    if (request.allowlist().empty()) {
        network.names = ClosedNames(std::move(sockets));
        return network;
    }
    EgressSpec spec;
    spec.libexec = libexec;
    spec.identity = runIdentity().value_or(HostIdentity());
    spec.allowlist = request.allowlist();
    spec.bytes = request->policy.limits.trafficBytes.value_or(0);
    spec.bytesPerSecond = request->policy.limits.bandwidthBytes.value_or(0);
    ASSIGN_OR_RETURN(spec.proxy, upstreamProxy(proxy));
    ASSIGN_OR_RETURN(network.egress, Egress::start(spec, std::move(sockets)));
    return network;
}

void tellIfSpent(Egress &egress, LiveRun &run)
{
    if (!egress.takeSpent())
        return;
    const qint64 most = run.request().policy.limits.trafficBytes.value_or(0);
    run.addEvent({EventType::NetworkTraffic,
                  Text(QT_TRANSLATE_NOOP("engine", "The run has used up its %1 MB of network traffic, and the rest was "
                                                   "cut off."),
                       {QString::number(most / mebibyte)})});
}

void closeNetwork(RunNetwork &network, LiveRun &run)
{
    for (EgressAttempt &attempt : network.names.finish())
        run.addRefused(std::move(attempt));
    if (network.names.wasAskedForNothing())
        run.addEvent(
            {EventType::NetworkLookup,
             Text(QT_TRANSLATE_NOOP("engine", "The run came to the name server of its network without a name that "
                                              "can be read."))});
    tellOfUntold(network.names.untold(), run);
    if (Egress *egress = network.egress.get()) {
        egress->finish();
        run.setEgress(egress->attempts());
        tellIfSpent(*egress, run);
        tellOfUntold(egress->untold(), run);
    }
    network = {};
}

} // namespace glovebox
