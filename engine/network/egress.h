// SPDX-License-Identifier: Apache-2.0
// The engine's side of a run's network: starts glovebox-egress for it, hears what the run tried, and ends it.
#pragma once

#include "engine/base/base.h"
#include "engine/network/rules/rules.h"
#include "engine/policy/policy.h"

#include <QHash>
#include <QJsonObject>
#include <QList>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace glovebox {

// One thing that a run wanted of the network.
struct EgressAttempt
{
    enum class Way { Http, Connect, Socks, Name, Direct };
    enum class Verdict {
        Allowed,
        Denied,
        Failed, // allowed, and it could not be had
    };
    Way way = Way::Http;
    QString host; // as it was asked for; nothing where that could not be read
    int port = 0; // 0: only an address was asked for
    Verdict verdict = Verdict::Denied;
    Text reason; // empty: allowed
    bool isOffAllowlist = false; // refused for this alone: the allowlist, empty or not, doesn't have the place
    qint64 sent = 0; // bytes, from the run
    qint64 received = 0;
    std::chrono::milliseconds duration{0};
    bool isOpen = false; // the numbers are not known yet

    bool operator==(const EgressAttempt &) const = default;
};

template<>
inline constexpr auto enumNames<EgressAttempt::Way> = namesOf<EgressAttempt::Way>({
    {EgressAttempt::Way::Http, "http"},
    {EgressAttempt::Way::Connect, "connect"},
    {EgressAttempt::Way::Socks, "socks"},
    {EgressAttempt::Way::Name, "name"},
    {EgressAttempt::Way::Direct, "direct"},
});

template<>
inline constexpr auto enumNames<EgressAttempt::Verdict> = namesOf<EgressAttempt::Verdict>({
    {EgressAttempt::Verdict::Allowed, "allowed"},
    {EgressAttempt::Verdict::Denied, "denied"},
    {EgressAttempt::Verdict::Failed, "failed"},
});

// {"host","port","way","verdict","reason":{"source","args"},"off_allowlist","sent","received","ms"}; of the audit entry.
QJsonObject toJson(const EgressAttempt &attempt);

// The bytes that were asked for, with a dot between two labels: host without the escapes of zone files (RFC 1035 section 5.1).
QByteArray bytesOfHost(const QString &host);
// Bytes as text to be shown, with an escape for each that isn't printable.
QString shownHost(QByteArrayView bytes);

// After the first 1000 they are only counted.
struct UntoldAttempts
{
    qint64 attempts = 0;
    qint64 allowed = 0; // of them
    qint64 sent = 0; // bytes
    qint64 received = 0;
};

// A socket that is to listen inside the run's network and is served by glovebox-egress.
struct EgressSocket
{
    enum class Service { HttpProxy, SocksProxy, DnsDatagrams, DnsStream, Transparent };
    Service service = Service::HttpProxy;
    quint16 port = 0;

    bool isDatagram() const { return service == Service::DnsDatagrams; }
    bool isEverywhere() const { return service == Service::Transparent; } // else at 127.0.0.1
    bool operator==(const EgressSocket &) const = default;
};

constexpr quint16 httpProxyPort = 3128;
constexpr quint16 socksProxyPort = 1080;
constexpr quint16 namesPort = 53;

QList<EgressSocket> egressSockets(const network::Allowlist &allowlist);

// A proxy of the person's that all connections go through. It resolves the names.
struct UpstreamProxy
{
    network::Host host;
    quint16 port = 0;

    QString text() const; // "http://proxy.example.org:3128"
    bool operator==(const UpstreamProxy &) const = default;
};

// text: the setting engine.upstream_proxy; nothing when it is empty.
Result<std::optional<UpstreamProxy>> upstreamProxy(const QString &text);

struct EgressSpec
{
    QString libexec; // the folder of glovebox-egress
    HostIdentity identity; // whom it belongs to if the engine is root's
    network::Allowlist allowlist;
    qint64 bytes = 0; // both ways together; 0: no limit
    qint64 bytesPerSecond = 0;
    std::optional<UpstreamProxy> proxy; // nothing: connections are made to the servers themselves
};

// Used by the run's thread. The destructor closes the run's network.
class Egress
{
public:
    // sockets: in the order of egressSockets(); those that are invalid could not be had. Blocks until it has sealed itself and
    // that was read back, at most 10 s.
    static Result<std::unique_ptr<Egress>> start(const EgressSpec &spec, std::vector<UniqueFd> sockets);
    ~Egress();
    Egress(const Egress &) = delete;
    Egress &operator=(const Egress &) = delete;

    const Control &control() const { return m_control; }
    // Readable when receive() has something to take; -1: it is over.
    int descriptor() const { return m_program.channel(); }
    // False: glovebox-egress ended by itself, and with it the run's network.
    bool receive();
    // The run is over: takes what is still told, and ends it. At most 2 s.
    void finish();

    // Once, when the run has moved all the bytes that it may.
    bool takeSpent() { return std::exchange(m_isSpent, false); }
    const QList<EgressAttempt> &attempts() const { return m_attempts; } // by their first moment
    const UntoldAttempts &untold() const { return m_untold; }
    // Whom the run means by an address that it got for an allowed name, as far as that was received; empty: it got none such.
    QString meant(const QString &address) const { return m_names.value(address); }

private:
    Egress() = default;
    bool take(const std::string &message);
    Status waitUntilReady(const EgressSpec &spec);
    Status readBack(int landlockAbi, const EgressSpec &spec);

    OwnProgram m_program;
    Control m_control;
    QList<EgressAttempt> m_attempts;
    UntoldAttempts m_untold;
    QHash<QString, QString> m_names; // by the address that stands for one
    bool m_isFinished = false;
    bool m_isSpent = false;
};

} // namespace glovebox
