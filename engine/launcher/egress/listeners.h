// SPDX-License-Identifier: Apache-2.0
// The sockets that listen inside a run's network and are served from outside, and the way to them: every address of the internet
// leads to the run itself.
#pragma once

#include "engine/launcher/plan.h"

namespace glovebox::launcher {

// In a new network namespace with CAP_NET_ADMIN. Empty, or what failed.
std::string routeEverythingHere();
// Opens those of the plan and sends them to the engine (Message::Listeners). withPrivilege false: only those for which none is
// needed, which are the proxies. Empty, or what failed.
std::string openListeners(const Plan &plan, bool withPrivilege, int report);
// TCP sockets that belong to the run's network and aren't connected yet, for whoever is to reach a server inside from outside: sent
// to the engine (Message::Connectors). A socket keeps the network that it was made in. Empty, or what failed.
std::string openConnectors(const Plan &plan, int report);

} // namespace glovebox::launcher
