// SPDX-License-Identifier: Apache-2.0
// The run's name server. Nothing is asked of anybody here: an allowed name gets an address of the run's own, whose connections
// come to us, and only then the name is resolved.
#include "engine/network/protocols/dns.h"

#include "engine/network/egress/services/services.h"

namespace glovebox::network {

namespace {

using namespace std::chrono_literals;

constexpr auto restPatience = 1s;
constexpr std::uint32_t validSeconds = 300;
constexpr std::string_view noQuestion = "no question for an address";

// The length before a message is wrong, or more than comes: the name may be there all the same.
void tellUnanswered(Stream &run, Gate &gate)
{
    const Time deadline = within(restPatience);
    std::string name;
    do {
        if (run.pending.size() > dnsFrameHead)
            name = askedName(std::string_view(run.pending).substr(dnsFrameHead));
    } while (name.empty() && run.pending.size() < dnsFrameMax && run.receive(deadline) == Stream::Got::Bytes);
    if (!run.pending.empty())
        gate.reporter.malformedName(name, noQuestion);
}

} // namespace

std::optional<std::string> answerName(std::string_view message, Gate &gate)
{
    const auto query = parseDnsQuery(message);
    if (!query || query->verdict != DnsCode::NoError) {
        gate.reporter.malformedName(askedName(message), noQuestion);
        return query ? std::optional(dnsAnswer(*query, query->verdict)) : std::nullopt;
    }
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
    gate.reporter.named(*address, *query->name);
    return dnsAnswer(*query, DnsCode::NoError, address, validSeconds);
}

void serveNames(Stream run, Gate &gate)
{
    for (;;) {
        const auto frame = parseDnsFrame(run.pending);
        if (frame.state == ParseState::NeedMore && run.receive(within(headPatience)) == Stream::Got::Bytes)
            continue;
        if (frame.state != ParseState::Done)
            return tellUnanswered(run, gate);
        const auto answer = answerName(frame.value, gate);
        run.pending.erase(0, frame.used);
        if (!answer || !run.send(dnsFrame(*answer), within(headPatience)))
            return;
    }
}

} // namespace glovebox::network
