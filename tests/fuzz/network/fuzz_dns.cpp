// SPDX-License-Identifier: Apache-2.0
// Questions for names: an answer fits into a datagram, is never taken for a question, and repeats what was asked.
#include "engine/network/protocols/dns.h"

#include "pieces.h"

using namespace glovebox::network;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    const auto frame = inPieces(bytes, [](std::string_view part, std::size_t) { return parseDnsFrame(part); });
    if (frame.state == ParseState::Done)
        assert(dnsFrame(frame.value) == bytes.substr(0, frame.used));

    const std::string asked = askedName(bytes);
    assert(asked.size() <= 1010 && std::ranges::all_of(asked, [](char c) { return c > 0x20 && c < 0x7f; }));

    const auto query = parseDnsQuery(bytes);
    if (!query)
        return 0;
    assert(query->asked.size() <= 1010 && query->question.size() <= 259);
    assert(std::ranges::all_of(query->asked, [](char c) { return c > 0x20 && c < 0x7f; }));
    if (query->name) {
        assert(query->name->text.size() <= query->asked.size() && !query->name->address);
        assert(canonicalHost(query->name->text) == *query->name);
    }
    if (query->verdict == DnsCode::NoError)
        assert((query->asked == asked || query->asked == ".") && !query->question.empty()
               && query->question == bytes.substr(12, query->question.size()));
    for (const auto &address : {std::optional<Address>(), addressFromText("198.18.0.1")}) {
        const std::string answer = dnsAnswer(*query, query->verdict, address, 60);
        assert(answer.size() >= 12 && answer.size() <= 512);
        assert(answer.substr(0, 2) == bytes.substr(0, 2) && (answer[2] & 0x80) != 0);
        assert(!parseDnsQuery(answer));
    }
    return 0;
}
