// SPDX-License-Identifier: Apache-2.0
#include "engine/network/protocols/socks.h"

#include "engine/network/egress/services/services.h"

namespace glovebox::network {

namespace {

template<typename T, typename Parse> std::optional<T> take(Stream &run, Parse parse, Gate &gate)
{
    const Time deadline = within(headPatience);
    for (;;) {
        const Parsed<T> parsed = parse(run.pending);
        if (parsed.state == ParseState::Done) {
            run.pending.erase(0, parsed.used);
            return parsed.value;
        }
        if (parsed.state == ParseState::Malformed)
            gate.reporter.malformed(Way::Socks, parsed.fault, {});
        if (parsed.state == ParseState::Malformed || run.receive(deadline) != Stream::Got::Bytes)
            return std::nullopt;
    }
}

SocksReply replyFor(Reason reason)
{
    switch (reason) {
    case Reason::NotResolved:
    case Reason::NotReached:
    case Reason::ProxyNotReached:
    case Reason::ProxyRefused:
        return SocksReply::HostUnreachable;
    default:
        return SocksReply::NotAllowed;
    }
}

} // namespace

void serveSocks(Stream run, Gate &gate)
{
    const auto greeting = take<SocksGreeting>(run, parseSocksGreeting, gate);
    if (!greeting || !run.send(socksMethodReply(greeting->withoutPassword), within(headPatience))
        || !greeting->withoutPassword)
        return;
    const auto request = take<SocksRequest>(run, parseSocksRequest, gate);
    if (!request) {
        run.send(socksReply(SocksReply::Failed), within(headPatience));
        return;
    }
    const Target target = gate.meant(request->host, request->port);
    if (request->command != SocksRequest::Command::Connect) {
        gate.reporter.refused(Way::Socks, Verdict::Denied, Reason::Unsupported, target);
        run.send(socksReply(SocksReply::CommandNotSupported), within(headPatience));
        return;
    }
    Dialled dialled = gate.dial(target);
    if (!dialled.server) {
        gate.reporter.refused(Way::Socks, dialled.verdict, dialled.reason, target, dialled.fault);
        run.send(socksReply(replyFor(dialled.reason)), within(headPatience));
        return;
    }
    if (run.send(socksReply(SocksReply::Succeeded), within(headPatience)))
        serveTunnel(run, dialled.server, target, Way::Socks, gate);
}

} // namespace glovebox::network
