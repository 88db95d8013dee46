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
// For the rest of what may become a request. Some protocols say as little first, and wait for an answer; they go on after this, and
// still no request passes (FirstLine).
constexpr std::chrono::seconds firstLinePatience{1};

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

enum class Talk { Tls, Http, Other };

// What the run says first, if it speaks first, must fit to what was granted.
Reason checkFirstWords(Stream &run, const Stream &server, const Target &target, Gate &gate, Talk &talk)
{
    talk = Talk::Tls;
    if (target.port == httpsPort)
        return checkHello(run, target, gate);
    const Speaker first = firstSpeaker(run, server);
    if (first == Speaker::Run && looksLikeTls(run.pending))
        return checkHello(run, target, gate);
    talk = Talk::Other;
    if (first != Speaker::Run)
        return first == Speaker::Server ? Reason::None : Reason::Idle;
    std::optional<bool> http = target.port == httpPort ? std::optional(true) : looksLikeHttp(run.pending);
    for (const Time deadline = within(firstLinePatience); !http && run.receive(deadline) == Stream::Got::Bytes;)
        http = looksLikeHttp(run.pending);
    if (http.value_or(false))
        talk = Talk::Http;
    return Reason::None;
}

} // namespace

void serveTunnel(Stream &run, Dialled &dialled, const Target &target, Way way, Gate &gate)
{
    Talk talk = Talk::Other;
    const Reason reason = checkFirstWords(run, dialled.server, target, gate, talk);
    // One connection may carry requests for any number of hosts.
    if (talk == Talk::Http)
        return serveHttp(run, dialled, target, way, gate);
    if (reason != Reason::None)
        return gate.reporter.ended(dialled.entry, reason);
    FirstLine first; // also after the server's: those of HTTP/2 may speak first
    gate.reporter.ended(dialled.entry,
                        relay(run, dialled.server, gate, dialled.entry, talk == Talk::Other ? &first : nullptr));
}

} // namespace glovebox::network
