// SPDX-License-Identifier: Apache-2.0
// glovebox-egress: what of the network a run may reach, and the only program that reads what a run says to it. It has the run's
// listening sockets, a policy, and a line to the engine; it seals itself before it serves, and ends with the engine or the run.
//
// argv: glovebox-egress [--user UID GID]; descriptors: messages.h.
#include "engine/launcher/egress/arenas.h"
#include "engine/launcher/egress/seal.h"
#include "engine/launcher/packet.h"
#include "engine/network/egress/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

using namespace glovebox;
using namespace glovebox::network;

namespace {

// What the engine wrote is as it reads: the rules were checked there, and are here once more.
std::string readPolicy(EgressPolicy &policy, Allowlist &rules, std::optional<Target> &proxy)
{
    std::string bytes;
    if (launcher::readSealedMemory(egressPolicyFd, bytes) != 0 || !policy.decode(bytes))
        return "unreadable policy";
    ::close(egressPolicyFd);
    for (const std::string &text : policy.rules) {
        auto rule = ruleFromText(text);
        if (!rule)
            return "unreadable rule " + text;
        rules.push_back(*std::move(rule));
    }
    if (!policy.proxyHost.empty()) {
        auto host = canonicalHost(policy.proxyHost);
        if (!host)
            return "unreadable proxy";
        proxy = Target{*std::move(host), policy.proxyPort};
    }
    return {};
}

std::vector<std::uint16_t> portsOf(const Allowlist &rules)
{
    std::vector<std::uint16_t> ports{80, 443};
    for (const Rule &rule : rules) {
        if (rule.port)
            ports.push_back(*rule.port);
    }
    return ports;
}

} // namespace

int main(int argc, char **argv)
{
    ::signal(SIGPIPE, SIG_IGN);
    ::dup2(STDOUT_FILENO, STDERR_FILENO); // which was the loader's, for the engine
    launcher::haveFewArenas();
    // NOLINTBEGIN(concurrency-mt-unsafe): there is one thread yet
    // Names are asked for as they are: no search list, and not for longer than somebody waits.
    ::setenv("LOCALDOMAIN", "", 1);
    ::setenv("RES_OPTIONS", "timeout:3 attempts:2", 1);
    // NOLINTEND(concurrency-mt-unsafe)

    EgressPolicy policy;
    Allowlist rules;
    std::optional<Target> proxy;
    std::string problem = readPolicy(policy, rules, proxy);
    int landlockAbi = 0;
    const int used = egressFirstListenerFd + static_cast<int>(policy.listeners.size());
    if (problem.empty() && argc == 4 && std::string_view(argv[1]) == "--user")
        problem = launcher::becomeEgressUser(static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)),
                                             static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)));
    if (problem.empty())
        problem = launcher::sealEgress(egressControlFd, used, landlockAbi);
    launcher::sendPacket(
        egressControlFd,
        launcher::Writer().put(EgressMessage::Ready).put(egressVersion).put(problem).put(landlockAbi).bytes());
    if (!problem.empty())
        return 1;

    Reporter reporter(egressControlFd);
    Gate gate{.rules = rules,
              .ports = portsOf(rules),
              .reporter = reporter,
              .proxy = std::move(proxy),
              .names = {},
              .budget = Budget(policy.bytes, policy.bytesPerSecond)};
    Server(gate, policy.listeners).serve();
    ::_exit(0); // connections that are open end here
}
