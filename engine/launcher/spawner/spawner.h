// SPDX-License-Identifier: Apache-2.0
// glovebox-spawner: forks runs for the engine. One thread, no Qt: forking from a program with threads leaks descriptors and
// confuses PR_SET_PDEATHSIG. It lives as long as the engine's end of its control socket is open, and takes every run along
// when it ends, however it ends. It never waits for the engine and never touches a path of the host itself: a hung FUSE mount
// would stop every timer.
//
// Descriptor 3 is the control socket (protocol.h).
#pragma once

namespace glovebox::launcher {

// Returns the exit status of the process, which has one thread.
int beSpawner();

} // namespace glovebox::launcher
