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
    return verdictOf(reason) == Verdict::Failed ? SocksReply::HostUnreachable : SocksReply::NotAllowed;
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
        gate.reporter.refused(Way::Socks, Reason::Unsupported, target);
        run.send(socksReply(SocksReply::CommandNotSupported), within(headPatience));
        return;
    }
    Dialled dialled = gate.dial(Way::Socks, target);
    if (!dialled.server) {
        run.send(socksReply(replyFor(dialled.reason)), within(headPatience));
        return;
    }
    if (run.send(socksReply(SocksReply::Succeeded), within(headPatience)))
        serveTunnel(run, dialled, target, Way::Socks, gate);
    else
        gate.reporter.ended(dialled.entry);
}

} // namespace glovebox::network
