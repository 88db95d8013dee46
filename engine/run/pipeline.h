// SPDX-License-Identifier: Apache-2.0
// The one corridor that every run goes through.
#pragma once

#include "live/liverun.h"

#include "engine/artifacts/artifacts.h"
#include "engine/audit/audit.h"
#include "engine/folders/folders.h"
#include "engine/languages/languages.h"
#include "engine/readiness/readiness.h"
#include "engine/sandbox/sandbox.h"
#include "engine/settings/settings.h"
#include "engine/vault/vault.h"

#include <functional>

namespace glovebox {

// The rooms that a run passes through. All of them are thread-safe and outlive every run.
struct Rooms
{
    const Languages &languages;
    const Backends &backends;
    const ContentStore &store;
    AuditLog &log;
    const OwnFolders &own;
    Staging &staging;
    QString libexec; // the folder of Glovebox's inner programs
    const Settings &settings;
    Vault &vault;
    ReadinessBoard &readiness;
};

// Takes an accepted, authorised run that holds a slot to its end: blocks this thread, and returns when the run is Done and
// its entry closed. Gives the slot back once its program has ended: what follows waits for the kernel to take the sandbox away,
// and for the disk. All signals must be blocked in this thread.
void passThroughCorridor(const Rooms &rooms, LiveRun &run, std::stop_token stop, const std::function<void()> &freeSlot);

// What is the same for every snippet of a language under this policy.
SandboxShape shapeFor(const LaunchRecipe &recipe, const Policy &policy);

} // namespace glovebox
