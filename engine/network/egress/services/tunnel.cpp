// SPDX-License-Identifier: Apache-2.0
// What is in a tunnel is looked at before it is let through: an allowed host's address may serve other hosts, too, and which
// one is meant, the TLS hello says.
#include "engine/network/egress/services/services.h"
#include "engine/network/protocols/clienthello.h"
#include "engine/network/protocols/httprequest.h"

#include <poll.h>

namespace glovebox::network {

namespace {

constexpr std::uint16_t httpsPort = 443;
constexpr std::uint16_t httpPort = 80;

enum class Speaker { Run, Server, Nobody };

// Who says something first. No clock lets anything through, since a run could wait for it.
Speaker firstSpeaker(Stream &run, const Stream &server)
{
    if (!run.pending.empty())
        return Speaker::Run;
    if (!server.pending.empty()) // it came with the answer of a proxy
        return Speaker::Server;
    pollfd sources[] = {{run.socket(), POLLIN, 0}, {server.socket(), POLLIN, 0}};
    if (::poll(sources, 2, static_cast<int>(std::chrono::milliseconds(idleLimit).count())) <= 0)
        return Speaker::Nobody;
    // A run that ended without a word can't say anything later, either.
    const bool spoke = (sources[0].revents & POLLIN) != 0 && run.receive(within(headPatience)) == Stream::Got::Bytes;
    return spoke ? Speaker::Run : Speaker::Server;
}

bool isName(const ClientHello &hello, const Target &target, const Gate &gate)
{
    if (!hello.serverName)
        return target.host.address || target.port != httpsPort;
    // An address that was granted as such has no name; which of its hosts are allowed, the rules say.
    return *hello.serverName == target.host || (target.host.address && gate.allows({*hello.serverName, target.port}));
}

// A whole hello that names the target.
Reason checkHello(Stream &run, const Target &target, const Gate &gate)
{
    const Time deadline = within(headPatience);
    for (;;) {
        if (!run.pending.empty()) {
            const auto hello = parseClientHello(run.pending);
            if (hello.state == ParseState::Malformed)
                return Reason::NotTls;
            if (hello.state == ParseState::Done)
                return isName(hello.value, target, gate) ? Reason::None : Reason::OtherName;
        }
        if (run.receive(deadline) != Stream::Got::Bytes)
            return Reason::NotTls;
    }
}

// What the run says first, if it speaks first, must fit to what was granted.
Reason checkFirstWords(Stream &run, const Stream &server, const Target &target, Gate &gate, bool &isHttp)
{
    if (target.port == httpsPort)
        return checkHello(run, target, gate);
    if (const Speaker first = firstSpeaker(run, server); first != Speaker::Run)
        return first == Speaker::Server ? Reason::None : Reason::Idle;
    if (looksLikeTls(run.pending))
        return checkHello(run, target, gate);
    std::optional<bool> http = target.port == httpPort ? std::optional(true) : std::nullopt;
    for (const Time deadline = within(headPatience); !http && !(http = looksLikeHttp(run.pending));) {
        if (run.receive(deadline) != Stream::Got::Bytes)
            return Reason::Malformed;
    }
    isHttp = *http;
    return Reason::None;
}

} // namespace

void serveTunnel(Stream &run, Stream &server, const Target &target, Way way, Gate &gate)
{
    bool isHttp = false;
    const Reason reason = checkFirstWords(run, server, target, gate, isHttp);
    // One connection may carry requests for any number of hosts.
    if (isHttp)
        return serveHttp(run, server, target, way, gate);
    if (reason != Reason::None) {
        gate.reporter.refused(way, Verdict::Denied, reason, target);
        return;
    }
    Reporter::Entry entry = gate.reporter.opened(way, target);
    gate.reporter.ended(entry, relay(run, server, gate, entry));
}

} // namespace glovebox::network
