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
    Stream server; // invalid: refused, and told so
    Reason reason = Reason::None;
    Reporter::Entry entry = {}; // with a server: to be ended, whatever happens
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
    // Told before anything leaves the machine: this may take longer than the run lives.
    Dialled dial(Way way, const Target &target) const;

private:
    struct Reached
    {
        Stream server;
        Reason reason = Reason::None;
        std::string fault;
    };
    Reached reach(const Target &target) const;
    static Reached reachThrough(const Target &proxy, const Target &target);
};

} // namespace glovebox::network
