// SPDX-License-Identifier: Apache-2.0
// What the engine and glovebox-egress say to each other: the policy goes in once, in a sealed memfd; what the run tried comes
// out, a packet each, on the control socket. End of file there ends glovebox-egress, and with it the run's network.
#pragma once

#include "engine/launcher/wire.h"

#include <cstdint>
#include <string>
#include <vector>

namespace glovebox::network {

constexpr std::uint32_t egressVersion = 5; // raised with every change here

// Descriptors that glovebox-egress is started with.
constexpr int egressControlFd = 3;
constexpr int egressPolicyFd = 4;
constexpr int egressFirstListenerFd = 5; // in the order of EgressPolicy::listeners

enum class Service : std::uint8_t { HttpProxy, SocksProxy, DnsDatagrams, DnsStream, Transparent };

struct EgressListener
{
    Service service = Service::HttpProxy;
    std::uint16_t port = 0;

    static void fields(auto &self, auto &archive) { archive(self.service, self.port); }
    bool operator==(const EgressListener &) const = default;
};

struct EgressPolicy
{
    std::vector<std::string> rules; // canonical
    std::vector<EgressListener> listeners;
    std::uint64_t bytes = 0; // both ways together; 0: no limit
    std::uint64_t bytesPerSecond = 0; // both ways together; 0: no limit
    std::string proxyHost; // canonical; empty: connections are made to the servers themselves
    std::uint16_t proxyPort = 0;

    static void fields(auto &self, auto &archive)
    {
        archive(self.rules, self.listeners, self.bytes, self.bytesPerSecond, self.proxyHost, self.proxyPort);
    }
    std::string encode() const { return launcher::Writer().put(egressVersion).put(*this).bytes(); }
    bool decode(std::string_view text)
    {
        launcher::Reader in(text);
        std::uint32_t version = 0;
        in(version, *this);
        return in.done() && version == egressVersion;
    }
};

enum class EgressMessage : std::uint8_t {
    Ready = 1, // u32 version, string problem (empty: sealed, and read back), i32 version of Landlock, 0 without
    Opened, // Attempt, without an end; before anything of it leaves the machine
    Ended, // Attempt with the same id
    Refused, // Attempt: nothing was opened for it
    Left, // Untold, so far
    Spent, // the run has moved all that it may
    Named, // string address, string host: what the run was told for a name; before it is told
    Finish, // to glovebox-egress: the run is over; Left and Finish come back, and it ends
};

// Attempts that were not told one by one, together.
struct Untold
{
    std::uint64_t attempts = 0;
    std::uint64_t allowed = 0; // of them
    std::uint64_t sent = 0; // bytes, of those that ended
    std::uint64_t received = 0;

    static void fields(auto &self, auto &archive) { archive(self.attempts, self.allowed, self.sent, self.received); }
    bool operator==(const Untold &) const = default;
};

// How the run asked.
enum class Way : std::uint8_t { Http, Connect, Socks, Name, Direct };

enum class Verdict : std::uint8_t {
    Allowed,
    Denied, // by the rules
    Failed, // allowed, and it could not be had
};

enum class Reason : std::uint8_t {
    None,
    NotOnTheList,
    PrivateAddress, // where the name leads to, nobody may go
    UnknownAddress, // one of a run's own addresses that stands for no name
    NotTls,
    OtherName, // in the TLS hello or in the Host field, than was asked for
    Malformed,
    TooManyConnections,
    TooManyNames,
    BudgetSpent,
    NotResolved,
    NotReached,
    Unsupported,
    Idle,
    ProxyNotReached, // the person's own
    ProxyRefused,
    RunEnded, // while the server was being dialled
};

constexpr Verdict verdictOf(Reason reason)
{
    switch (reason) {
    case Reason::None:
    case Reason::Idle:
        return Verdict::Allowed;
    case Reason::NotResolved:
    case Reason::NotReached:
    case Reason::ProxyNotReached:
    case Reason::ProxyRefused:
    case Reason::RunEnded:
        return Verdict::Failed;
    default:
        return Verdict::Denied;
    }
}

struct Attempt
{
    std::uint64_t id = 0;
    Way way = Way::Http;
    Verdict verdict = Verdict::Denied;
    Reason reason = Reason::None;
    std::string host; // canonical, or printable pieces of what was asked for; at most about 1 kB
    std::uint16_t port = 0; // 0: a name was asked for
    std::string fault; // with Malformed: what was wrong, in English; with ProxyRefused: the proxy's status
    std::uint64_t sent = 0; // bytes, from the run
    std::uint64_t received = 0;
    std::uint64_t milliseconds = 0;

    static void fields(auto &self, auto &archive)
    {
        archive(self.id, self.way, self.verdict, self.reason, self.host, self.port, self.fault, self.sent,
                self.received, self.milliseconds);
    }
};

} // namespace glovebox::network
