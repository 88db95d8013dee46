// SPDX-License-Identifier: Apache-2.0
// TLS hellos: there is a verdict within the limit, and a name that is found is a canonical one that was sent.
#include "engine/network/protocols/clienthello.h"

#include "pieces.h"

using namespace glovebox::network;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    const auto hello = inPieces(bytes, [](std::string_view part, std::size_t) { return parseClientHello(part); });
    assert(hello.state != ParseState::NeedMore || size < clientHelloMax);
    assert(hello.state != ParseState::Done || looksLikeTls(bytes));
    if (const auto &name = hello.value.serverName) {
        assert(canonicalHost(name->text) == *name && !name->address);
        assert(hello.used > name->text.size());
    }
    return 0;
}
