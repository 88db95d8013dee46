// SPDX-License-Identifier: Apache-2.0
// The rooms that a run passes through, handed to whatever takes part in a run.
#pragma once

#include "run.h"

#include "engine/approval/approval.h"
#include "engine/artifacts/artifacts.h"
#include "engine/audit/audit.h"
#include "engine/folders/folders.h"
#include "engine/languages/languages.h"
#include "engine/readiness/readiness.h"
#include "engine/sandbox/sandbox.h"
#include "engine/sessions/sessions.h"
#include "engine/settings/settings.h"
#include "engine/toolservers/toolservers.h"
#include "engine/vault/vault.h"

namespace glovebox {

class Interpreters;

// All of them are thread-safe and outlive every run.
struct Rooms
{
    const Languages &languages;
    const Backends &backends;
    const ContentStore &store;
    AuditLog &log;
    const OwnFolders &own;
    Staging &staging;
    QString libexec; // the folder of Glovebox's inner programs
    QString runtime; // the folder of its sockets
    const Settings &settings;
    Vault &vault;
    ReadinessBoard &readiness;
    Approvals &approvals;
    const Sessions &sessions;
    LendPackages lendPackages;
    Interpreters &interpreters;
    QString toolServers; // the file that lists them
};

} // namespace glovebox
