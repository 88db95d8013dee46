// SPDX-License-Identifier: Apache-2.0
// What a spawner does once, before it forks anything.
#pragma once

#include "engine/launcher/packet.h"

namespace glovebox::launcher {

// Says Hello, becomes whom the engine names, and says Prepared or why not. Returns the spawner's own program, open: whom the spawner
// becomes may have no way to it. An invalid descriptor: there is nothing that it could serve.
UniqueFd prepare(int controlSocket);

// The program as a sealed memfd, to be executed as PID 1: a run can't overwrite the program through /proc/self/exe (CVE-2019-5736). Its
// number is above those that arrangeDescriptors() gives away. Invalid, with errno set, where it can't be had.
UniqueFd sealedCopy(int program);

} // namespace glovebox::launcher
