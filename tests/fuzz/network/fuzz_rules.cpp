// SPDX-License-Identifier: Apache-2.0
// A rule that is accepted is the same after being written and read, opens its own host and no longer or shorter one; a host is
// in its canonical form at once.
#include "engine/network/rules/rules.h"

#include <cassert>

using namespace glovebox::network;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    if (const auto host = canonicalHost(text)) {
        assert(canonicalHost(host->text) == *host);
        assert(host->text.size() <= 253
               && host->text.find_first_of(std::string_view(" \r\n%/@*\0", 8)) == std::string::npos);
        assert(host->address || !addressFromText(host->text));
    }
    const auto rule = ruleFromText(text);
    if (!rule)
        return 0;
    assert(ruleFromText(toText(*rule)) == *rule);
    const std::uint16_t port = rule->port.value_or(443);
    const Allowlist list{*rule};
    assert((allow(list, rule->host, port) != nullptr) == !rule->wildcard);
    assert(!allow(list, rule->host, port == 25 ? 26 : 25) || port == 25);
    if (!rule->host.address) {
        const Host below{"a." + rule->host.text, {}};
        assert((allow(list, below, port) != nullptr) == rule->wildcard);
        assert(!allow(list, Host{"evil" + rule->host.text, {}}, port));
        // In capitals, so that no rule can have that ending: *.a.a does open a.a.a.
        assert(!allow(list, Host{rule->host.text + ".EVIL", {}}, port));
    }
    return 0;
}
