// SPDX-License-Identifier: Apache-2.0
// What is in a tunnel is looked at before it is let through: an allowed host's address may serve other hosts, too, and which
// one is meant, the TLS hello says.
#include "engine/network/egress/services/services.h"
#include "engine/network/protocols/opening.h"

#include <poll.h>

#include <memory>

namespace glovebox::network {

namespace {

constexpr std::uint16_t httpPort = 80;
// For the rest of what may become a request. Some protocols say as little first, and wait for an answer; they go on after this, and
// still no request passes (PlainOpening).
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

// A whole hello that names the target; what follows it is opening's.
Reason checkHello(Stream &run, const Target &target, const Gate &gate, std::unique_ptr<Opening> &opening)
{
    const Time deadline = within(headPatience);
    for (;;) {
        if (!run.pending.empty()) {
            const auto hello = parseClientHello(run.pending);
            if (hello.state == ParseState::Malformed)
                return Reason::NotTls;
            if (hello.state == ParseState::Done) {
                opening = std::make_unique<TlsOpening>(hello.value, hello.used);
                return isName(hello.value, target, gate) ? Reason::None : Reason::OtherName;
            }
        }
        if (run.receive(deadline) != Stream::Got::Bytes)
            return Reason::NotTls;
    }
}

// What the run says first, if it speaks first, must fit to what was granted. opening: who looks at what follows; nobody: HTTP, of
// which each request is checked.
Reason checkFirstWords(Stream &run, const Stream &server, const Target &target, const Gate &gate,
                       std::unique_ptr<Opening> &opening)
{
    if (target.port == httpsPort)
        return checkHello(run, target, gate, opening);
    const Speaker first = firstSpeaker(run, server);
    if (first == Speaker::Run && looksLikeTls(run.pending))
        return checkHello(run, target, gate, opening);
    opening = std::make_unique<PlainOpening>(); // also after the server's words: those of HTTP/2 may speak first
    if (first != Speaker::Run)
        return first == Speaker::Server ? Reason::None : Reason::Idle;
    std::optional<bool> http = target.port == httpPort ? std::optional(true) : looksLikeHttp(run.pending);
    for (const Time deadline = within(firstLinePatience); !http && run.receive(deadline) == Stream::Got::Bytes;)
        http = looksLikeHttp(run.pending);
    if (http.value_or(false))
        opening.reset();
    return Reason::None;
}

} // namespace

void serveTunnel(Stream &run, Dialled &dialled, const Target &target, Way way, Gate &gate)
{
    std::unique_ptr<Opening> opening;
    const Reason reason = checkFirstWords(run, dialled.server, target, gate, opening);
    if (reason != Reason::None)
        return gate.reporter.ended(dialled.entry, reason);
    // One connection may carry requests for any number of hosts.
    if (!opening)
        return serveHttp(run, dialled, target, way, gate);
    gate.reporter.ended(dialled.entry, relay(run, dialled.server, gate, dialled.entry, opening.get()));
}

} // namespace glovebox::network
