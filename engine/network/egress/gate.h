// SPDX-License-Identifier: Apache-2.0
// The only way out: asks the rules, resolves once, refuses addresses that nobody may go to, and dials the address it checked.
#pragma once

#include "engine/network/egress/budget.h"
#include "engine/network/egress/names.h"
#include "engine/network/egress/reporter.h"
#include "engine/network/egress/stream.h"

namespace glovebox::network {

struct Dialled
{
    Stream server; // invalid: refused
    Verdict verdict = Verdict::Denied;
    Reason reason = Reason::None;
    std::string fault = {}; // of the attempt
};

std::string authority(const Target &target); // "example.org:443", "[2001:db8::1]:443"

// What all connections of a run share. Thread-safe; dial() blocks for at most about half a minute.
struct Gate
{
    const Allowlist rules;
    const std::vector<std::uint16_t> ports; // that any rule allows
    Reporter &reporter;
    const std::optional<Target> proxy; // of the person's, which then resolves the names
    Names names;
    Budget budget;

    bool allows(const Target &target) const { return allow(rules, target.host, target.port) != nullptr; }
    bool allowsSomePort(const Host &host) const;
    // Where a program resolved the name by itself and hands over the address, the name is meant.
    Target meant(const Host &host, std::uint16_t port) const;
    Dialled dial(const Target &target) const;

private:
    Dialled dialThroughProxy(const Target &target) const;
};

} // namespace glovebox::network
