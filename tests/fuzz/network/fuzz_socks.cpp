// SPDX-License-Identifier: Apache-2.0
// Greeting and request of SOCKS5: within their limits there is a verdict, and a host that is understood is a canonical one.
#include "engine/network/protocols/socks.h"

#include "pieces.h"

using namespace glovebox::network;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    std::string_view bytes(reinterpret_cast<const char *>(data), size);
    const auto greeting = inPieces(bytes, [](std::string_view part, std::size_t) { return parseSocksGreeting(part); });
    assert(greeting.state != ParseState::NeedMore || size < 257);
    bytes.remove_prefix(greeting.used);
    const auto request = inPieces(bytes, [](std::string_view part, std::size_t) { return parseSocksRequest(part); });
    assert(request.state != ParseState::NeedMore || bytes.size() < 262);
    if (request.state == ParseState::Done) {
        assert(canonicalHost(request.value.host.text) == request.value.host);
        assert(request.value.port != 0 || request.value.command != SocksRequest::Command::Connect);
    }
    return 0;
}
