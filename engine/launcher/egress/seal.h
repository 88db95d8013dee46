// SPDX-License-Identifier: Apache-2.0
// How glovebox-egress gives up everything but sockets and the files by which names are resolved, and glovebox-port these, too.
#pragma once

#include <cstdint>
#include <string>

namespace glovebox::launcher {

constexpr unsigned long egressMemoryMost = 256UL << 20; // bytes

// Started by root: it belongs to somebody who owns nothing. Empty, or what failed.
std::string becomeEgressUser(unsigned uid, unsigned gid);

// Before there are threads. control: the socket to the engine; descriptors from firstUnused on are closed. Empty when everything
// holds and was read back, else what failed. landlockAbi: 0 where the kernel has none; then the files of its user can be read.
std::string sealEgress(int control, int firstUnused, int &landlockAbi);
// The same, and no file can be opened and no socket made: what it was started with is all that it has. Its sockets can connect to port
// alone, where the kernel knows how to bound that (Linux 6.7); connector is one of them.
std::string sealPort(int control, int firstUnused, std::uint16_t port, int connector);

} // namespace glovebox::launcher
