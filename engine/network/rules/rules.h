// SPDX-License-Identifier: Apache-2.0
// What a run may reach: an allowlist, and the two pure questions that it answers. Nothing else decides.
#pragma once

#include "engine/network/rules/host.h"

#include <span>
#include <vector>

namespace glovebox::network {

struct Rule
{
    Host host;
    bool wildcard = false; // every name below host at any depth, and not host itself
    std::optional<std::uint16_t> port; // nothing: 80 and 443

    bool operator==(const Rule &) const = default;
};

using Allowlist = std::vector<Rule>; // empty allows nothing; the order doesn't matter

enum class RuleFault {
    Empty,
    Range, // "10.0.0.0/8"
    List, // "a.org,b.org"
    Url, // "http://x", "x/path"
    Everything, // "*"
    TopLevel, // "*.com"
    BadWildcard, // a star anywhere but as the whole first label, or before an address
    NoMachine, // a group's address, or one that nobody has: 224.0.0.1, 255.255.255.255, 0.1.2.3
    BadPort, // not 1 to 65535
    Unbracketed, // a V6 address, or a name with two colons
    BadHost,
};

struct RuleProblem
{
    RuleFault fault;
    HostFault host = HostFault::Empty; // with BadHost

    bool operator==(const RuleProblem &) const = default;
};

// HOST[:PORT], *.HOST[:PORT], 1.2.3.4[:PORT], [V6][:PORT]. Of 0.0.0.0 and [::] the rule is that of 127.0.0.1 and [::1], where they lead.
std::expected<Rule, RuleProblem> ruleFromText(std::string_view text);
// The same with any address, as it is written: what a request says of its host, and no rule of the person's.
std::expected<Rule, RuleProblem> ruleAsWritten(std::string_view text);
std::string toText(const Rule &rule); // ruleFromText() gives the same rule again

// May the run ask for this? The rule that says so, or nullptr.
const Rule *allow(std::span<const Rule> allowlist, const Host &host, std::uint16_t port);

// Is all that the rule allows allowed by the limits, too?
bool covers(std::span<const Rule> limits, const Rule &rule);

// May an address be dialled that an allowed host turned out to have? A public one that isn't this machine's; any other only
// if the list has that very address and port. own: addresses of this machine's interfaces.
bool mayDial(std::span<const Rule> allowlist, const Address &address, std::uint16_t port, std::span<const Address> own);

} // namespace glovebox::network
