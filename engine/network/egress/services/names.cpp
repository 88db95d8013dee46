// SPDX-License-Identifier: Apache-2.0
// The run's name server. Nothing is asked of anybody here: an allowed name gets an address of the run's own, whose connections
// come to us, and only then the name is resolved.
#include "engine/network/protocols/dns.h"

#include "engine/network/egress/services/services.h"

namespace glovebox::network {

namespace {

constexpr std::uint32_t validSeconds = 300;

} // namespace

std::optional<std::string> answerName(std::string_view message, Gate &gate)
{
    const auto query = parseDnsQuery(message);
    if (!query)
        return std::nullopt;
    if (query->verdict != DnsCode::NoError)
        return dnsAnswer(*query, query->verdict);
    if (!query->name || !gate.allowsSomePort(*query->name)) {
        gate.reporter.refusedName(Reason::NotOnTheList, query->name ? query->name->text : query->asked);
        return dnsAnswer(*query, DnsCode::NoSuchName);
    }
    if (query->type != DnsQuery::typeA)
        return dnsAnswer(*query, DnsCode::NoError);
    const auto address = gate.names.addressOf(*query->name);
    if (!address) {
        gate.reporter.refusedName(Reason::TooManyNames, query->name->text);
        return dnsAnswer(*query, DnsCode::ServerFailure);
    }
    return dnsAnswer(*query, DnsCode::NoError, address, validSeconds);
}

void serveNames(Stream run, Gate &gate)
{
    for (;;) {
        const auto frame = parseDnsFrame(run.pending);
        if (frame.state == ParseState::Malformed)
            return;
        if (frame.state == ParseState::NeedMore) {
            if (run.receive(within(headPatience)) != Stream::Got::Bytes)
                return;
            continue;
        }
        const auto answer = answerName(frame.value, gate);
        run.pending.erase(0, frame.used);
        if (!answer || !run.send(dnsFrame(*answer), within(headPatience)))
            return;
    }
}

} // namespace glovebox::network
