// SPDX-License-Identifier: Apache-2.0
// What a run's allowlist means for its sandbox, and the opening of its network once the sandbox is there.
#pragma once

#include "liverun.h"

#include "engine/run/soundrequest.h"

#include "engine/network/network.h"
#include "engine/policy/policy.h"
#include "engine/sandbox/sandbox.h"

namespace glovebox {

// Sockets and variables for a policy that allows something; nothing for one that doesn't. The policy was validated.
void planEgress(const Policy &policy, SandboxShape &shape);

// Null without an allowlist. proxy: the setting engine.upstream_proxy. Errors: the sandbox must not be started.
Result<std::unique_ptr<Egress>> openEgress(const SoundRequest &request, const QString &libexec, const QString &proxy,
                                           SealedProcess &process);

// An event, once the run has moved all the bytes that it may.
void tellIfSpent(Egress &egress, LiveRun &run);

// An event, if there was more than the attempts that are listed. Once it is over.
void tellOfUntold(const Egress &egress, LiveRun &run);

} // namespace glovebox
