// SPDX-License-Identifier: Apache-2.0
// What a run's allowlist means for its sandbox, and the opening and closing of its network around the sandbox's life.
#pragma once

#include "liverun.h"

#include "engine/run/soundrequest.h"

#include "engine/network/network.h"
#include "engine/policy/policy.h"
#include "engine/sandbox/sandbox.h"

namespace glovebox {

// Who serves the sockets inside a run's network.
struct RunNetwork
{
    std::unique_ptr<Egress> egress; // null: no host was allowed
    ClosedNames names; // of a run that was allowed none
};

// Sockets and variables for a policy that allows something; for one that doesn't, the sockets at which it asks for names in vain.
// The policy was validated.
void planNetwork(const Policy &policy, SandboxShape &shape);

// proxy: the setting engine.upstream_proxy. sockets: those that planNetwork() asked for. Errors: the sandbox must not be started.
Result<RunNetwork> openNetwork(const SoundRequest &request, const QString &libexec, const QString &proxy,
                               std::vector<UniqueFd> sockets);

// Everybody inside is gone: what they wanted to the very end is told.
void closeNetwork(RunNetwork &network, LiveRun &run);

// An event, once the run has moved all the bytes that it may.
void tellIfSpent(Egress &egress, LiveRun &run);

} // namespace glovebox
