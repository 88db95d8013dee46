// SPDX-License-Identifier: Apache-2.0
// What glovebox-init does to itself before it answers for the sandbox; everything it starts inherits it.
#pragma once

#include "engine/launcher/plan.h"

#include "engine/base/system/descriptor.h"

#include <string>

namespace glovebox::launcher {

// Each returns an empty string, or what failed ("setrlimit NPROC: EPERM").
std::string applyLimits(const Plan &plan);
// No capability in any set, and none to be had again. Where a user namespace is new, it takes CAP_SETPCAP.
std::string leavePrivileges();
// Whether those bits of the process (capabilities(7), "securebits") are set and locked as leavePrivileges() does.
bool hasLockedSecurebits();
// No new privileges by exec, and a memory that nobody inside can read or write through /proc/1/mem.
std::string becomeUntouchable();
// A session keyring that nobody outside shares.
std::string leaveKeyring();
// Tries to make a user namespace, where most kernel exploits start, and gives the errno; 0: it was made. Before the filters,
// which would answer in the kernel's place.
int tryNestedUserNamespace();
// Those that are loaded before the packets with descriptors are sent. listener: on it the engine is asked about the calls that a person
// is told about (reportedcalls.h). Invalid where the kernel gives none; the calls are refused then without a word. Until somebody answers
// there, those calls wait.
std::string applyFirstFilters(const Plan &plan, UniqueFd &listener);
// The others, after which nothing is loaded and no descriptor is sent. reports: there is a listener.
std::string applyLastFilters(bool reports);

} // namespace glovebox::launcher
